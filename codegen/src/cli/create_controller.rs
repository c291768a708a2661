//! `kube-codegen create controller`.

use clap::Args;
use codegen::{
    config::shown,
    operator::{Api, Part},
};

use super::{
    Failure,
    finish::{Finish, prepare},
    kind::{KindArgs, has_field, sample_of},
    operator::{Files, Project, input_error, mode, refused},
    style::{self, Color},
};

/// Add a controller, with its tests, to a kind that was created without one.
///
/// The result is the same as if `create api` had added the controller. The new files are yours and are never overwritten.
#[derive(Debug, Args)]
pub(super) struct CreateController {
    #[command(flatten)]
    kind: KindArgs,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl CreateController {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read()?;
        let group = self.kind.checked_group(&project)?;
        let resource = self.kind.resource(&project, &group)?;
        let mut files = Files::new(project.root.clone());
        let mut api = self.kind.api(&project, group, resource, &files)?;
        check_none(&project, &api, &files)?;
        check_types(&project, &api)?;
        api.controller = Some(name(&project, &api)?);
        let (sample, namespace) = sample_of(&api, &files)?;
        let own = [Part::Controller, Part::Test].map(|part| api.path(part));
        for (path, text) in api.files() {
            if own.contains(&Some(path.clone())) {
                // The user may have renamed the sample.
                let text = text
                    .replace(
                        "SAMPLE: &str = \"sample\"",
                        &format!("SAMPLE: &str = \"{sample}\""),
                    )
                    .replace(
                        "client(), \"default\"",
                        &format!("client(), \"{namespace}\""),
                    );
                files.write(path, text);
            }
        }
        for edit in &api.controller_edits() {
            files.add(edit)?;
        }
        let configs = files.planned(project.configs);
        let prepared = prepare(&configs)?;
        let finish = Finish {
            mode: mode(self.dry_run),
            color,
        };
        for line in &files.left {
            style::eprint(&style::note(line, color));
        }
        let path = api.path(Part::Controller).unwrap_or_default();
        let path = shown(&files.root().join(path));
        finish.conclude(&configs, &prepared, vec![files.plan()?])?;
        if self.dry_run {
            return Ok(());
        }
        let (kind, version) = (&api.kind, format!("{}/{}", api.group, api.version));
        style::print(&format!(
            "Created the controller of {kind} in {version}. Next: write what it does in {path}, then `cargo test`.\n"
        ))
    }
}

/// Checks that no version of the kind has a controller.
fn check_none(project: &Project, api: &Api, files: &Files) -> Result<(), Failure> {
    let Api { kind, group, .. } = api;
    for (version, resource) in project.versions_of(group, kind) {
        let args = KindArgs {
            group: group.clone(),
            version: version.name.clone(),
            kind: kind.clone(),
        };
        let found = args.api(project, group.clone(), resource, files)?;
        if found.controller.is_some() {
            let path = found.path(Part::Controller).unwrap_or_default();
            return Err(refused(format!(
                "{kind} of {group} has a controller already, in {}",
                shown(&project.root.join(path))
            )));
        }
    }
    Ok(())
}

/// Checks that the types have the fields that the controller writes and the tests use.
fn check_types(project: &Project, api: &Api) -> Result<(), Failure> {
    let Api {
        kind,
        group,
        version,
        ..
    } = api;
    let status = format!("{kind}Status");
    let has = |type_name: &str, field: &str| has_field(project, group, version, type_name, field);
    let fields = [
        (kind.as_str(), "status", format!("`Option<{status}>`")),
        (&status, "conditions", "`Vec<Condition>`".to_owned()),
        (&status, "observed_generation", "`Option<i64>`".to_owned()),
    ];
    let missing = fields
        .iter()
        .filter(|(type_name, field, _)| !has(type_name, field));
    let missing = missing.map(|(type_name, field, ty)| {
        format!("{type_name} has no field `{field}`, which the controller writes: add it, as {ty}")
    });
    input_error(missing)
}

/// The name of the controller and its test: the kind's module name, prefixed by the group if that is taken.
fn name(project: &Project, api: &Api) -> Result<String, Failure> {
    let Api {
        group_module,
        module,
        kind,
        ..
    } = api;
    let names = [module.clone(), format!("{group_module}_{module}")];
    let is_free = |name: &String| {
        let paths = [
            format!("src/controllers/{name}.rs"),
            format!("tests/operator/{name}.rs"),
        ];
        let is_reserved = ["main", "support"].contains(&name.as_str());
        !is_reserved && !paths.iter().any(|path| project.root.join(path).exists())
    };
    let free = names.iter().find(|name| is_free(name)).cloned();
    free.ok_or_else(|| {
        refused(format!(
            "src/controllers and tests/operator have files for {} already: move them away for the controller of {kind}",
            names.join(" and ")
        ))
    })
}
