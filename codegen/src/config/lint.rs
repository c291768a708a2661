//! The `[crate.lint]` of `codegen.toml`.

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::{
    Config, Error, Progress, disk::read as read_source, keys::Section, layout::normalize,
    table::Reader,
};
use crate::lint::{
    self, Finding, Levels, baseline,
    choice::{Choice, check_rule},
};

/// The conventions that a crate's API is held against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conventions {
    choice: Choice,
    baseline: Option<PathBuf>,
}

/// Reads the section.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, folder: &Path) -> Conventions {
    reader.keys(table, Section::Lint);
    let mut rules = |key: &str| -> Vec<String> {
        let named = reader.strings(table, key).unwrap_or_default();
        let checked = named.into_iter().filter_map(|id| {
            let checked = check_rule(id.get_ref());
            checked
                .map_err(|wrong| {
                    let help = "`kube-codegen lint --list` lists the rules".to_owned();
                    let message = format!("invalid {key}: {}: {wrong}", id.get_ref());
                    reader.error(id.span(), message, "", Some(help));
                })
                .ok()
        });
        checked.collect()
    };
    let choice = Choice {
        error: rules("error"),
        warn: rules("warn"),
        off: rules("off"),
    };
    let baseline = reader.string(table, "baseline");
    let baseline = baseline.map(|path| normalize(&folder.join(path.get_ref())));
    Conventions { choice, baseline }
}

/// What a configuration's API deviates in.
#[derive(Debug)]
pub(crate) struct Linted {
    pub(crate) findings: Vec<Finding>,
    /// The baseline, and its lines that no finding matches.
    pub(crate) unused: Vec<(PathBuf, String)>,
}

impl Config {
    /// Whether the configuration has conventions.
    pub(crate) const fn has_conventions(&self) -> bool {
        self.conventions.is_some()
    }

    /// Holds the API against the conventions; `None` without any. `more` are levels that count more
    /// than the configured ones.
    ///
    /// # Errors
    ///
    /// [`Error`]; an invalid exception in a comment is an error of the input.
    pub(crate) fn linted(
        &self,
        more: &Levels,
        progress: &dyn Progress,
    ) -> Result<Option<Linted>, Error> {
        let Some(conventions) = &self.conventions else {
            return Ok(None);
        };
        let mut levels = conventions.choice.levels();
        levels.extend(more.clone());
        let set = self.definitions(progress)?;
        let linted = super::load::on_threads(|| lint::lint(&set, &levels).map_err(Error::Input));
        let mut findings = linted?;
        let mut unused = Vec::new();
        if let Some(path) = &conventions.baseline {
            let text = read_source(path)?.text;
            let lines = baseline::except(&text, &mut findings);
            unused.extend(
                lines
                    .into_iter()
                    .map(|line| (path.clone(), line.to_owned())),
            );
        }
        Ok(Some(Linted { findings, unused }))
    }
}
