//! A controller named on the command line by its kind, and its files in the operator.

use crate::{
    operator::{
        Api, Builtin, Controlled, builtin_fault, builtin_hint, builtin_kind, controller_path,
        is_builtin_group,
        update::{NewBuiltin, NewController, Step},
    },
    output::Tree,
};

use super::{
    Failure,
    kind::{self, KindArgs, is_controller, sample_of},
    operator::{Files, Project, refused},
    search::uses_support,
};

/// The optional prefix of Kubernetes' groups.
const PREFIX: &str = "k8s:";

impl KindArgs {
    /// The kind with its controller, if it has one: the one with the name, or the one that `create`
    /// adds without a name. Groups of Kubernetes may have the prefix `k8s:`, and need it if the
    /// operator has a kind of the same name.
    pub(super) fn controlled(
        &self,
        project: &Project,
        files: &Files,
        name: Option<&str>,
    ) -> Result<Controlled, Failure> {
        let Self { version, kind, .. } = self;
        if let Some(builtin) = self.builtin(project)? {
            return existing(builtin, project, files, name).map(Controlled::Builtin);
        }
        let group = self.checked_group(project)?;
        let resource = self.resource(project, &group);
        let resource = resource.map_err(|message| match builtin_hint(kind) {
            Some(help) => refused(format!("{message}; {help}")),
            None => refused(message),
        })?;
        let mut api = kind::existing(project, &group, version, resource, files)?;
        if let Some(name) = name {
            let is_there = is_controller(&api, name, files)?;
            api.controller = is_there.then(|| name.to_owned());
        }
        Ok(Controlled::Own(api))
    }

    /// The kind of Kubernetes with the name, without a controller; `None` if the name is that of a
    /// kind of the operator.
    pub(super) fn builtin(&self, project: &Project) -> Result<Option<Builtin>, Failure> {
        let Self { version, kind, .. } = self;
        let prefixed = self.group.strip_prefix(PREFIX);
        let group = prefixed.unwrap_or(&self.group);
        let own = project.operator.group(group).unwrap_or_default();
        if let Some(found) = builtin_kind(group, version, kind) {
            let mut versions = project.versions_of(&own, kind);
            if prefixed.is_none() && versions.any(|(it, _)| it.name == *version) {
                return Err(refused(format!(
                    "Kubernetes and the operator both have a {kind} of {group}/{version}: write --group {PREFIX}{group} for that of Kubernetes, --group {own} for that of the operator"
                )));
            }
            return Ok(Some(Builtin {
                operator: project.operator.clone(),
                kind: found,
                controller: None,
                brings_support: false,
            }));
        }
        let is_own = project.group(&own).is_some();
        if prefixed.is_some() || is_builtin_group(group) && !is_own {
            return Err(refused(builtin_fault(group, version, kind)));
        }
        Ok(None)
    }
}

/// A kind of Kubernetes with the controller that it actually has.
fn existing(
    mut builtin: Builtin,
    project: &Project,
    files: &Files,
    name: Option<&str>,
) -> Result<Builtin, Failure> {
    let names = match name {
        Some(name) => vec![name.to_owned()],
        None => Controlled::Builtin(builtin.clone()).names().to_vec(),
    };
    for name in names {
        let source = files.text(&controller_path(&name))?.unwrap_or_default();
        if builtin.is_in(&source) {
            builtin.controller = Some(name);
            break;
        }
    }
    let used = uses_support(project, builtin.controller.as_deref(), files)?;
    builtin.brings_support = project.kinds() == 0 && !used;
    Ok(builtin)
}

/// The files of a controller as `create` writes them.
pub(super) fn texts(controlled: &Controlled, files: &Files) -> Result<Tree, Failure> {
    let written = controlled.files();
    let Controlled::Own(api) = controlled else {
        return Ok(written);
    };
    // The user may have renamed the sample.
    let (sample, namespace) = sample_of(api, files)?;
    Ok(controlled.started_with(&sample, &namespace))
}

/// What the record says of a new controller.
pub(super) fn step(controlled: &Controlled, files: &Files) -> Result<Step, Failure> {
    Ok(match controlled {
        Controlled::Own(api) => {
            let (object, namespace) = sample_of(api, files)?;
            Step::Controller(NewController {
                api: api.clone(),
                object,
                namespace,
            })
        }
        Controlled::Builtin(builtin) => Step::Builtin(NewBuiltin {
            group: builtin.kind.group.to_owned(),
            version: builtin.kind.version.to_owned(),
            kind: builtin.kind.kind.to_owned(),
            controller: builtin.controller.clone().unwrap_or_default(),
        }),
    })
}

/// Every text of a controller's files that counts as unchanged.
pub(super) fn variants(controlled: &Controlled, files: &Files) -> Vec<Tree> {
    let Controlled::Own(api) = controlled else {
        return vec![controlled.files()];
    };
    // Whether the spec had the example field at creation time is not recorded, nor is the name of
    // the sample.
    let with = |has_example| {
        let api = Api {
            has_example,
            ..api.clone()
        };
        Controlled::Own(api)
    };
    let each = [true, false].map(with);
    let each = each.iter();
    each.flat_map(|it| [Some(it.files()), texts(it, files).ok()])
        .flatten()
        .collect()
}
