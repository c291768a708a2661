//! `kube-codegen delete webhook`.

use std::path::{Path, PathBuf};

use crate::{
    config::shown,
    operator::{Api, Certificates, EditKind, Handler, Reference, Webhooks},
};
use clap::Args;

use super::{
    Failure,
    create_webhook::listed,
    finish::Finish,
    kind::{self, KindArgs},
    leftovers::{self, check_unhooked, check_unused},
    operator::{Files, Project, input_error, refused},
    search::words,
    style::Color,
    webhooks::{existing, has, read_sample, spokes},
};

/// Remove webhooks of a kind, and with the last one the code and manifests that serve and deploy
/// them.
///
/// Without --defaulting, --validation and --conversion, all of the kind's webhooks are removed. The
/// command fails if files that `create webhook` wrote were changed, unless --force is set. Nothing
/// is removed unless everything succeeds, and clusters are not accessed.
#[derive(Debug, Args)]
pub(super) struct DeleteWebhook {
    #[command(flatten)]
    kind: KindArgs,
    /// Remove the defaulting webhook.
    #[arg(long)]
    defaulting: bool,
    /// Remove the validating webhook.
    #[arg(long)]
    validation: bool,
    /// Remove the conversion between the versions of the kind.
    #[arg(long)]
    conversion: bool,
    /// Remove changed files too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl DeleteWebhook {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let mut webhooks = self.kind.hooked(&project, &files)?;
        let stay = self.choose(&project, &mut webhooks, &files)?;
        // Without a sample, the tests count as changed.
        let _ = read_sample(&mut webhooks, &files);
        let changed = unhook(&webhooks, &stay, &mut files)?;
        let is_last = take_shared(&project, &webhooks, &mut files)?;
        if let Some(written) = &mut files.written {
            written.remove_handlers(&webhooks.module, &webhooks.handlers);
        }
        let changed = changed.into_iter().chain(is_last.iter().flatten().cloned());
        let changed: Vec<PathBuf> = changed.collect();
        check_unchanged(&changed, &stay, &webhooks, &files, self.force)?;
        let modules = gone_modules(&webhooks, &stay, is_last.is_some());
        check_unused(&project, &files, &|_, text| Ok(uses(text, &modules)))?;
        let closing = closing(&webhooks, is_last.is_some());
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&closing)
    }

    /// Selects the handlers to remove; returns those that remain.
    fn choose(
        &self,
        project: &Project,
        webhooks: &mut Webhooks,
        files: &Files,
    ) -> Result<Vec<Handler>, Failure> {
        let mut there = Vec::new();
        if files.text(&webhooks.path())?.is_some() {
            for handler in Handler::ALL {
                if has(project, webhooks, handler, files)? {
                    there.push(handler);
                }
            }
        }
        let asked = [
            (self.defaulting, Handler::Defaulting),
            (self.validation, Handler::Validation),
            (self.conversion, Handler::Conversion),
        ];
        let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked);
        let asked: Vec<Handler> = asked.map(|(_, handler)| handler).collect();
        let missing: Vec<&str> = asked
            .iter()
            .filter(|handler| !there.contains(handler))
            .map(|handler| handler.name())
            .collect();
        if there.is_empty() || !missing.is_empty() {
            let what = match missing.as_slice() {
                [] => String::new(),
                missing => format!(" for {}", listed(missing)),
            };
            return Err(refused(format!(
                "{} of {} has no webhooks{what} that `create webhook` wrote",
                webhooks.api.kind,
                webhooks.api.api_version()
            )));
        }
        let (go, stay) = there
            .into_iter()
            .partition(|handler| asked.is_empty() || asked.contains(handler));
        webhooks.handlers = go;
        if webhooks.handlers.contains(&Handler::Conversion) {
            webhooks.spokes = spokes(project, webhooks, files, true)?;
        }
        Ok(stay)
    }
}

