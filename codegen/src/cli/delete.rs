//! `kube-codegen delete`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codegen::{
    config::shown,
    operator::{Api, Gone, Part, edit},
};

use super::{
    Failure,
    delete_webhook::{self, DeleteWebhook},
    finish::{Finish, prepare},
    kind::KindArgs,
    leftovers::{check_unhooked, check_unused, unreadable},
    operator::{Files, Project, input_error, mode, refused},
    style::{self, Color},
};

/// Remove from an operator what `kube-codegen create` added.
#[derive(Debug, Args)]
pub(super) struct Delete {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum What {
    /// Remove a kind: types, controller, tests and sample, and all that is generated from them.
    Api(DeleteApi),
    /// Remove webhooks of a kind, and what serves and deploys them with the last one.
    Webhook(DeleteWebhook),
}

/// Remove a kind: types, controller, tests and sample, and all that is generated from them.
///
/// Files that `create api` wrote and that differ from what it writes stop the command, unless --force says that they go, too. So do
/// uses of the kind in other files. Nothing is removed unless all of it works, and no cluster is asked: what is to be done there is printed.
#[derive(Debug, Args)]
pub(super) struct DeleteApi {
    #[command(flatten)]
    kind: KindArgs,
    /// Remove files that were changed, too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl Delete {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        match self.what {
            What::Api(command) => command.run(color),
            What::Webhook(command) => command.run(color),
        }
    }
}

impl DeleteApi {
    fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read()?;
        let group = self.kind.checked_group(&project)?;
        let resource = self.kind.resource(&project, &group)?;
        let mut files = Files::new(project.root.clone());
        let api = self.kind.api(&project, group, resource, &files)?;
        let types = api.path(Part::Types).unwrap_or_default();
        let Some(types) = files.text(&types)? else {
            let types = shown(&project.root.join(types));
            return Err(refused(format!(
                "{types} is not there: the types of {} stand elsewhere, and are yours to remove",
                api.kind
            )));
        };
        check_stored(&project, &api, &types)?;
        delete_webhook::take_conversion(&project, &api, &mut files, self.force)?;
        if !self.force {
            check_unchanged(&api, &files)?;
        }
        unhook(&api, &mut files)?;
        let gone = Gone::new(&api, &types, &resource.accessor);
        let gone = gone.map_err(|error| unreadable(Path::new("the types"), &error.to_string()))?;
        check_unused(&project, &files, &|path, text| gone.references(path, text))?;
        let closing = closing(&project, &api);
        let configs = files.planned(project.configs);
        let prepared = prepare(&configs)?;
        let finish = Finish {
            mode: mode(self.dry_run),
            color,
        };
        finish.conclude(&configs, &prepared, vec![files.plan()?])?;
        if self.dry_run {
            return Ok(());
        }
        style::print(&closing)
    }
}

/// The files that go with a kind, whoever wrote what is in them.
fn removed(api: &Api) -> impl Iterator<Item = PathBuf> {
    let files = api.files().into_keys();
    let has_sample = !api.sample.is_empty();
    files.filter(move |path| has_sample || !path.starts_with("config/samples"))
}

/// That it is clear which version is stored from then on.
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
        "{} is the version of {} that is stored: move its `// {MARKER}` to one of the others first",
        api.version, api.kind
    )))
}

/// That every file is as `create api` writes it.
fn check_unchanged(api: &Api, files: &Files) -> Result<(), Failure> {
    // What it was when it was created is not known.
    let variants = [(false, false), (false, true), (true, false), (true, true)];
    let variants = variants.map(|(is_further_version, has_example)| {
        let variant = Api {
            is_further_version,
            has_example,
            ..api.clone()
        };
        variant.files()
    });
    let mut changed = Vec::new();
    for path in removed(api) {
        let Some(text) = files.text(&path)? else {
            continue;
        };
        let mut variants = variants.iter();
        let is_written = variants.any(|files| files.get(&path) == Some(&text));
        if !is_written {
            changed.push(shown(&files.root().join(path)));
        }
    }
    input_error(changed.into_iter().map(|path| {
        format!("{path} is not as `create api` writes it: keep what you need of it, and let it go with --force")
    }))
}

/// Plans the removal of the files, and of the lines in others.
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

/// What came of it, and what is left to do on clusters.
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
                "Clusters that have it keep the definition and the objects; this removes both:\n  kubectl delete crd {plural}.{group}\n"
            );
    }
    done + &format!(
        "It goes on in {}. Where objects are stored in {version}, write them again and take {version} out of the definition's \
         status.storedVersions before the new definition is applied:\n  kubectl get crd {plural}.{group} -o jsonpath='{{.status.storedVersions}}'\n",
        others.join(", ")
    )
}
