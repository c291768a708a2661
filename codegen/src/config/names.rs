//! The file of recorded names: where it stands, what a run reads from it and what it writes.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Config, Error, layout::shown, target::Target};
use crate::{output::Plan, record::Record};

/// The file's path in an output folder.
const DEFAULT: &str = "apis/names.toml";

/// Where names are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamesFile {
    /// In the output folder, unless that is `OUT_DIR`, which does not last.
    #[default]
    InOutput,
    /// In a file of its own. A build script reads it, and does not write it.
    At(PathBuf),
    /// Nowhere: names follow from the CRDs alone.
    Nowhere,
}

/// A file, and the folder that it is planned below.
struct Found {
    root: PathBuf,
    path: PathBuf,
}

impl Config {
    /// The file that keeps the names of types and modules from CRDs, so that they outlive releases of the CRDs, instead of
    /// `apis/names.toml` in the output folder; none for an empty path. From `OUT_DIR` no names are kept without this.
    ///
    /// [`generate`](Self::generate), which build scripts call, reads such a file and never writes it: `kube-codegen crd` with
    /// `--names-file` does.
    #[must_use]
    pub fn names_file(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.names_file = match path.as_os_str().is_empty() {
            true => NamesFile::Nowhere,
            false => NamesFile::At(path),
        };
        self
    }

    /// Where the record is.
    fn names_found(&self, target: &Target) -> Option<Found> {
        match &self.names_file {
            NamesFile::InOutput => self.out.is_some().then(|| Found {
                root: target.root.clone(),
                path: target.below.join(DEFAULT),
            }),
            NamesFile::At(path) => Some(Found {
                root: path.parent().unwrap_or(Path::new("")).to_owned(),
                path: path.file_name()?.into(),
            }),
            NamesFile::Nowhere => None,
        }
    }

    /// The names that were recorded; no names where there is no file yet, and nothing where names are not recorded.
    pub(super) fn record(&self, target: &Target) -> Result<Option<Arc<Record>>, Error> {
        if self.crds.is_empty() {
            return Ok(None);
        }
        let Some(found) = self.names_found(target) else {
            return Ok(None);
        };
        let path = found.root.join(found.path);
        // What is no file is an error of planning.
        let record = match self.disk.is_file(&path) {
            true => Record::parse(&self.disk.read(&path)?).map_err(Error::Config)?,
            false => Record::default(),
        };
        Ok(Some(Arc::new(record)))
    }

    /// How the file on disk differs from the names that were given. Without any, it goes; a crate of `codegen.toml` without CRDs may have
    /// had some.
    pub(super) fn plan_names(
        &self,
        names: Option<String>,
        target: &Target,
    ) -> Result<Option<Plan>, Error> {
        let has_crds = !self.crds.is_empty();
        let Some(found) = self
            .names_found(target)
            .filter(|_| has_crds || self.origin.is_some())
        else {
            return Ok(None);
        };
        let plan = Plan::of_file(&found.root, found.path, names, Record::is_generated)?;
        Ok(Some(plan))
    }

    /// What a build script has to say instead of writing the file: it writes nothing outside of its output folder.
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
