//! `kube-codegen create webhook`.

use std::path::Path;

use crate::{
    config::{FILE_NAME, shown},
    model::{Conversion, Resource, TypeKind, Version, Versioned},
    operator::{Api, Builtin, Certificates, Handler, Spoke, Webhooks},
};
use clap::Args;

use super::{
    Failure,
    finish::Finish,
    kind::{KindArgs, sample_of},
    operator::{Files, Project, input_error, refused},
    style::Color,
};

/// Add webhooks to a kind: handlers, their tests, and the code and manifests that serve and deploy them.
///
/// A kind of Kubernetes is named as in its manifests: `--group apps --version v1 --kind Deployment`; the core group is `core`.
/// The new files are yours and are never overwritten. The program serves all webhooks of the operator; `demo` and tests call them
/// without certificates. In clusters, the certificate comes from cert-manager (config/webhooks), or from the program itself with
/// --self-signed. Existing webhooks are unchanged.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("handlers").required(true).multiple(true)))]
pub(super) struct CreateWebhook {
    #[command(flatten)]
    kind: KindArgs,
    /// Add a defaulting webhook, which sets absent fields before objects are stored.
    #[arg(long, group = "handlers")]
    defaulting: bool,
    /// Add a validating webhook, which rejects objects on creation, update or deletion.
    #[arg(long, group = "handlers")]
    validation: bool,
    /// Add a conversion webhook between the versions of the kind; --version is the storage version.
    #[arg(long, group = "handlers")]
    conversion: bool,
    /// Let the program issue and renew the certificate itself, in a Secret that its replicas share; clusters then need no
    /// cert-manager. The operator's first webhooks determine this for all of them.
    #[arg(long)]
    self_signed: bool,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl CreateWebhook {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = Files::new(project.root.clone());
        let mut webhooks = self.kind.hooked(&project, &files)?;
        if self.conversion {
            check_versions(&project, &webhooks)?;
        }
        self.choose(&project, &mut webhooks, &files)?;
        read_sample(&mut webhooks, &files)?;
        let is_first = files.text(&Webhooks::module_path())?.is_none();
        if self.self_signed {
            sign(&project, &mut webhooks, is_first)?;
        }
        check_free(&project, &webhooks, is_first)?;
        files.left.extend(losses(&project, &webhooks));
        plan(&project, &webhooks, is_first, &mut files)?;
        let finish = Finish::of_edits(self.dry_run, color);
        let mut written = vec![shown(&files.root().join(webhooks.path()))];
        for spoke in &webhooks.spokes {
            let [path, _] = webhooks.spoke_paths(&spoke.version);
            written.push(shown(&files.root().join(path)));
        }
        files.generate(project.configs)?.conclude(finish)?;
        let names = named(&webhooks);
        finish.close_with(&format!(
            "Created the webhooks of {} in {} for {names}. Next: write them in {}, then `cargo test`. \
             In clusters, {} makes their certificate.\n",
            webhooks.api.kind,
            webhooks.api_version(),
            written.join(" and "),
            maker(webhooks.certificates)
        ))
    }

    /// Selects the requested handlers that do not exist yet.
    fn choose(
        &self,
        project: &Project,
        webhooks: &mut Webhooks,
        files: &Files,
    ) -> Result<(), Failure> {
        let asked = [
            (self.defaulting, Handler::Defaulting),
            (self.validation, Handler::Validation),
            (self.conversion, Handler::Conversion),
        ];
        let mut there = Vec::new();
        for (_, handler) in asked.into_iter().filter(|(is_asked, _)| *is_asked) {
            if has(project, webhooks, handler, files)? {
                there.push(handler.name());
            } else {
                webhooks.handlers.push(handler);
            }
        }
        if self.conversion {
            webhooks.spokes = spokes(project, webhooks, files, false)?;
        }
        if !webhooks.handlers.is_empty() || !webhooks.spokes.is_empty() {
            return Ok(());
        }
        let at = shown(&files.root().join(webhooks.path()));
        Err(refused(format!(
            "{} of {} has webhooks for {} already, in {at}",
            webhooks.api.kind,
            webhooks.api_version(),
            listed(&there)
        )))
    }
}

