//! Progress on a terminal.

use std::{
    io::{self, IsTerminal as _},
    sync::OnceLock,
};

use codegen::config::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// From how many steps on a bar is worth drawing: fewer are done before it could be read.
const WORTH_SHOWING: usize = 64;

/// A progress bar on stderr: only on a terminal, only where there is much to do.
#[derive(Default)]
pub(super) struct Bar {
    bar: OnceLock<ProgressBar>,
}

impl Progress for Bar {
    fn start(&self, stage: &'static str, steps: usize) {
        if steps < WORTH_SHOWING || !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_init(|| ProgressBar::new(0));
        if let Ok(style) = ProgressStyle::with_template("{msg:>10} [{bar:32}] {pos}/{len}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(stage);
        bar.set_length(steps as u64);
        bar.set_position(0);
    }

    fn step(&self) {
        if let Some(bar) = self.bar.get() {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
