//! `kube-codegen update`.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Args;

use crate::{
    config::shown,
    operator::update::{Outcome, Written, outcomes, release},
};

use super::{
    Failure,
    finish::Finish,
    operator::{Files, Project, input_error, refused},
    style::{Color, count},
};

/// The end of the name of a file with a conflict.
const CONFLICT: &str = ".conflict";

/// Bring what was written to an operator up to this release, by a three-way merge.
///
/// .kube-codegen.json records what `init` and `create` wrote. What this release writes differently
/// is merged into your files, offline. Where you and this release change the same lines, or where
/// the merge would not be valid Rust, TOML or YAML, your file stays, and the merge with conflict
/// markers is in a file next to it that ends in .conflict. Afterwards everything is generated, and
/// `cargo check` says what does not compile.
#[derive(Debug, Args)]
pub(super) struct Update {
    /// Do not run `cargo check` at the end.
    #[arg(long)]
    no_check: bool,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl Update {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        check_resolved(&files)?;
        let Some(written) = &mut files.written else {
            return Err(refused(format!(
                "{} does not exist, which records what was written: the operator was started by a release without `update`; \
                 start a new one with `init` and `create` in another folder, copy your changes, and keep its record",
                shown(&project.root.join(Written::PATH))
            )));
        };
        check_release(written.release())?;
        let found = outcomes(written, |path| project.files().text(path))?;
        written.update();
        let conflicts = plan(found, &mut files);
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        if self.dry_run {
            return Ok(());
        }
        if !self.no_check {
            check_compiles(&project.root)?;
        }
        let next = match conflicts {
            0 => "Next: `cargo test`.".to_owned(),
            number => format!(
                "Next: decide {}, remove the {CONFLICT} files, then `cargo test`.",
                count(number, "conflict")
            ),
        };
        finish.close_with(&format!("Updated to {}. {next}\n", release()))
    }
}

/// Plans the outcomes. Returns the number of conflicts.
fn plan(found: BTreeMap<PathBuf, Outcome>, files: &mut Files) -> usize {
    let mut conflicts = 0;
    for (path, outcome) in found {
        let at = shown(&files.root().join(&path));
        let note = match outcome {
            Outcome::Write(text) => {
                files.write(path, text);
                continue;
            }
            Outcome::Conflict(text) => {
                conflicts += 1;
                files.write(conflict_of(&path), text);
                format!(
                    "{at} stays as it is, since you and this release change the same lines: {at}{CONFLICT} has both"
                )
            }
            Outcome::Removed => {
                format!("{at} was removed, and is not written again")
            }
            Outcome::Taken => format!("{at} is yours, and not the file that this release writes"),
            Outcome::Abandoned => {
                format!(
                    "{at} is no longer written by this release, and stays: remove it if nothing needs it"
                )
            }
        };
        files.left.push(note);
    }
    conflicts
}

/// Checks that a release is not newer than this one.
fn check_release(other: &str) -> Result<(), Failure> {
    let parts = |version: &str| -> Vec<u64> {
        let numbers = version.split(['.', '-', '+']).take(3);
        numbers
            .map(|part| part.parse().unwrap_or_default())
            .collect()
    };
    let is_newer = parts(other) > parts(release());
    input_error(is_newer.then(|| {
        format!(
            "{} was written by kube-codegen {other}, and this is {}: use that release or a newer one",
            Written::PATH,
            release()
        )
    }))
}

/// Checks that no conflict of an earlier update is left.
fn check_resolved(files: &Files) -> Result<(), Failure> {
    let mut left = Vec::new();
    for path in files.written.iter().flat_map(|it| it.texts().keys()) {
        let path = conflict_of(path);
        if files.text(&path)?.is_some() {
            left.push(format!(
                "{} is left from an earlier update: take over what you need of it, and remove it",
                shown(&files.root().join(path))
            ));
        }
    }
    input_error(left)
}

/// The file for a conflict in a file.
fn conflict_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(CONFLICT);
    name.into()
}

/// Checks that everything compiles; cargo says what does not.
fn check_compiles(root: &Path) -> Result<(), Failure> {
    let here = root.as_os_str().is_empty();
    let root = if here { Path::new(".") } else { root };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["check", "--quiet", "--all-targets"])
        .current_dir(root)
        .status();
    let status = status.map_err(|error| {
        refused(format!(
            "everything was updated, but cargo cannot be run to check it: {error}"
        ))
    })?;
    match status.success() {
        true => Ok(()),
        false => Err(refused(
            "everything was updated, and the operator does not compile: see the errors above"
                .to_owned(),
        )),
    }
}
