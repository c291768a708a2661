//! The webhooks of a kind named on the command line, as they are in the operator.

use std::path::Path;

use crate::{
    config::{FILE_NAME, shown},
    operator::{Api, Certificates, Handler, Webhooks, imports_of, is_builtin_group, names},
};

use super::{
    Failure,
    kind::{KindArgs, sample_of},
    operator::{Files, Project, input_error, refused},
};

impl KindArgs {
    /// The existing or future webhooks of the kind, which may be one of Kubernetes, without
    /// handlers.
    pub(super) fn hooked(&self, project: &Project, files: &Files) -> Result<Webhooks, Failure> {
        if let Some(builtin) = self.builtin(project)? {
            return webhooks_of(project, builtin.api(), Some(builtin.import()), files);
        }
        if let Some(found) = self.hooked_elsewhere(project, files)? {
            return Ok(found);
        }
        let (api, _) = self.existing(project, files)?;
        existing(project, api, files)
    }

    /// The existing or future webhooks of a kind of another project, whose type has the path,
    /// without handlers.
    pub(super) fn of_other_project(
        &self,
        project: &Project,
        (path, plural): (&str, &str),
        files: &Files,
    ) -> Result<Webhooks, Failure> {
        let Self { version, kind, .. } = self;
        let group = self.checked_group(project)?;
        if project.group(&group).is_some() || is_builtin_group(&self.group) {
            return Err(refused(format!(
                "--type: {} is no group of another project: leave --type and --plural out",
                self.group
            )));
        }
        if group != self.group {
            return Err(refused(format!(
                "--type: write the group `{}` in full, as in the kind's apiVersion",
                self.group
            )));
        }
        let name = path.rsplit_once("::").map(|(_, name)| name);
        let fault = (name != Some(kind)).then(|| {
            format!(
                "--type: `{path}` is not the path of a type {kind} in a dependency: write it like `a_crate::v1::{kind}`"
            )
        });
        input_error(fault.into_iter().chain(names::plural_fault(plural)))?;
        let api = Api {
            plural: plural.to_owned(),
            ..Api::elsewhere(&project.operator, &group, version, kind)
        };
        webhooks_of(project, api, Some(path.to_owned()), files)
    }

    /// The webhooks that exist for a kind of another project, whose type and plural only they tell.
    fn hooked_elsewhere(
        &self,
        project: &Project,
        files: &Files,
    ) -> Result<Option<Webhooks>, Failure> {
        let group = project.operator.group(&self.group).unwrap_or_default();
        if project.group(&group).is_some() {
            return Ok(None);
        }
        let api = Api::elsewhere(&project.operator, &group, &self.version, &self.kind);
        let mut webhooks = webhooks_of(project, api, None, files)?;
        let source = files.text(&webhooks.path())?.unwrap_or_default();
        let declared = webhooks.declared_resource(&project.api);
        let Some((plural, import)) = declared.zip(imports_of(&source, &self.kind).pop()) else {
            return Ok(None);
        };
        webhooks.api.plural = plural;
        webhooks.elsewhere = Some(import.join("::"));
        Ok(Some(webhooks))
    }
}

/// The existing or future webhooks of a kind of the operator, without handlers.
pub(super) fn existing(project: &Project, api: Api, files: &Files) -> Result<Webhooks, Failure> {
    webhooks_of(project, api, None, files)
}

fn webhooks_of(
    project: &Project,
    api: Api,
    elsewhere: Option<String>,
    files: &Files,
) -> Result<Webhooks, Failure> {
    let configurations = project.configs.first();
    let configurations = configurations.and_then(|config| config.webhook_configurations());
    let configurations = configurations.ok_or_else(|| {
        refused(format!(
            "{} has no file for webhook configurations: set in its [crate.manifests] `webhooks = \"config/webhooks.yaml\"`",
            shown(&project.root.join(FILE_NAME))
        ))
    })?;
    let is_there = |folder: &str, name: &str| {
        let path = format!("{folder}/{name}.rs");
        Ok::<_, Failure>(files.text(Path::new(&path))?.is_some())
    };
    let component = files.text(Path::new(Certificates::DEPLOYED_BY))?;
    let mut webhooks = Webhooks {
        certificates: Certificates::of_component(&component.unwrap_or_default()),
        module: api.module.clone(),
        sample: String::new(),
        namespace: String::new(),
        handlers: Vec::new(),
        spokes: Vec::new(),
        configurations: configurations.to_owned(),
        elsewhere,
        api,
    };
    // The exact import, since a module with a conversion also names the versions that it converts.
    let import = format!("use {};", webhooks.import());
    let title = format!(
        "`{}` in `{}`",
        webhooks.api.kind,
        webhooks.api.api_version()
    );
    let (mut found, mut free) = (None, None);
    let [plain, with_group, with_version, with_both] = webhooks.api.names();
    let names = match project
        .versions_of(&webhooks.api.group, &webhooks.api.kind)
        .count()
    {
        0 | 1 => [plain, with_group, with_version, with_both],
        _ => [plain, with_version, with_group, with_both],
    };
    // The module of a keyword ends in `_`.
    for name in names.map(|name| name.replace("__", "_")) {
        let text = files.text(Path::new(&format!("src/webhooks/{name}.rs")))?;
        let text = text.unwrap_or_default();
        if text.contains(&import) || text.contains(&title) {
            found = found.or(Some(name));
        } else if !is_there("src/webhooks", &name)?
            && !is_there("tests/operator", &Webhooks::test_module(&name))?
        {
            free = free.or(Some(name));
        }
    }
    if let Some(module) = found.or(free) {
        webhooks.module = module;
    }
    Ok(webhooks)
}

/// Whether a handler exists.
pub(super) fn has(
    project: &Project,
    webhooks: &Webhooks,
    handler: Handler,
    files: &Files,
) -> Result<bool, Failure> {
    if handler != Handler::Conversion {
        return Ok(webhooks.is_declared(handler, &project.api));
    }
    let text = files.text(&webhooks.path())?.unwrap_or_default();
    Ok(text.contains("fn convert("))
}

/// The versions whose conversion exists, or does not, depending on `are_there`.
pub(super) fn spokes(
    project: &Project,
    webhooks: &Webhooks,
    files: &Files,
    are_there: bool,
) -> Result<Vec<String>, Failure> {
    let api = &webhooks.api;
    let versions = project.versions_of(&api.group, &api.kind);
    let others = versions.filter(|(version, _)| version.name != api.version);
    let mut spokes = Vec::new();
    for (version, _) in others {
        let path = webhooks.spoke_path(&version.name);
        if files.text(&path)?.is_some() == are_there {
            spokes.push(version.name.clone());
        }
    }
    Ok(spokes)
}

/// Reads name and namespace of the sample, which the tests start with.
pub(super) fn read_sample(webhooks: &mut Webhooks, files: &Files) -> Result<(), Failure> {
    if webhooks.elsewhere.is_none() {
        (webhooks.sample, webhooks.namespace) = sample_of(&webhooks.api, files)?;
    }
    Ok(())
}