/// Makes the program issue its certificate, unless cert-manager already does.
fn sign(project: &Project, webhooks: &mut Webhooks, is_first: bool) -> Result<(), Failure> {
    if is_first {
        webhooks.certificates = Certificates::SelfSigned;
    }
    match webhooks.certificates {
        Certificates::SelfSigned => Ok(()),
        Certificates::CertManager => Err(refused(format!(
            "--self-signed: the webhooks of this operator have a certificate of cert-manager's, by {}; \
             remove all of them with `kube-codegen delete webhook` first",
            shown(&project.root.join(Certificates::DEPLOYED_BY))
        ))),
    }
}

/// The issuer of certificates, in prose.
const fn maker(certificates: Certificates) -> &'static str {
    match certificates {
        Certificates::CertManager => "cert-manager",
        Certificates::SelfSigned => "the program itself",
    }
}

/// Checks that there are other versions to convert, and that the named version is the storage version.
fn check_versions(project: &Project, webhooks: &Webhooks) -> Result<(), Failure> {
    let Api {
        kind,
        group,
        version,
        ..
    } = &webhooks.api;
    if webhooks.builtin.is_some() {
        return Err(refused(format!(
            "the API server itself converts between the versions of {kind}: leave --conversion out"
        )));
    }
    let versions: Vec<_> = project.versions_of(group, kind).collect();
    if versions.len() < 2 {
        return Err(refused(format!(
            "{kind} of {group} has only one version, so there is nothing to convert: add another version with `kube-codegen create api`"
        )));
    }
    let stored = versions.iter().find(|(_, resource)| resource.storage);
    match stored {
        Some((stored, _)) if stored.name != *version => Err(refused(format!(
            "{kind} of {group} is stored in {}, which all conversions go through: use --version {}",
            stored.name, stored.name
        ))),
        _ => Ok(()),
    }
}

impl KindArgs {
    /// The existing or future webhooks of the kind, which may be one of Kubernetes, without handlers.
    pub(super) fn hooked(&self, project: &Project, files: &Files) -> Result<Webhooks, Failure> {
        if let Some(builtin) = self.builtin(project)? {
            return webhooks_of(project, builtin.api(), Some(builtin), files);
        }
        let (api, _) = self.existing(project, files)?;
        existing(project, api, files)
    }
}

/// The existing or future webhooks of a kind of the operator, without handlers.
pub(super) fn existing(project: &Project, api: Api, files: &Files) -> Result<Webhooks, Failure> {
    webhooks_of(project, api, None, files)
}

fn webhooks_of(
    project: &Project,
    api: Api,
    builtin: Option<Builtin>,
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
    let fields = project
        .versions_of(&api.group, &api.kind)
        .find(|(version, _)| version.name == api.version)
        .map(|(version, resource)| fields(version, resource));
    let mut webhooks = Webhooks {
        certificates: Certificates::of_component(&component.unwrap_or_default()),
        fields: fields.unwrap_or_default(),
        module: api.module.clone(),
        sample: String::new(),
        namespace: String::new(),
        handlers: Vec::new(),
        spokes: Vec::new(),
        configurations: configurations.to_owned(),
        builtin,
        api,
    };
    // The exact import, since a module with a conversion also names the versions that it converts.
    let import = format!("use {};", webhooks.import());
    let title = format!("`{}` in `{}`", webhooks.api.kind, webhooks.api_version());
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
) -> Result<Vec<Spoke>, Failure> {
    let api = &webhooks.api;
    let versions = project.versions_of(&api.group, &api.kind);
    let others = versions.filter(|(version, _)| version.name != api.version);
    let mut spokes = Vec::new();
    for (version, resource) in others {
        let [path, _] = webhooks.spoke_paths(&version.name);
        if files.text(&path)?.is_some() == are_there {
            spokes.push(Spoke {
                version: version.name.clone(),
                fields: fields(version, resource),
            });
        }
    }
    Ok(spokes)
}

/// What the new conversions lose until the user writes more, in prose.
fn losses(project: &Project, webhooks: &Webhooks) -> Vec<String> {
    let Api {
        kind,
        group,
        version: hub,
        ..
    } = &webhooks.api;
    let versions = project.versions_of(group, kind);
    let versions = versions.map(|(version, resource)| Versioned { version, resource });
    let versions: Vec<Versioned<'_>> = versions.collect();
    let named = |name: &str| versions.iter().find(|one| one.version.name == name);
    let mut lost = Vec::new();
    for spoke in &webhooks.spokes {
        let Some((spoke, hub)) = named(&spoke.version).zip(named(hub)) else {
            continue;
        };
        for (has, lacks) in [(spoke, hub), (hub, spoke)] {
            let missing = has.missing_from(*lacks);
            if !missing.is_empty() {
                lost.push(format!(
                    "{} of {} is lost in {}, which has no such field: convert it, or keep it in an annotation; until then \
                     the test `no_field_is_lost` fails",
                    listed(&missing),
                    has.version.name,
                    lacks.version.name
                ));
            }
        }
    }
    lost
}

