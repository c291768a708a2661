//! `kube-codegen builtin-types`, only used by `hack/builtin-types.sh`.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::{Args, ValueEnum};

use super::{Color, Failure};

/// Pack the table of Kubernetes' own types from their Go sources, and print one of its files.
#[derive(Debug, Args)]
pub(super) struct BuiltinTypes {
    /// The file to print.
    #[arg(long)]
    file: File,
    /// Package patterns, as for `go`.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// A folder of the Go module whose go.mod selects the versions.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

/// A file of the table.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum File {
    Types,
    Docs,
}

impl BuiltinTypes {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let files = crate::builtin_table::make(&self.packages, &self.dir)?;
        let packed = match self.file {
            File::Types => &files.types,
            File::Docs => &files.docs,
        };
        io::stdout()
            .lock()
            .write_all(packed)
            .map_err(Failure::Output)
    }
}
