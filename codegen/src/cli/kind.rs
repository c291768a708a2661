//! A kind named on the command line, and its files in the operator.

use std::path::Path;

use crate::{
    config::shown,
    model::{Resource, TypeKind, Version},
    operator::{Api, Neighbours, Part, builtin_import, controller_path, names},
    output::Tree,
};
use clap::Args;

use super::{
    Failure,
    operator::{Files, Project, input_error, refused},
    search::{has_word, uses_support},
};

/// The name of a kind in a version.
#[derive(Debug, Args)]
pub(super) struct KindArgs {
    /// The group: a single label, to which the operator's domain is appended, or a full name.
    #[arg(long)]
    pub(super) group: String,
    /// The version, such as v1alpha1.
    #[arg(long)]
    pub(super) version: String,
    /// The kind, such as Widget.
    #[arg(long)]
    pub(super) kind: String,
}

impl KindArgs {
    /// The full name of the group; an error if group, version or kind is invalid.
    pub(super) fn checked_group(&self, project: &Project) -> Result<String, Failure> {
        let no_domain = || {
            format!(
                "the group `{}` has no domain, and {} specifies none: write it in full, such as {}.example.com",
                self.group,
                shown(&project.root.join("Cargo.toml")),
                self.group
            )
        };
        let group = project.operator.group(&self.group).ok_or_else(no_domain);
        let group_fault = match &group {
            Ok(group) => names::group_fault(group),
            Err(message) => Some(message.clone()),
        };
        let faults = [
            group_fault,
            names::version_fault(&self.version),
            names::kind_fault(&self.kind),
        ];
        input_error(faults.into_iter().flatten())?;
        Ok(group.unwrap_or_default())
    }

    /// The resource of the kind in the version.
    pub(super) fn resource<'a>(
        &self,
        project: &'a Project,
        group: &str,
    ) -> Result<&'a Resource, String> {
        self.resource_of(project, group, &self.version)
    }

    /// The resource of the kind in any version.
    pub(super) fn resource_of<'a>(
        &self,
        project: &'a Project,
        group: &str,
        version: &str,
    ) -> Result<&'a Resource, String> {
        let kind = &self.kind;
        let group_model = project.group(group);
        let versions = group_model.into_iter().flat_map(|group| &group.versions);
        let of_version = versions.clone().find(|found| found.name == version);
        let mut resources = of_version
            .into_iter()
            .flat_map(|version| &version.resources);
        if let Some(found) = resources.find(|resource| resource.kind == *kind) {
            return Ok(found);
        }
        let kinds = |version: &Version| {
            let name = version.name.clone();
            let kinds = version.resources.iter();
            kinds
                .map(move |resource| format!("{} of {name}", resource.kind))
                .collect::<Vec<_>>()
        };
        let known: Vec<String> = versions.flat_map(kinds).collect();
        let known = match known.as_slice() {
            [] => no_such_group(project, group),
            known => format!("the group has {}", known.join(", ")),
        };
        Err(format!("there is no {kind} of {group}/{version}: {known}"))
    }

    /// The kind with the file names that it actually has, and its resource.
    pub(super) fn existing<'a>(
        &self,
        project: &'a Project,
        files: &Files,
    ) -> Result<(Api, &'a Resource), Failure> {
        let group = self.checked_group(project)?;
        let resource = self.resource(project, &group).map_err(refused)?;
        let api = existing(project, &group, &self.version, resource, files)?;
        Ok((api, resource))
    }
}

/// The kind with the file names that it actually has.
pub(super) fn existing(
    project: &Project,
    group: &str,
    version: &str,
    resource: &Resource,
    files: &Files,
) -> Result<Api, Failure> {
    let kind = &resource.kind;
    let group_module = project.module_of_group(group);
    let module = names::module_of(kind);
    let others = project
        .versions_of(group, kind)
        .any(|(it, _)| it.name != version);
    let here = project
        .group(group)
        .into_iter()
        .flat_map(|group| &group.versions);
    let mut here = here
        .filter(|it| it.name == version)
        .flat_map(|it| &it.resources);
    let mut api = Api {
        operator: project.operator.clone(),
        is_first_of_version: here.all(|it| it.kind == *kind),
        is_further_version: others,
        is_first: project.kinds() == 1,
        brings_support: false,
        has_example: has_field(project, group, version, &format!("{kind}Spec"), "size"),
        is_sharded: false,
        version: version.to_owned(),
        kind: kind.clone(),
        controller: None,
        sample: String::new(),
        plural: resource.plural.clone(),
        scope: resource.scope,
        group: group.to_owned(),
        group_module,
        module,
    };
    let sample = format!("apiVersion: {}/{version}", api.group);
    for name in api.names() {
        if api.controller.is_none() && is_controller(&api, &name, files)? {
            api.controller = Some(name.clone());
            let source = files.text(&controller_path(&name))?.unwrap_or_default();
            api.is_sharded = source.contains(".sharded(");
        }
        let objects = files.text(Path::new(&format!("config/samples/{name}.yaml")))?;
        let objects = objects.unwrap_or_default();
        if api.sample.is_empty() && holds(&objects, &[&sample, &format!("kind: {kind}")]) {
            api.sample = name;
        }
    }
    let used = uses_support(project, api.controller.as_deref(), files)?;
    api.brings_support = api.is_first && !used;
    Ok(api)
}