/// The Rust names of the fields of a kind's root type.
pub(super) fn fields(version: &Version, resource: &Resource) -> Vec<String> {
    let mut types = version.types.iter();
    let root = types.find(|def| def.name == resource.root);
    match root.map(|def| &def.kind) {
        Some(TypeKind::Struct(root)) => {
            let names = root.fields.iter().map(|field| field.rust_name.clone());
            names.collect()
        }
        _ => ["metadata", "spec", "status"].map(str::to_owned).to_vec(),
    }
}

/// Reads name and namespace of the sample, which the tests start with.
pub(super) fn read_sample(webhooks: &mut Webhooks, files: &Files) -> Result<(), Failure> {
    if webhooks.builtin.is_none() {
        (webhooks.sample, webhooks.namespace) = sample_of(&webhooks.api, files)?;
    }
    Ok(())
}

/// Checks that the files to write do not exist.
fn check_free(project: &Project, webhooks: &Webhooks, is_first: bool) -> Result<(), Failure> {
    let shared = match is_first {
        true => webhooks.shared_files(),
        false => crate::output::Tree::new(),
    };
    let spokes = webhooks.spoke_files();
    // The module with all webhooks may be in either file.
    let other = is_first.then(|| std::path::PathBuf::from("src/webhooks.rs"));
    let paths = shared.keys().chain(&other).chain(spokes.keys());
    let taken = paths.filter(|path| project.root.join(path).symlink_metadata().is_ok());
    input_error(taken.map(|path| project.taken(path)))
}

/// Plans the files and the lines in existing files.
fn plan(
    project: &Project,
    webhooks: &Webhooks,
    is_first: bool,
    files: &mut Files,
) -> Result<(), Failure> {
    if is_first {
        for (path, text) in webhooks.shared_files() {
            files.write(path, text);
        }
        for edit in webhooks.shared_edits() {
            files.add(&edit)?;
        }
    }
    if files.text(&webhooks.path())?.is_none() {
        files.write(webhooks.path(), webhooks.head());
    }
    if webhooks.has_tests() && files.text(&webhooks.test_path())?.is_none() {
        files.write(webhooks.test_path(), webhooks.test_head());
    }
    for (path, text) in webhooks.spoke_files() {
        files.write(path, text);
    }
    files.add(&webhooks.file_edit())?;
    if webhooks.has_tests() {
        files.add(&webhooks.test_file_edit())?;
    }
    for edit in webhooks.edits() {
        files.add(&edit)?;
    }
    let is_admission = webhooks
        .handlers
        .iter()
        .any(|it| *it != Handler::Conversion);
    if is_admission && project.api.webhooks.is_empty() {
        for edit in webhooks.configuration_edits() {
            files.add(&edit)?;
        }
    }
    for handler in &webhooks.handlers {
        if let Some(marker) = webhooks.configuration_marker(*handler)
            && !webhooks.has_others(*handler, &project.api)
        {
            files.add(&marker)?;
        }
    }
    let Api {
        group,
        version,
        kind,
        ..
    } = &webhooks.api;
    let mut versions = project.versions_of(group, kind);
    let is_marked = versions
        .any(|(it, resource)| it.name == *version && resource.conversion != Conversion::None);
    if webhooks.handlers.contains(&Handler::Conversion) && !is_marked {
        files.add(&webhooks.conversion_marker())?;
    }
    Ok(())
}

/// The added webhooks, in prose.
fn named(webhooks: &Webhooks) -> String {
    let handlers = webhooks.handlers.iter().map(|handler| match handler {
        Handler::Conversion => None,
        _ => Some(handler.name().to_owned()),
    });
    let spokes = webhooks.spokes.iter().map(|spoke| &spoke.version);
    let spokes: Vec<&str> = spokes.map(String::as_str).collect();
    let conversion =
        (!spokes.is_empty()).then(|| format!("conversion of {}", spokes.join(" and ")));
    let names: Vec<String> = handlers.flatten().chain(conversion).collect();
    listed(&names)
}

/// `a, b and c`.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} and {last}", before.join(", "))
        }
        _ => names.concat(),
    }
}
