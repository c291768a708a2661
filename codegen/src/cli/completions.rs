//! `kube-codegen completions`.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Color, Failure, style};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "kube-codegen", &mut script);
        style::print(&String::from_utf8_lossy(&script))
    }
}
