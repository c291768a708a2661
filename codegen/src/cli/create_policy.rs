//! `kube-codegen create policy`.

use clap::Args;
use serde_json::Value;

use crate::{
    Compat,
    config::{Error, shown},
    emit::manifests::crds,
    model::Resource,
    operator::{Api, Policy, Subject, names, policy, policy_edits, policy_path, update::Step},
};

use super::{
    Failure,
    finish::Finish,
    kind::KindArgs,
    leftovers::changed,
    operator::{Files, Project, refused},
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
        let written = written(&project, &group, &self.kind.version, resource)?;
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
        let path = policy_path(&module);
        let mut files = project.files();
        if files.text(&path)?.is_some() {
            return Err(refused(project.taken(&path)));
        }
        files.write(path.clone(), written.text);
        for edit in policy_edits(&module) {
            files.add(&edit)?;
        }
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

/// The policy of a kind in a version.
fn written(
    project: &Project,
    group: &str,
    version: &str,
    resource: &Resource,
) -> Result<Policy, Failure> {
    let manifests = project.configs.first();
    let manifests = manifests.and_then(|config| config.options.manifests.clone());
    let crds = crds(
        &project.api,
        &manifests.unwrap_or_default(),
        Compat::default(),
    );
    let mut crds = crds.map_err(Error::Input)?.into_iter();
    let crd = crds.find(|(of, plural, _)| of == group && *plural == resource.plural);
    let versions = crd.and_then(|(.., crd)| crd["spec"]["versions"].as_array().cloned());
    let schema = versions
        .into_iter()
        .flatten()
        .find(|it| it["name"] == *version)
        .unwrap_or_default();
    let subject = Subject {
        group,
        version,
        plural: &resource.plural,
        status: resource.status_subresource,
    };
    Ok(policy(subject, &schema["schema"]["openAPIV3Schema"]))
}

/// Removes the policy of a version of a kind, if it has one. Returns the error that the file was
/// changed.
pub(super) fn take_policy(
    project: &Project,
    api: &Api,
    resource: &Resource,
    files: &mut Files,
) -> Result<Option<String>, Failure> {
    let path = policy_path(&api.module);
    let Some(text) = files.text(&path)?.filter(|text| is_of(text, api)) else {
        return Ok(None);
    };
    let is_changed = written(project, &api.group, &api.version, resource)?.text != text;
    for edit in policy_edits(&api.module) {
        files.take(&edit)?;
    }
    let fault = is_changed.then(|| changed(&path, files, "create policy"));
    files.remove(path);
    Ok(fault)
}

/// Whether a policy is about the kind in its version.
fn is_of(policy: &str, api: &Api) -> bool {
    let documents = serde_saphyr::from_multiple::<Value>(policy).unwrap_or_default();
    let rules = documents.iter().flat_map(|document| {
        let rules = document.pointer("/spec/matchConstraints/resourceRules");
        rules.and_then(Value::as_array).into_iter().flatten()
    });
    let has = |list: &Value, wanted: &str| {
        let list = list.as_array();
        list.is_some_and(|list| list.iter().any(|it| it == wanted))
    };
    let mut rules = rules;
    rules.any(|rule| {
        has(&rule["apiGroups"], &api.group)
            && has(&rule["apiVersions"], &api.version)
            && has(&rule["resources"], &api.plural)
    })
}
