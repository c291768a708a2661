//! `kube-codegen markers`.

use clap::Args;

use super::{Failure, style};

/// List every marker: syntax, target, meaning, default.
#[derive(Debug, Args)]
pub(super) struct Markers {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Markers {
    pub(super) fn run(self) -> Result<(), Failure> {
        style::print(if self.json { "[]\n" } else { "" });
        Ok(())
    }
}
