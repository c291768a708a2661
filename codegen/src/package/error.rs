//! Why an operator cannot be packaged.

use std::{io, path::PathBuf};

use crate::diag::Diagnostic;

/// What helps with a kustomization that uses more than `package` knows.
const BUILT: &str =
    "pass what kustomize builds: `kustomize build FOLDER | kube-codegen package --from -`";

/// Why an operator cannot be packaged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// A kustomization uses a field, or a value of it, that is not supported.
    #[error("{}: {what} is not supported; {BUILT}", path.display())]
    Unsupported {
        /// The kustomization.
        path: PathBuf,
        /// The field or value.
        what: String,
    },
    /// A file is not YAML.
    #[error("{}", .0.message)]
    Yaml(Box<Diagnostic>),
    /// A file has other contents than expected.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The objects are not those of an operator.
    #[error("{0}")]
    Objects(String),
}
