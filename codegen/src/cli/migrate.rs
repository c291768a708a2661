//! `kube-codegen migrate`.

use std::collections::BTreeSet;

use crate::operator::{migration_edits, update::Step};
use clap::Args;

use super::{
    Failure,
    finish::Finish,
    operator::{Project, refused},
    style::Color,
};

/// Let an operator rewrite stored objects of its kinds in their storage version.
///
/// Adds to the program of an operator, for each kind that has several versions, the migration of
/// its stored objects, and to its role what that needs. The leader then rewrites them after each
/// change of the storage version, and takes the old versions off the CRD's status.storedVersions,
/// after which `kube-codegen delete api` can remove them.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl Migrate {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let kinds = in_several_versions(&project);
        if kinds.is_empty() {
            return Err(refused(
                "no kind of this operator has several versions: \
                 `kube-codegen create api --from OLD --version NEW` adds one"
                    .to_owned(),
            ));
        }
        let mut files = project.files();
        for (group, plural) in &kinds {
            for edit in &migration_edits(group, plural) {
                files.add(edit)?;
            }
            files.record(Step::Migration {
                group: (*group).to_owned(),
                plural: (*plural).to_owned(),
            });
        }
        let names = kinds
            .iter()
            .map(|(group, plural)| format!("{plural}.{group}"));
        let names = names.collect::<Vec<_>>().join(", ");
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&format!(
            "The operator migrates the stored objects of {names}. Next: deploy it with the role in config/role.yaml.\n"
        ))
    }
}

/// Groups and plurals of the kinds with several versions.
fn in_several_versions(project: &Project) -> BTreeSet<(&str, &str)> {
    let (mut once, mut several) = (BTreeSet::new(), BTreeSet::new());
    for (group, version) in project.api.versions() {
        for resource in &version.resources {
            let kind = (group.name.as_str(), resource.plural.as_str());
            if !once.insert(kind) {
                several.insert(kind);
            }
        }
    }
    several
}
