//! What can go wrong between a configuration and its files.

use std::{io, path::PathBuf};

use crate::{diag::Diagnostics, write};

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration itself is wrong: `codegen.toml`, or what a caller asked for.
    #[error("{0}")]
    Config(Diagnostics),
    /// The input is wrong.
    #[error("{0}")]
    Input(Diagnostics),
    /// An input or the configuration cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Output cannot be planned or written.
    #[error(transparent)]
    Write(#[from] write::Error),
    /// A build script runs without `OUT_DIR` and names no other folder.
    #[error("no output folder: OUT_DIR is not set, and out_dir() was not called")]
    NoOutput,
}
