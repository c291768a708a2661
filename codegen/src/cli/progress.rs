//! Progress on a terminal.

use std::{
    io::{self, IsTerminal as _},
    sync::OnceLock,
};

use crate::config::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// The minimum number of steps for a bar: fewer are done before it could be read.
const WORTH_SHOWING: usize = 64;

/// A progress bar on stderr, only shown on a terminal and for many steps.
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
