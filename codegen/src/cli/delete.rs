//! `kube-codegen delete`.

use std::path::{Path, PathBuf};

use crate::{
    config::shown,
    operator::{Api, Gone, Part, edit, migration_edits},
    output::Tree,
};
use clap::Args;

use super::{
    Failure,
    create_policy::take_policy,
    delete_controller::DeleteController,
    delete_metric::DeleteMetric,
    delete_webhook::{self, DeleteWebhook},
    finish::Finish,
    kind::{KindArgs, copied, existing},
    leftovers::{check_unchanged, check_unhooked, check_unused, unreadable},
    operator::{Files, Project, input_error, refused},
    style::Color,
};

/// Remove from an operator what `kube-codegen create` added.
#[derive(Debug, Args)]
pub(super) struct Delete {
    #[command(subcommand)]
    what: What,
}

commands! {
    What;

    /// Remove a kind: types, controller, tests and sample, and all code generated from them.
    Api(DeleteApi),
    /// Remove a controller with its tests; its kind stays.
    Controller(DeleteController),
    /// Remove a metric from the operator's own table, src/metrics.rs.
    Metric(DeleteMetric),
    /// Remove webhooks of a kind, and with the last one the code and manifests that serve and
    /// deploy them.
    Webhook(DeleteWebhook),
}

/// Remove a kind: types, controller, tests and sample, and all code generated from them.
///
/// The command fails if files that `create api` wrote were changed, unless --force is set, and if
/// other files still use the kind. Nothing is removed unless everything succeeds. Clusters are not
/// accessed: the steps to take there are printed.
#[derive(Debug, Args)]
pub(super) struct DeleteApi {
    #[command(flatten)]
    kind: KindArgs,
    /// Remove changed files too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl Delete {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        self.what.run(color)
    }
}

impl DeleteApi {
    fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let (api, resource) = self.kind.existing(&project, &files)?;
        let types = api.path(Part::Types).unwrap_or_default();
        let Some(types) = files.text(&types)? else {
            let types = shown(&project.root.join(types));
            return Err(refused(format!(
                "{types} does not exist: the types of {} are elsewhere, remove them by hand",
                api.kind
            )));
        };
        check_stored(&project, &api, &types)?;
        delete_webhook::take_conversion(&project, &api, &mut files, self.force)?;
        let policy = take_policy(&project, &api, resource, &mut files)?;
        if !self.force {
            input_error(policy)?;
            let mut variants = variants(&api).to_vec();
            variants.extend(copies(&project, &api, &files)?);
            check_unchanged(removed(&api), &variants, &files, "create api")?;
        }
        unhook(&api, &mut files)?;
        if project.versions_of(&api.group, &api.kind).count() == 1 {
            for edit in &migration_edits(&api.group, &api.plural) {
                files.take(edit)?;
            }
            if let Some(written) = &mut files.written {
                written.remove_migration(&api.group, &api.plural);
            }
        }
        let gone = Gone::new(&api, &types, &resource.accessor);
        let gone = gone.map_err(|error| unreadable(Path::new("the types"), &error.to_string()))?;
        check_unused(&project, &files, &|path, text| gone.references(path, text))?;
        let closing = closing(&project, &api);
        // Of the lines that are left, uses of the kind are errors already; the others do no harm.
        files.left.clear();
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&closing)
    }
}

/// The files to remove with a kind, changed or not.
fn removed(api: &Api) -> impl Iterator<Item = PathBuf> {
    let files = api.files().into_keys();
    let has_sample = !api.sample.is_empty();
    files.filter(move |path| has_sample || !path.starts_with("config/samples"))
}

/// Checks that the deletion leaves no doubt about the storage version.
fn check_stored(project: &Project, api: &Api, types: &str) -> Result<(), Failure> {
    const MARKER: &str = "+kubebuilder:storageversion";
    let others = project.versions_of(&api.group, &api.kind).count() - 1;
    let is_stored = types.lines().any(|line| {
        let comment = line.trim().trim_start_matches('/');
        comment.trim() == MARKER
    });
    if others < 2 || !is_stored {
        return Ok(());
    }
    Err(refused(format!(
        "{} is the storage version of {}: move its `// {MARKER}` to one of the others first",
        api.version, api.kind
    )))
}

/// The files as `create api` writes them. The parameters at creation time are not recorded, so
/// every combination counts.
fn variants(api: &Api) -> [Tree; 4] {
    let parameters = [(false, false), (false, true), (true, false), (true, true)];
    parameters.map(|(is_further_version, has_example)| {
        let variant = Api {
            is_further_version,
            has_example,
            ..api.clone()
        };
        variant.files()
    })
}

/// The files as `create api --from` writes them, by the other version.
fn copies(project: &Project, api: &Api, files: &Files) -> Result<Vec<Tree>, Failure> {
    let versions = project.versions_of(&api.group, &api.kind);
    let others = versions.filter(|(version, _)| version.name != api.version);
    let mut copies = Vec::new();
    for (version, resource) in others {
        let other = existing(project, &api.group, &version.name, resource, files)?;
        copies.extend(copied(project, api, &other, files)?);
    }
    Ok(copies)
}

/// Plans the removal of the files, and of the kind's lines in other files.
fn unhook(api: &Api, files: &mut Files) -> Result<(), Failure> {
    for path in removed(api) {
        files.remove(path);
    }
    let version = api.path(Part::Version).unwrap_or_default();
    if let Some(folder) = version.parent().filter(|_| api.is_first_of_version) {
        files.remove_folder(folder.to_owned());
    }
    let group_file = PathBuf::from(format!("src/apis/{}/mod.rs", api.group_module));
    let has_file = files.text(&group_file)?.is_some();
    let edits = api.edits(has_file);
    for edit in &edits {
        files.take(edit)?;
    }
    if api.is_first_of_version && !has_file {
        let apis = files
            .text(Path::new("src/apis/mod.rs"))?
            .unwrap_or_default();
        if edit::is_empty(&apis, &[&api.group_module]).unwrap_or(false) {
            files.take(&api.group_edit())?;
        }
    }
    check_unhooked(&edits, files)
}

/// The closing message: what was done, and the remaining steps on clusters.
fn closing(project: &Project, api: &Api) -> String {
    let Api {
        kind,
        group,
        version,
        plural,
        ..
    } = api;
    let others = project
        .versions_of(group, kind)
        .filter(|(it, _)| it.name != *version);
    let others: Vec<&str> = others.map(|(it, _)| it.name.as_str()).collect();
    let done = format!("Deleted {kind} of {group}/{version}. ");
    if others.is_empty() {
        return done
            + &format!(
                "Clusters keep the CRD and its objects; to remove both:\n  kubectl delete crd {plural}.{group}\n"
            );
    }
    done + &format!(
        "It remains in {}. If objects are stored in {version}, let the operator rewrite them first (`kube-codegen migrate`): \
         apply the new CRD when {version} is gone from its status.storedVersions:\n  kubectl get crd {plural}.{group} -o jsonpath='{{.status.storedVersions}}'\n",
        others.join(", ")
    )
}
