//! `kube-codegen crd`.

use std::path::PathBuf;

use crate::{Config, options::define::CRD};
use clap::Args;

use super::{
    Failure,
    finish::skipping,
    flags::Flags,
    options::{CodeArgs, CrdArgs, ModeArgs, TypeArgs},
    progress::Bar,
    style::{self, Color},
};

/// Generate types, clients, listers and informers from CRD YAML.
///
/// With --output, types are written to `apis/` and all other code to `generated/` in that folder.
/// Both belong to this command: generated files that a run does not write again are removed.
/// Without --output, everything is printed to standard output.
#[derive(Debug, Args)]
pub(super) struct Crd {
    #[command(flatten)]
    input: CrdArgs,
    #[command(flatten)]
    types: TypeArgs,
    #[command(flatten)]
    options: Flags<CRD>,
    #[command(flatten)]
    code: CodeArgs,
    #[command(flatten)]
    output: Output,
}

/// Where to write the output: a folder, or standard output.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// The folder to write to, such as src.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print the files, each after a comment with its name (the default without --output).
    #[arg(long, conflicts_with_all = ["output", "check", "dry_run"])]
    stdout: bool,
    /// The module path of the output folder [default: its position in the crate's src, else crate].
    #[arg(long, value_name = "PATH", value_parser = crate::options::base_path)]
    base_path: Option<String>,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Crd {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let config = self.input.apply(Config::new());
        let config = self.types.apply(self.options.apply(config));
        let config = self.code.apply(config);
        self.output.run(config, color)
    }
}

impl Output {
    /// Generates and writes, compares, or prints.
    pub(super) fn run(self, mut config: Config, color: Color) -> Result<(), Failure> {
        if let Some(path) = self.base_path {
            config = config.base_path(path);
        }
        let finish = self.mode.finish(color);
        match self.output {
            Some(output) => finish.run(&[config.out_dir(output)]),
            None if finish.mode != crate::Mode::Write => Err(Failure::Usage(
                "--check and --dry-run compare with a folder: name it with --output".to_owned(),
            )),
            None => print(&config, color),
        }
    }
}

fn print(config: &Config, color: Color) -> Result<(), Failure> {
    let generated = config.generated(&Bar::default())?;
    style::warn(&generated.warnings, color);
    for (index, (path, text)) in generated.files.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        style::print(&format!("{gap}// ==> {} <==\n\n{text}", path.display()))?;
    }
    skipping(generated.skipped)
}
