//! `kube-codegen man`.

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man as Page;

use super::{Cli, Color, Failure, interrupt};
use crate::output::{Plan, apply};

/// Write man pages, one a command, as the archives of releases have them.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder of the pages.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let mut pages = BTreeMap::new();
        add(&command, &mut pages).map_err(Failure::Output)?;
        let plan = Plan::of_edits(&self.folder, pages)?;
        interrupt::watch();
        apply([&plan])?;
        Ok(())
    }
}

/// Adds the pages of a command and of those below it, by their file names.
fn add(
    command: &Command,
    pages: &mut BTreeMap<PathBuf, Option<String>>,
) -> Result<(), std::io::Error> {
    let page = Page::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    pages.insert(page.get_filename().into(), Some(text));
    let mut shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown.try_for_each(|below| add(below, pages))
}
