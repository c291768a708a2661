//! `kube-codegen builtin-types`, for `hack/builtin-types.sh` alone.

use std::{fs, path::PathBuf};

use clap::Args;
use codegen::config::Error;

use super::Failure;

/// Pack the table of Kubernetes' own types from their Go sources.
#[derive(Debug, Args)]
pub(super) struct BuiltinTypes {
    /// Packages, as for `go`.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// A folder of the Go module whose go.mod names the versions.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The file to write.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

impl BuiltinTypes {
    pub(super) fn run(self) -> Result<(), Failure> {
        let packed = codegen::builtin::make(&self.packages, &self.dir)?;
        fs::write(&self.output, packed).map_err(|source| {
            Failure::Error(Error::Read {
                path: self.output.clone(),
                source,
            })
        })
    }
}
