//! `kube-codegen generate`.

use std::path::PathBuf;

use crate::config::{FILE_NAME, Workspace, reference_text};
use clap::Args;

use super::{Failure, diff, inputs::find, lint, options::ModeArgs, style::Color};

/// Generate everything that a codegen.toml declares.
///
/// The file is searched for in the current folder and its parents. Files that are no longer
/// generated are removed; they are recognized by their marker line.
#[derive(Debug, Args)]
#[command(after_long_help = format!("codegen.toml, key by key:\n\n{}", reference_text()))]
pub(super) struct Generate {
    /// The codegen.toml to use.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Generate {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let missing = format_args!(
            "no {FILE_NAME} in the current folder or above it; name one with --config, write one \
             (`kube-codegen generate --help` lists its keys), or use `kube-codegen groups`, `crd` or `go`"
        );
        let path = find(self.config, missing)?;
        let workspace = Workspace::read(&path)?;
        self.mode.finish(color).run(&workspace.crates)?;
        match self.mode.is_check() {
            true => {
                diff::check(&workspace.crates)?;
                lint::check(&workspace.crates, color)
            }
            false => Ok(()),
        }
    }
}