/// Plans the removal of handlers. Returns the files that were changed since they were written.
fn unhook(
    webhooks: &Webhooks,
    stay: &[Handler],
    files: &mut Files,
) -> Result<Vec<PathBuf>, Failure> {
    let mut changed = Vec::new();
    // In reverse order, so that nested lines are removed first.
    for edit in webhooks.edits().iter().rev() {
        let before = files.text(&edit.path)?;
        files.take(edit)?;
        if matches!(edit.kind, EditKind::Block(_)) && files.text(&edit.path)? == before {
            changed.push(edit.path.clone());
        }
    }
    for (path, text) in webhooks.spoke_files() {
        if files.text(&path)?.is_some_and(|found| found != text) {
            changed.push(path.clone());
        }
        files.remove(path);
    }
    let has_tests = stay.iter().any(|handler| *handler != Handler::Conversion);
    let mut heads = Vec::new();
    if stay.is_empty() {
        heads.push((webhooks.path(), webhooks.head(), webhooks.file_edit()));
    }
    if !has_tests {
        let (head, edit) = (webhooks.test_head(), webhooks.test_file_edit());
        heads.push((webhooks.test_path(), head, edit));
    }
    let mut edits = webhooks.edits();
    for (path, head, edit) in heads {
        let Some(text) = files.text(&path)? else {
            continue;
        };
        if text.replace("\r\n", "\n") != head {
            changed.push(path.clone());
        }
        files.remove(path);
        files.take(&edit)?;
        edits.push(edit);
    }
    if webhooks.handlers.contains(&Handler::Conversion) {
        files.take(&webhooks.conversion_marker())?;
    }
    check_unhooked(&edits, files)?;
    changed.sort();
    changed.dedup();
    Ok(changed)
}

/// If no webhooks remain, plans the removal of everything they share, and returns the shared files
/// that were changed.
fn take_shared(
    project: &Project,
    webhooks: &Webhooks,
    files: &mut Files,
) -> Result<Option<Vec<PathBuf>>, Failure> {
    let goes = |handler: &Handler| webhooks.handlers.contains(handler);
    let mut is_any_left = false;
    for handler in [Handler::Defaulting, Handler::Validation] {
        let others = webhooks.has_others(handler, &project.api);
        let stays = webhooks.is_declared(handler, &project.api) && !goes(&handler);
        is_any_left |= others || stays;
        if let Some(marker) = webhooks.configuration_marker(handler)
            && !others
            && !stays
        {
            files.take(&marker)?;
        }
    }
    // If there were no webhooks before, a file of this name was not generated.
    if !is_any_left && !project.api.webhooks.is_empty() {
        for edit in webhooks.configuration_edits() {
            files.take(&edit)?;
        }
        files.remove(webhooks.configurations.clone().into());
    }
    let module = files.text(&Webhooks::module_path())?.unwrap_or_default();
    if !webhooks.is_empty_module(&module) {
        return Ok(None);
    }
    let mut changed = Vec::new();
    for (path, text) in webhooks.shared_files() {
        let found = files.text(&path)?;
        if found.is_some_and(|found| found != text) && path != Webhooks::module_path() {
            changed.push(path.clone());
        }
        files.remove(path);
    }
    let edits = webhooks.shared_edits();
    for edit in &edits {
        files.take(edit)?;
    }
    check_unhooked(&edits, files)?;
    Ok(Some(changed))
}

/// Checks that everything to remove is unchanged, or may be removed nevertheless: `force` covers
/// whole files, but not parts of a file.
fn check_unchanged(
    changed: &[PathBuf],
    stay: &[Handler],
    webhooks: &Webhooks,
    files: &Files,
    force: bool,
) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for path in changed {
        let goes = files.text(path)?.is_none();
        if !goes {
            let shown = shown(&files.root().join(path));
            let stay: Vec<&str> = stay.iter().map(|handler| handler.name()).collect();
            faults.push(format!(
                "{shown} has {} in a different form than `create webhook` writes: remove it by hand; the code for {} stays",
                listed(&names(webhooks)),
                listed(&stay)
            ));
        } else if !force {
            faults.push(leftovers::changed(path, files, "create webhook"));
        }
    }
    input_error(faults)
}

