//! Errors between a configuration and its files.

use std::{fmt, io, path::PathBuf};

use crate::{
    diag::{Diagnostic, Diagnostics, Style},
    output,
};

/// Why nothing was generated.
///
/// `Debug` formats the same text as `Display`, including snippets of the input, since Cargo prints
/// the `Debug` form when the `main` of a build script returns the error.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration itself is wrong: `codegen.toml`, or what a caller asked for.
    #[error("{}", .0.render(Style::Plain).trim_end())]
    Config(Diagnostics),
    /// The input is wrong.
    #[error("{}", .0.render(Style::Plain).trim_end())]
    Input(Diagnostics),
    /// An input or the configuration file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path that cannot be read.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// Output cannot be planned or written.
    #[error(transparent)]
    Write(#[from] output::Error),
    /// A build script runs without `OUT_DIR` and sets no other output folder.
    #[error("no output folder: OUT_DIR is not set, and out_dir() was not called")]
    NoOutput,
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// Merges the errors of a run's parts into one: configuration errors if there are any, else
    /// input errors. `None` if there are no errors.
    pub(super) fn all(errors: Vec<Self>) -> Option<Self> {
        if errors.len() < 2 {
            return errors.into_iter().next();
        }
        let mut diagnostics = Diagnostics::new();
        let mut is_input = true;
        for error in errors {
            is_input &= matches!(error, Self::Input(_));
            diagnostics.extend(error.diagnostics());
        }
        diagnostics.sort();
        Some(if is_input {
            Self::Input(diagnostics)
        } else {
            Self::Config(diagnostics)
        })
    }

    /// The findings; an error that has none is one itself.
    pub(crate) fn diagnostics(&self) -> Diagnostics {
        match self {
            Self::Config(found) | Self::Input(found) => found.clone(),
            other => Diagnostic::error(other.to_string()).into(),
        }
    }
}
