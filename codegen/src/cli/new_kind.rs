//! A kind that is new to an operator: whether its names are free, and its files and lines.

use std::path::Path;

use crate::{
    config::shown,
    model::Scope,
    operator::{Api, Part, edit, scope_fault},
    output::Tree,
};

use super::{
    Failure,
    operator::{Files, Project, input_error},
};

/// Plans the files of a kind, and its lines in others.
pub(super) fn place(api: &Api, new: Tree, files: &mut Files) -> Result<(), Failure> {
    for (path, text) in new {
        files.write(path, text);
    }
    let group_file = group_file(api);
    let has_file = files.text(Path::new(&group_file))?.is_some();
    if api.is_first_of_version && !has_file {
        let apis = files
            .text(Path::new("src/apis/mod.rs"))?
            .unwrap_or_default();
        if !edit::has_module(&apis, &[], &api.group_module).unwrap_or(true) {
            files.add(&api.group_edit())?;
        }
    }
    for edit in &api.edits(has_file) {
        files.add(edit)?;
    }
    Ok(())
}

/// Checks that the kind does not exist, and that its names and files are not taken.
pub(super) fn check(project: &Project, api: &Api, files: &Files) -> Result<(), Failure> {
    let Api { version, kind, .. } = api;
    let group = project.group(&api.group);
    let exists = project
        .versions_of(&api.group, kind)
        .any(|(found, _)| found.name == *version);
    if exists {
        let types = api.path(Part::Types).unwrap_or_default();
        let at = files
            .text(&types)?
            .map(|_| format!(", in {}", shown(&project.root.join(&types))));
        return input_error([format!(
            "{kind} of {}/{version} exists already{}; to add another version, use another --version",
            api.group,
            at.unwrap_or_default()
        )]);
    }
    let mut faults = taken_names(project, api);
    let is_of_cluster = api.scope == Scope::Cluster && api.controller.is_some();
    faults.extend(
        scope_fault(&project.operator, kind, is_of_cluster)
            .map(|fault| format!("{fault}; the kind alone is created with --no-controller")),
    );
    let here = group
        .into_iter()
        .flat_map(|group| &group.versions)
        .find(|it| it.name == *version);
    let names = [kind.clone(), format!("{kind}Spec"), format!("{kind}Status")];
    for def in here.into_iter().flat_map(|version| &version.types) {
        if names.contains(&def.name) {
            faults.push(format!(
                "{}/{version} has a type `{}` already: choose another kind",
                api.group, def.name
            ));
        }
    }
    for path in api.files().keys() {
        if project.root.join(path).symlink_metadata().is_ok() {
            faults.push(project.taken(path));
        }
    }
    faults.sort();
    faults.dedup();
    input_error(faults)
}

/// The errors that other kinds of the group have the kind's names.
fn taken_names(project: &Project, api: &Api) -> Vec<String> {
    let kind = &api.kind;
    let mut faults = Vec::new();
    let resources = project
        .group(&api.group)
        .into_iter()
        .flat_map(|group| &group.versions)
        .flat_map(|version| &version.resources);
    for other in resources.clone().filter(|it| it.kind != *kind) {
        let taken = [&other.plural, &other.singular].into_iter();
        let taken: Vec<&String> = taken.chain(&other.short_names).collect();
        let help = [
            (api.plural.clone(), "write another plural with --plural"),
            (kind.to_ascii_lowercase(), "choose another kind"),
        ];
        faults.extend(help.into_iter().filter_map(|(name, help)| {
            let is_taken = taken.contains(&&name);
            is_taken.then(|| {
                let other = &other.kind;
                format!(
                    "`{name}` is a name of {other} in {} already: {help}",
                    api.group
                )
            })
        }));
    }
    let same_module = resources
        .clone()
        .find(|it| it.kind != *kind && it.kind.eq_ignore_ascii_case(kind));
    if let Some(other) = same_module {
        faults.push(format!(
            "{} has the kind `{}`, which only differs in case: choose another name",
            api.group, other.kind
        ));
    }
    faults
}

fn group_file(api: &Api) -> String {
    format!("src/apis/{}/mod.rs", api.group_module)
}

/// The name of a kind's controller, test and sample: its module's name, prefixed by the group if
/// that is taken.
pub(super) fn free_name(project: &Project, group: &str, module: &str) -> String {
    let is_free = |name: &str| {
        let sample = format!("config/samples/{name}.yaml");
        project.is_free(name) && !project.root.join(sample).exists()
    };
    if is_free(module) {
        module.to_owned()
    } else {
        format!("{group}_{module}")
    }
}
