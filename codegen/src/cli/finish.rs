//! The last step of every generating command: write, check or list, and report the result.

use std::mem;

use crate::{
    Config, Diagnostics, Mode,
    config::{Prepared, Report, check_modules, lock_all, prepare_all, shown},
    output::{self, Change, ChangeKind, Locked, Plan},
};

use super::{
    Failure, interrupt,
    progress::Bar,
    style::{self, Color, count},
};

/// The arguments that are not part of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish {
    pub(super) mode: Mode,
    pub(super) color: Color,
}

impl Finish {
    /// The last step of a command that edits an operator, which has no `--check`.
    pub(super) const fn of_edits(dry_run: bool, color: Color) -> Self {
        let mode = if dry_run { Mode::DryRun } else { Mode::Write };
        Self { mode, color }
    }

    /// Prints the closing message of a command, if it wrote anything.
    pub(super) fn close_with(self, message: &str) -> Result<(), Failure> {
        match self.mode {
            Mode::Write => style::print(message),
            Mode::Check | Mode::DryRun => Ok(()),
        }
    }

    /// Generates all configurations before anything is written.
    pub(super) fn run(self, configs: &[Config]) -> Result<(), Failure> {
        let _locked = self.lock(configs)?;
        let prepared = prepare(configs)?;
        let concluded = self.conclude(configs, &prepared, Vec::new());
        // The process exits next, which is faster than freeing every allocation.
        mem::forget(prepared);
        concluded
    }

    /// Locks what the run writes to, until the result is dropped: before anything is prepared, so
    /// that no other run changes it.
    pub(super) fn lock(self, configs: &[Config]) -> Result<Option<Locked>, Failure> {
        let writes = self.mode == Mode::Write;
        Ok(writes.then(|| lock_all(configs)).transpose()?)
    }

    /// Writes, checks or lists the prepared changes and the plans in `more`.
    pub(super) fn conclude(
        self,
        configs: &[Config],
        prepared: &[Prepared],
        more: Vec<Plan>,
    ) -> Result<(), Failure> {
        for prepared in prepared {
            style::warn(&prepared.warnings, self.color);
        }
        check_modules(prepared)?;
        let plans = prepared.iter().flat_map(Prepared::plans);
        let plans: Vec<&Plan> = more.iter().chain(plans).collect();
        self.execute(&plans)?;
        self.close(configs, prepared)?;
        let mut skipped = Diagnostics::new();
        for prepared in prepared {
            skipped.extend(prepared.skipped.clone());
        }
        skipping(skipped)
    }

    /// Writes, checks or lists the changes.
    pub(super) fn execute(self, plans: &[&Plan]) -> Result<(), Failure> {
        match self.mode {
            Mode::Write => {
                interrupt::watch();
                output::apply(plans.iter().copied())?;
                Ok(())
            }
            Mode::Check => check(plans, self.color),
            Mode::DryRun => list(plans),
        }
    }

    /// Prints the closing lines: figures for each crate if there are several, their sum, and the
    /// remaining steps for the user.
    fn close(self, configs: &[Config], prepared: &[Prepared]) -> Result<(), Failure> {
        let mut total = Report::default();
        for (config, prepared) in configs.iter().zip(prepared) {
            let report = prepared.report();
            total.groups += report.groups;
            total.kinds += report.kinds;
            total.files += report.files;
            total.written += report.written;
            total.removed += report.removed;
            if configs.len() > 1 {
                let out = format!("  in {}", config.shown_out());
                style::print(&format!("{}\n", figures(&report, &out, self.mode)))?;
            }
        }
        let done = match self.mode {
            Mode::Write => "Generated",
            Mode::Check => "Checked",
            Mode::DryRun => "Would generate",
        };
        let to = match configs {
            [config] => format!("{done} in {}", config.shown_out()),
            _ => format!("{done} in {}", count(configs.len(), "crate")),
        };
        for advice in prepared.iter().flat_map(|prepared| &prepared.advice) {
            style::eprint(&style::note(advice, self.color));
        }
        style::print(&format!("{}\n", figures(&total, &to, self.mode)))
    }
}

/// The failure of a run that skipped CRDs.
pub(super) fn skipping(skipped: Diagnostics) -> Result<(), Failure> {
    if skipped.as_slice().is_empty() {
        return Ok(());
    }
    Err(crate::config::Error::Input(skipped).into())
}

/// `Generated in src: 1 group, 2 kinds, 20 files; 3 written, 17 unchanged`.
fn figures(report: &Report, what: &str, mode: Mode) -> String {
    let (written, removed) = if mode == Mode::DryRun {
        ("to write", "to remove")
    } else {
        ("written", "removed")
    };
    let mut text = format!(
        "{what}: {}, {}, {}",
        count(report.groups, "group"),
        count(report.kinds, "kind"),
        count(report.files, "file")
    );
    if mode == Mode::Check {
        return text + "; up to date";
    }
    text += &format!("; {} {written}", report.written);
    text += &format!(", {} unchanged", report.files - report.written);
    if report.removed > 0 {
        text += &format!(", {} {removed}", report.removed);
    }
    text
}

/// Loads, generates and compares all configurations.
pub(super) fn prepare(configs: &[Config]) -> Result<Vec<Prepared>, Failure> {
    Ok(prepare_all(configs, &Bar::default())?)
}

fn changes<'a>(plans: &'a [&'a Plan]) -> impl Iterator<Item = (String, &'a Change)> {
    plans.iter().flat_map(|plan| {
        let shown = |change: &Change| shown(&plan.root().join(&change.path));
        plan.changes()
            .iter()
            .map(move |change| (shown(change), change))
    })
}

/// Lists what a run would do.
fn list(plans: &[&Plan]) -> Result<(), Failure> {
    for (path, change) in changes(plans) {
        let verb = match change.kind {
            ChangeKind::Create { .. } => "create",
            ChangeKind::Update { .. } => "update",
            ChangeKind::Remove | ChangeKind::Leftover => "remove",
        };
        style::print(&format!("{verb} {path}\n"))?;
    }
    Ok(())
}

/// Prints every difference; fails if there is any.
fn check(plans: &[&Plan], color: Color) -> Result<(), Failure> {
    let (mut different, mut missing, mut orphaned, mut left) = (0, 0, 0, 0);
    for (path, change) in changes(plans) {
        match change.kind {
            ChangeKind::Create { .. } => missing += 1,
            ChangeKind::Update { .. } => different += 1,
            ChangeKind::Remove => orphaned += 1,
            ChangeKind::Leftover => left += 1,
        }
        style::print(&style::diff(&change.describe(&path), color))?;
    }
    let found: Vec<String> = [
        (different, "different"),
        (missing, "missing"),
        (orphaned, "orphaned"),
        (left, "left by an interrupted run"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::Stale(format!(
        "generated files are not up to date: {}; to update them, run\n    {}",
        found.join(", "),
        mending_command()
    )))
}

/// This run's command line without `--check`.
fn mending_command() -> String {
    let arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--check");
    std::iter::once("kube-codegen".to_owned())
        .chain(arguments.map(|argument| quoted(&argument)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Quotes an argument for a shell.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}
