//! `kube-codegen create controller`.

use crate::{
    config::shown,
    operator::{Api, Controlled, names, scope_fault},
};
use clap::Args;

use super::{
    Failure,
    controller::{step, texts},
    finish::Finish,
    kind::{KindArgs, existing, has_field},
    operator::{Files, Project, input_error, refused},
    style::Color,
};

/// Add a controller, with its tests, for a kind of Kubernetes itself, or for a kind that was
/// created without one.
///
/// A kind of Kubernetes is named as in its manifests:
/// `--group apps --version v1 --kind Deployment`; the core group is `core`. Neither types nor
/// samples are added. If the operator has a kind of the same name, write `--group k8s:apps`. For a
/// kind of the operator, the result is the same as if `create api` had added the controller. With
/// --name, a kind has more than one. The new files are yours and are never overwritten.
#[derive(Debug, Args)]
pub(super) struct CreateController {
    #[command(flatten)]
    kind: KindArgs,
    /// The controller's name, such as widget_backup, for another controller of the kind [default:
    /// the kind's name].
    #[arg(long, value_parser = controller_name)]
    name: Option<String>,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl CreateController {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let given = self.name.as_deref();
        let mut controlled = self.kind.controlled(&project, &files, given)?;
        input_error(scope_fault(
            &project.operator,
            controlled.kind(),
            controlled.is_cluster_scoped(),
        ))?;
        if given.is_none() {
            check_none(&project, &controlled, &files)?;
        }
        if let Controlled::Own(api) = &controlled {
            check_types(&project, api)?;
        }
        controlled.set_controller(name(&project, &controlled, self.name)?);
        files.record(step(&controlled, &files)?);
        for (path, text) in texts(&controlled, &files)? {
            if files.text(&path)?.is_some() {
                return Err(refused(project.taken(&path)));
            }
            files.write(path, text);
        }
        for edit in &controlled.edits() {
            files.add(edit)?;
        }
        let finish = Finish::of_edits(self.dry_run, color);
        let path = shown(&files.root().join(controlled.path().unwrap_or_default()));
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&format!(
            "Created the controller of {} in {}. Next: write what it does in {path}, then `cargo test`.\n",
            controlled.kind(),
            controlled.api_version()
        ))
    }
}

/// Checks that no version of the kind has a controller.
fn check_none(project: &Project, controlled: &Controlled, files: &Files) -> Result<(), Failure> {
    let has_already = |found: &Controlled, group: &str| {
        refused(format!(
            "{} of {group} has a controller already, in {}: name another one with --name",
            found.kind(),
            shown(&project.root.join(found.path().unwrap_or_default()))
        ))
    };
    let Controlled::Own(Api { kind, group, .. }) = controlled else {
        let has_one = controlled.controller().is_some();
        let error = || has_already(controlled, &controlled.api_version());
        return if has_one { Err(error()) } else { Ok(()) };
    };
    for (version, resource) in project.versions_of(group, kind) {
        let found = existing(project, group, &version.name, resource, files)?;
        if found.controller.is_some() {
            return Err(has_already(&Controlled::Own(found), group));
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

/// The name that was given, or the first name for the controller and its test that is free.
fn name(
    project: &Project,
    controlled: &Controlled,
    given: Option<String>,
) -> Result<String, Failure> {
    let names = given.map_or_else(|| controlled.names().to_vec(), |name| vec![name]);
    let free = names.iter().find(|name| project.is_free(name)).cloned();
    free.ok_or_else(|| {
        refused(format!(
            "src/controllers and tests/operator have files for {} already: move them away for the controller of {}",
            names.join(" and "),
            controlled.kind()
        ))
    })
}

/// Parses the name of a controller, which is a module, a label of metrics and a part of a field
/// manager.
pub(super) fn controller_name(name: &str) -> Result<String, String> {
    let is_module = names::module_of(name) == name && name.is_ascii() && name.len() <= LONGEST;
    let is_taken = ["main", "mod", "support"].contains(&name);
    match is_module && !is_taken {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "expected the name of a module in snake case with at most {LONGEST} characters, other than main, mod and support"
        )),
    }
}

/// The length of a controller's name, which follows the operator's in the name of a field manager.
const LONGEST: usize = 63;
