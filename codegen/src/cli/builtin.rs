//! `kube-codegen builtin-types`, for `hack/builtin-types.sh` alone.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::Args;

use super::Failure;

/// Pack the table of Kubernetes' own types from their Go sources, and print it.
#[derive(Debug, Args)]
pub(super) struct BuiltinTypes {
    /// Packages, as for `go`.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// A folder of the Go module whose go.mod names the versions.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

impl BuiltinTypes {
    pub(super) fn run(self) -> Result<(), Failure> {
        let packed = codegen::builtin::make(&self.packages, &self.dir)?;
        io::stdout()
            .lock()
            .write_all(&packed)
            .map_err(Failure::Output)
    }
}
