//! `kube-codegen create policy`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    Compat,
    config::{Error, shown},
    emit::manifests::crds,
    operator::{Subject, names, policy, policy_edit, update::Step},
};

use super::{
    Failure,
    finish::Finish,
    kind::KindArgs,
    operator::{Project, refused},
    style::{self, Color},
};

/// Write the CEL rules of a kind as a ValidatingAdmissionPolicy with its binding.
///
/// Where a webhook would only check what `+kubebuilder:validation:XValidation` says, a policy does
/// so in the API server, and its binding decides for which namespaces, and whether objects are
/// refused or only warned of. The file in config/policies is yours; delete it to write it again.
#[derive(Debug, Args)]
pub(super) struct CreatePolicy {
    #[command(flatten)]
    kind: KindArgs,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl CreatePolicy {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let group = self.kind.checked_group(&project)?;
        let resource = self.kind.resource(&project, &group).map_err(refused)?;
        let manifests = project.configs.first();
        let manifests = manifests.and_then(|config| config.options.manifests.clone());
        let crds = crds(
            &project.api,
            &manifests.unwrap_or_default(),
            Compat::default(),
        );
        let mut crds = crds.map_err(Error::Input)?.into_iter();
        let crd = crds.find(|(of, plural, _)| (of, plural) == (&group, &resource.plural));
        let versions = crd.and_then(|(.., crd)| crd["spec"]["versions"].as_array().cloned());
        let version = versions
            .into_iter()
            .flatten()
            .find(|it| it["name"] == *self.kind.version)
            .unwrap_or_default();
        let subject = Subject {
            group: &group,
            version: &self.kind.version,
            plural: &resource.plural,
            status: resource.status_subresource,
        };
        let written = policy(subject, &version["schema"]["openAPIV3Schema"]);
        let kind = resource.kind.clone();
        if written.text.is_empty() {
            let mut message = format!(
                "{kind} has no rule that a policy can say: write one as `+kubebuilder:validation:XValidation`"
            );
            for rule in &written.left_out {
                message.push_str(&format!("\n{rule}"));
            }
            return Err(refused(message));
        }
        let module = names::module_of(&kind);
        let path = PathBuf::from(format!("config/policies/{module}.yaml"));
        let mut files = project.files();
        if files.text(&path)?.is_some() {
            return Err(refused(project.taken(&path)));
        }
        files.write(path.clone(), written.text);
        files.add(&policy_edit(&module))?;
        files.record(Step::Policy { module });
        let at = shown(&files.root().join(path));
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        for rule in written.left_out {
            let note = format!("not in the policy, only in the schema: {rule}");
            style::eprint(&style::note(&note, color));
        }
        finish.close_with(&format!(
            "Created the policy of {kind} in {at}. Next: choose in its binding whom it applies to; \
             `validationActions: [Warn, Audit]` refuses nothing.\n"
        ))
    }
}
