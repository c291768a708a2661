//! The `[crate.compatibility]` of `codegen.toml`.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use jiff::civil::Date;
use toml::{Spanned, de::DeTable};

use super::{
    Config, Error, Progress, history::Reference, keys::Section, layout::normalize, table::Reader,
};
use crate::compat::{self, Accepted, Report, Set, check_id, parse_date};

/// What a crate's CRDs have to be compatible with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compatibility {
    base: Base,
    accepted: Vec<Accepted>,
}

/// The CRDs to compare with.
#[derive(Clone, Debug, PartialEq)]
enum Base {
    /// The inputs of the crate, or those at a path, at a commit.
    Git(Reference),
    /// A file or folder of CRDs.
    Path(PathBuf),
}

/// Reads the section.
pub(super) fn read<'a>(
    reader: &mut Reader<'a>,
    (span, table): (Range<usize>, &DeTable<'a>),
    folder: &Path,
) -> Option<Compatibility> {
    reader.keys(table, Section::Compatibility);
    let accepted = reader.tables(table, "accept");
    let accepted = accepted
        .into_iter()
        .filter_map(|(span, table)| accept(reader, span, table));
    let accepted = accepted.collect();
    let Some(base) = reader.string(table, "base") else {
        if !table.contains_key("base") {
            let help = "write base = \"git:v1.2.0\", or a folder of CRDs";
            reader.error(
                span,
                "there is nothing to compare with",
                "",
                Some(help.to_owned()),
            );
        }
        return None;
    };
    let base = match Reference::parse(base.get_ref()) {
        Some(Ok(mut reference)) => {
            reference.relative_to(folder);
            Base::Git(reference)
        }
        Some(Err(message)) => {
            reader.error(base.span(), message, "", None);
            return None;
        }
        None => Base::Path(normalize(&folder.join(base.get_ref()))),
    };
    Some(Compatibility { base, accepted })
}

fn accept(reader: &mut Reader<'_>, span: Range<usize>, table: &DeTable<'_>) -> Option<Accepted> {
    reader.keys(table, Section::Accept);
    let text = |found: Option<Spanned<String>>| found.map(Spanned::into_inner);
    let id = reader.checked(table, "id", check_id);
    let path = text(reader.string(table, "path"));
    let crd = text(reader.string(table, "crd"));
    let reason = text(reader.string(table, "reason")).filter(|reason| !reason.trim().is_empty());
    let until = reader.checked(table, "until", parse_date);
    for (key, example) in [("id", "field-removed"), ("reason", "nobody used it")] {
        if !table.contains_key(key) {
            let help = format!("write {key} = \"{example}\"");
            reader.error(
                span.clone(),
                format!("an accepted finding has no {key}"),
                "",
                Some(help),
            );
        }
    }
    Some(Accepted {
        id: id?,
        path,
        crd,
        reason: reason?,
        until,
        place: reader.place(span),
    })
}

impl Config {
    /// Whether the configuration names what it has to be compatible with.
    #[must_use]
    pub(crate) const fn has_base(&self) -> bool {
        self.compatibility.is_some()
    }

    /// Compares the CRDs of the inputs with the base; `None` without one. Findings that are
    /// accepted on the day are marked.
    ///
    /// # Errors
    ///
    /// [`Error`]; acceptances that nothing needs or that have expired are errors of the
    /// configuration.
    pub(crate) fn compared(
        &self,
        (budget, today): (usize, Date),
        progress: &dyn Progress,
    ) -> Result<Option<Report>, Error> {
        let Some(compatibility) = &self.compatibility else {
            return Ok(None);
        };
        let old = match &compatibility.base {
            Base::Git(reference) => match reference.own_path() {
                Some(path) => reference.read(path, progress)?,
                None => reference.read_config(self, progress)?,
            },
            Base::Path(path) => Self::new().crds([path]).definitions(progress)?,
        };
        let new = self.definitions(progress)?;
        let mut report = compared(&old, &new, budget)?;
        let wrong = report.accept(&compatibility.accepted, today);
        wrong.finish(Some(report)).map_err(Error::Config)
    }
}

/// Compares two sets on the pool of threads.
///
/// # Errors
///
/// [`Error::Config`] if a set has two different CRDs of one name.
pub(crate) fn compared(old: &Set, new: &Set, budget: usize) -> Result<Report, Error> {
    super::load::on_threads(|| compat::compare(old, new, budget).map_err(Error::Config))
}