/// Whether the controller with the name is one of the kind.
pub(super) fn is_controller(api: &Api, name: &str, files: &Files) -> Result<bool, Failure> {
    let types = format!("{}::{}", api.group_module, api.version);
    let source = files.text(&controller_path(name))?.unwrap_or_default();
    // `k8s_openapi::api::apps::v1::Deployment` is not a kind of the operator.
    Ok(holds(&source, &[&types, &api.kind]) && builtin_import(&source, &api.kind).is_none())
}

fn holds(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| has_word(text, word))
}

/// The types and the sample of a version of a kind, copied from another one; `None` if that lacks
/// one of both where `create api` writes it.
pub(super) fn copied(
    project: &Project,
    api: &Api,
    other: &Api,
    files: &Files,
) -> Result<Option<Tree>, Failure> {
    let text = |part| match other.path(part) {
        Some(path) => files.text(&path),
        None => Ok(None),
    };
    let (Some(types), Some(sample)) = (text(Part::Types)?, text(Part::Sample)?) else {
        return Ok(None);
    };
    let neighbours = neighbours(project, api, other);
    let copied = api.copy_of((other, &neighbours), &types, &sample);
    copied.map(Some).map_err(|error| {
        let path = project
            .root
            .join(other.path(Part::Types).unwrap_or_default());
        refused(format!("{} cannot be copied: {error}", shown(&path)))
    })
}

/// The types and modules of both versions.
fn neighbours(project: &Project, api: &Api, other: &Api) -> Neighbours {
    let items = |version: &str| {
        let versions = project.group(&api.group).into_iter();
        let mut versions = versions.flat_map(|group| &group.versions);
        let version = versions.find(|found| found.name == version);
        let types = version.into_iter().flat_map(|version| &version.types);
        types.filter_map(|def| Some((&def.name, def.item.as_ref()?)))
    };
    let old = items(&other.version).filter(|(_, item)| item.exported);
    let new =
        items(&api.version).flat_map(|(name, item)| item.module.first().into_iter().chain([name]));
    Neighbours {
        old: old
            .map(|(name, item)| (name.clone(), item.module.clone()))
            .collect(),
        new: new.cloned().collect(),
    }
}

/// That the operator lacks a group, and which it has.
fn no_such_group(project: &Project, name: &str) -> String {
    let groups = project.api.groups.iter();
    let groups: Vec<&str> = groups.map(|group| group.name.as_str()).collect();
    match groups.as_slice() {
        [] => "the operator has no kinds".to_owned(),
        _ if groups.contains(&name) => "the group has no kinds".to_owned(),
        [only] => format!("the operator's only group is {only}"),
        _ => format!("the operator has the groups {}", groups.join(", ")),
    }
}

/// The name and namespace of a kind's sample, which its tests start with.
pub(super) fn sample_of(api: &Api, files: &Files) -> Result<(String, String), Failure> {
    let path = api.path(Part::Sample).unwrap_or_default();
    let text = match api.sample.as_str() {
        "" => None,
        _ => files.text(&path)?,
    };
    let documents = serde_saphyr::from_multiple::<serde_json::Value>(&text.unwrap_or_default());
    let mut documents = documents.unwrap_or_default().into_iter();
    let Some(sample) = documents.find(|document| document["kind"] == *api.kind) else {
        return Err(refused(format!(
            "there is no sample of {} in {}/{}, which the tests start with: write {}",
            api.kind,
            api.group,
            api.version,
            shown(
                &files
                    .root()
                    .join(format!("config/samples/{}.yaml", api.module))
            )
        )));
    };
    let text = |key: &str, default: &str| {
        let text = sample["metadata"][key].as_str();
        text.unwrap_or(default).to_owned()
    };
    let is_plain = |text: &str| kube_names::subdomain_fault(text).is_none();
    let (name, namespace) = (text("name", "sample"), text("namespace", "default"));
    if !is_plain(&name) || !is_plain(&namespace) {
        return Err(refused(format!(
            "{}: invalid name or namespace of the sample",
            shown(&files.root().join(path))
        )));
    }
    Ok((name, namespace))
}

/// Whether a type of a version has a field with this Rust name.
pub(super) fn has_field(
    project: &Project,
    group: &str,
    version: &str,
    type_name: &str,
    field: &str,
) -> bool {
    let versions = project.group(group).into_iter();
    let mut types = versions
        .flat_map(|group| &group.versions)
        .filter(|found| found.name == version)
        .flat_map(|version| &version.types);
    let found = types.find(|def| def.name == type_name);
    found.is_some_and(|def| match &def.kind {
        TypeKind::Struct(found) => found.fields.iter().any(|it| it.rust_name == field),
        _ => false,
    })
}