fn names(webhooks: &Webhooks) -> Vec<&'static str> {
    let handlers = webhooks.handlers.iter();
    handlers.map(|handler| handler.name()).collect()
}

/// The paths of removed modules, as written in other files.
fn gone_modules(webhooks: &Webhooks, stay: &[Handler], is_last: bool) -> Vec<String> {
    if is_last {
        return vec!["crate::webhooks".to_owned(), webhooks.crate_path()];
    }
    match stay {
        [] => vec![format!("webhooks::{}", webhooks.module)],
        _ => Vec::new(),
    }
}

/// The uses of modules in a file.
fn uses(text: &str, modules: &[String]) -> Vec<Reference> {
    let mut found = Vec::new();
    for name in modules {
        found.extend(words(text, name).map(|range| Reference {
            range,
            name: name.clone(),
        }));
    }
    found
}

/// Checks that a version to delete has no webhooks. Removes its conversion, if the conversion of
/// another version remains.
pub(super) fn take_conversion(
    project: &Project,
    api: &Api,
    files: &mut Files,
    force: bool,
) -> Result<(), Failure> {
    if files.text(&Webhooks::module_path())?.is_none() {
        return Ok(());
    }
    let Api { kind, group, .. } = api;
    let mut faults = Vec::new();
    let mut remove_first = |path: &Path, version: &str, more: &str| {
        faults.push(format!(
            "{} belongs to webhooks of {kind}: remove them first with `kube-codegen delete webhook --group {group} --version {version} --kind {kind}{more}`",
            shown(&project.root.join(path))
        ));
    };
    for (version, resource) in project.versions_of(group, kind) {
        let of_version = kind::existing(project, group, &version.name, resource, files)?;
        let mut webhooks = existing(project, of_version, files)?;
        if version.name == api.version && files.text(&webhooks.path())?.is_some() {
            remove_first(&webhooks.path(), &version.name, "");
        }
        let path = webhooks.spoke_path(&api.version);
        if files.text(&path)?.is_none() {
            continue;
        }
        let (own, others): (Vec<_>, Vec<_>) = spokes(project, &webhooks, files, true)?
            .into_iter()
            .partition(|spoke| *spoke == api.version);
        if others.is_empty() {
            remove_first(&path, &version.name, " --conversion");
            continue;
        }
        webhooks.spokes = own;
        let _ = read_sample(&mut webhooks, files);
        let changed = unhook(&webhooks, &Handler::ALL, files)?;
        check_unchanged(&changed, &Handler::ALL, &webhooks, files, force)?;
    }
    input_error(faults)
}

/// The closing message: what was done, and the remaining steps on clusters.
fn closing(webhooks: &Webhooks, is_last: bool) -> String {
    let Api { kind, operator, .. } = &webhooks.api;
    let names = names(webhooks);
    let done = format!(
        "Deleted the webhooks of {kind} in {} for {}. ",
        webhooks.api.api_version(),
        listed(&names)
    );
    if is_last {
        let name = &operator.name;
        let certificate = match webhooks.certificates {
            Certificates::CertManager => {
                "certificates/webhook-certificate issuers/webhook-certificate"
            }
            Certificates::SelfSigned => "secrets/webhook-service-cert",
        };
        return done
            + &format!(
                "Clusters reject objects as long as they have the webhook configurations; apply the CRDs, and remove the configurations:\n  \
                 kubectl delete mutatingwebhookconfigurations,validatingwebhookconfigurations {name}\n  \
                 kubectl delete -n {name}-system services/webhook-service {certificate}\n"
            );
    }
    done + "Apply the new configurations and CRDs to clusters before you deploy the program, which no longer serves these webhooks.\n"
}
