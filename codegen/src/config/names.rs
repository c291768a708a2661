//! The name record: where its file is, and reading and writing it.

use std::{
    borrow::Cow,
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Config, Error,
    layout::{shown, whole},
    target::Target,
};
use crate::{
    diag::Diagnostic,
    header,
    output::{Plan, Tree},
    record::Record,
};

/// Where names are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamesFile {
    /// In the output folder, unless that is `OUT_DIR` or below it, which does not outlive builds.
    #[default]
    InOutput,
    /// In a separate file. Build scripts read it and do not write it.
    At(PathBuf),
    /// Nowhere: names are derived from the CRDs alone.
    Nowhere,
}

impl Config {
    /// Sets the file that records the names of types and modules from CRDs, so that they stay
    /// stable across CRD releases. The default is `apis/names.toml` in the output folder; an empty
    /// path disables the record. If the output folder is `OUT_DIR` or below it, no names are
    /// recorded by default.
    ///
    /// [`generate`](Self::generate), which build scripts call, reads this file and never writes it;
    /// `kube-codegen crd` with `--names-file` does.
    #[must_use]
    pub fn names_file(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.names_file = match path.as_os_str().is_empty() {
            true => NamesFile::Nowhere,
            false => NamesFile::At(path),
        };
        self
    }

    /// The recorded names: empty if the file does not exist yet, `None` if names are not recorded.
    pub(super) fn record(&self, target: &Target) -> Result<Option<Arc<Record>>, Error> {
        let Some(path) = self.record_path(target) else {
            return Ok(None);
        };
        // Planning reports an error if the path exists and is not a file.
        let record = match self.disk.is_file(&path) {
            true => Record::parse(&self.disk.read(&path)?).map_err(Error::Config)?,
            false => Record::default(),
        };
        Ok(Some(Arc::new(record)))
    }

    /// The file of the record; `None` if names are not recorded.
    fn record_path<'a>(&'a self, target: &Target) -> Option<Cow<'a, Path>> {
        match &self.names_file {
            _ if self.crds.is_empty() => None,
            NamesFile::InOutput if self.out.as_deref().is_some_and(lasts) => {
                Some(target.root.join(in_output(target)).into())
            }
            NamesFile::At(path) => Some(path.into()),
            NamesFile::InOutput | NamesFile::Nowhere => None,
        }
    }

    /// The warning that the record of existing generated code is missing, so that its types may be
    /// renamed.
    pub(super) fn missing_record(&self, target: &Target) -> Option<Diagnostic> {
        let path = self.record_path(target)?;
        let code = target.root.join(target.below.join("apis/mod.rs"));
        let is_missing = !self.disk.is_file(&path) && self.disk.is_file(&code);
        let text = is_missing.then(|| self.disk.read(&code).ok()).flatten()?;
        header::is_generated(&text.text).then(|| {
            let (code, path) = (shown(&code), shown(&path));
            Diagnostic::warning(format!("{code} exists, but the record of its names, {path}, does not"))
                .note("types and modules are named anew, and may get other names than they have in the existing code")
                .help("restore the file from version control; it is written with the code, and belongs beside it")
        })
    }

    /// Adds the name record to the output, or returns the plan for its separate file.
    pub(super) fn place_names(
        &self,
        names: Option<String>,
        target: &Target,
        output: &mut Tree,
    ) -> Result<Option<Plan>, Error> {
        let Some(names) = names else {
            return Ok(None);
        };
        let NamesFile::At(path) = &self.names_file else {
            output.insert(in_output(target), names);
            return Ok(None);
        };
        let root = path.parent().filter(|root| !root.as_os_str().is_empty());
        let name = path.file_name().unwrap_or_default().into();
        let plan = Plan::of_file(root.unwrap_or(Path::new(".")), name, names)?;
        Ok(Some(plan))
    }

    /// The warning that the name record is out of date. A build script must not write outside of
    /// its output folder.
    pub(super) fn unwritten_names(&self, plan: &Plan) -> Option<String> {
        let NamesFile::At(path) = &self.names_file else {
            return None;
        };
        let path = shown(path);
        (!plan.is_clean()).then(|| {
            format!(
                "{path} is not up to date with the CRDs: write it with `kube-codegen crd FILE… --output DIR --names-file {path}`"
            )
        })
    }
}

/// Whether a folder outlives builds. The contents of `OUT_DIR` and its subfolders depend on earlier
/// builds.
fn lasts(out: &Path) -> bool {
    let of_build = env::var_os("OUT_DIR").map(PathBuf::from);
    of_build.is_none_or(|of_build| !whole(out).starts_with(whole(&of_build)))
}

/// The path of the record in an output folder, relative to the target's root.
fn in_output(target: &Target) -> PathBuf {
    target.below.join("apis/names.toml")
}
