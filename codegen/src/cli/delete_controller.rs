//! `kube-codegen delete controller`.

use crate::operator::Gone;
use clap::Args;

use super::{
    Failure,
    controller::variants,
    create_controller::controller_name,
    finish::Finish,
    kind::KindArgs,
    leftovers::{check_unchanged, check_unhooked, check_unused},
    operator::{Project, refused},
    style::Color,
};

/// Remove a controller with its tests; its kind stays.
///
/// The kind is one of Kubernetes or of the operator, as for `create controller`. The command fails
/// if files that `create` wrote were changed, unless --force is set, and if other files still use
/// the controller. Nothing is removed unless everything succeeds, and clusters are not accessed.
#[derive(Debug, Args)]
pub(super) struct DeleteController {
    #[command(flatten)]
    kind: KindArgs,
    /// The name that `create controller` got.
    #[arg(long, value_parser = controller_name)]
    name: Option<String>,
    /// Remove changed files too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl DeleteController {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let controlled = self
            .kind
            .controlled(&project, &files, self.name.as_deref())?;
        let (kind, version) = (controlled.kind(), controlled.api_version());
        let Some(name) = controlled.controller() else {
            let named = self.name.map(|name| format!(" with the name {name}"));
            return Err(refused(format!(
                "{kind} of {version} has no controller{} that `create` wrote",
                named.unwrap_or_default()
            )));
        };
        if !self.force {
            let paths = controlled.files().into_keys();
            check_unchanged(paths, &variants(&controlled, &files), &files, "create")?;
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
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&format!(
            "Deleted the controller of {kind} in {version}. Clusters keep its permissions until the new roles are applied.\n"
        ))
    }
}
