//! `kube-codegen delete controller`.

use clap::Args;
use codegen::{
    config::shown,
    operator::{Controlled, Gone},
};

use super::{
    Failure,
    controller::variants,
    finish::{Finish, prepare},
    kind::KindArgs,
    leftovers::{check_unhooked, check_unused},
    operator::{Files, Project, input_error, mode, refused},
    style::{self, Color},
};

/// Remove a controller with its tests; its kind stays.
///
/// The kind is one of Kubernetes or of the operator, as for `create controller`. The command fails if files that `create` wrote
/// were changed, unless --force is set, and if other files still use the controller. Nothing is removed unless everything
/// succeeds, and clusters are not accessed.
#[derive(Debug, Args)]
pub(super) struct DeleteController {
    #[command(flatten)]
    kind: KindArgs,
    /// Remove changed files too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl DeleteController {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read()?;
        let mut files = Files::new(project.root.clone());
        let controlled = self.kind.controlled(&project, &files)?;
        let (kind, version) = (controlled.kind(), controlled.api_version());
        let Some(name) = controlled.controller() else {
            return Err(refused(format!(
                "{kind} of {version} has no controller that `create` wrote"
            )));
        };
        if !self.force {
            check_unchanged(&controlled, &files)?;
        }
        for path in controlled.files().into_keys() {
            files.remove(path);
        }
        let edits = controlled.edits();
        for edit in &edits {
            files.take(edit)?;
        }
        check_unhooked(&edits, &files)?;
        let gone = Gone::controller(name);
        check_unused(&project, &files, &|path, text| gone.references(path, text))?;
        let configs = files.planned(project.configs);
        let prepared = prepare(&configs)?;
        let finish = Finish {
            mode: mode(self.dry_run),
            color,
        };
        for line in &files.left {
            style::eprint(&style::note(line, color));
        }
        finish.conclude(&configs, &prepared, vec![files.plan()?])?;
        if self.dry_run {
            return Ok(());
        }
        style::print(&format!(
            "Deleted the controller of {kind} in {version}. Clusters keep its permissions until the new roles are applied.\n"
        ))
    }
}

/// Checks that all files are as `create` writes them.
fn check_unchanged(controlled: &Controlled, files: &Files) -> Result<(), Failure> {
    let variants = variants(controlled, files);
    let mut changed = Vec::new();
    for path in controlled.files().into_keys() {
        let Some(text) = files.text(&path)? else {
            continue;
        };
        let mut variants = variants.iter();
        if !variants.any(|files| files.get(&path) == Some(&text)) {
            changed.push(shown(&files.root().join(path)));
        }
    }
    input_error(changed.into_iter().map(|path| {
        format!("{path} differs from what `create` writes: save what you need of it, and remove it with --force")
    }))
}
