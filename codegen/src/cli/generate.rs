//! `kube-codegen generate`.

use std::path::{Path, PathBuf};

use crate::config::{FILE_NAME, Workspace, reference_text};
use clap::Args;

use super::{Failure, diff, lint, options::ModeArgs, style::Color};

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
        let path = self.config.or_else(find).ok_or_else(|| {
            Failure::Usage(format!(
                "no {FILE_NAME} in the current folder or above it; name one with --config, write one \
                 (`kube-codegen generate --help` lists its keys), or use `kube-codegen groups`, `crd` or `go`"
            ))
        })?;
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

/// The nearest `codegen.toml`, relative to the current folder.
pub(super) fn find() -> Option<PathBuf> {
    let current = std::env::current_dir().ok()?;
    let path = Workspace::find(&current)?;
    let seen = crate::config::shown(&path);
    Some(Path::new(&seen).to_owned())
}
