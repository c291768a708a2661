//! `kube-codegen create webhook`.

use crate::{
    config::{FILE_NAME, shown},
    emit::{self, Undecided},
    model::{Conversion, Group},
    operator::{Api, Certificates, Handler, Webhooks, update::Step},
    options::type_path,
};
use clap::Args;

use super::{
    Failure,
    finish::Finish,
    kind::KindArgs,
    operator::{Files, Project, input_error, refused},
    style::Color,
    webhooks::{has, read_sample, spokes},
};

/// Add webhooks to a kind: handlers, their tests, and the code and manifests that serve and deploy
/// them.
///
/// A kind of Kubernetes is named as in its manifests:
/// `--group apps --version v1 --kind Deployment`; the core group is `core`. The new files are yours
/// and are never overwritten. The program serves all webhooks of the operator; `demo` and tests
/// call them without certificates. In clusters, the certificate comes from cert-manager
/// (config/webhooks), or from the program itself with --self-signed. Existing webhooks are
/// unchanged.
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
    /// The path of the kind's type in a dependency, for a kind of another project, such as
    /// cert_manager::v1::Certificate. It implements kube's Resource; the generated tests also need
    /// Default.
    #[arg(long = "type", value_name = "PATH", requires = "plural", conflicts_with = "conversion", value_parser = type_path)]
    elsewhere: Option<String>,
    /// With --type: the kind's plural, as in the name of its CRD.
    #[arg(long, requires = "elsewhere")]
    plural: Option<String>,
    /// Let the program issue and renew the certificate itself, in a Secret that its replicas share;
    /// clusters then need no cert-manager. The operator's first webhooks determine this for all of
    /// them.
    #[arg(long)]
    self_signed: bool,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl CreateWebhook {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let mut webhooks = match (&self.elsewhere, &self.plural) {
            (Some(path), Some(plural)) => {
                self.kind
                    .of_other_project(&project, (path, plural), &files)?
            }
            _ => self.kind.hooked(&project, &files)?,
        };
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
        if self.conversion {
            let Api { group, kind, .. } = &webhooks.api;
            files.left.extend(undecided(project.group(group), kind));
        }
        plan(&project, &webhooks, is_first, &mut files)?;
        files.record(Step::Webhooks(webhooks.clone()));
        let finish = Finish::of_edits(self.dry_run, color);
        let write = match webhooks.has_tests() {
            true => format!(
                "write them in {}, then ",
                shown(&files.root().join(webhooks.path()))
            ),
            false => String::new(),
        };
        files.generate(project.configs)?.conclude(finish)?;
        let names = named(&webhooks);
        finish.close_with(&format!(
            "Created the webhooks of {} in {} for {names}. Next: {write}`cargo test`. \
             In clusters, {} makes their certificate.\n",
            webhooks.api.kind,
            webhooks.api.api_version(),
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
            webhooks.api.api_version(),
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

/// Checks that there are other versions to convert, and that the named version is the storage
/// version.
fn check_versions(project: &Project, webhooks: &Webhooks) -> Result<(), Failure> {
    let Api {
        kind,
        group,
        version,
        ..
    } = &webhooks.api;
    if webhooks.elsewhere.is_some() {
        return Err(refused(format!(
            "the API server itself converts between the versions of {kind}: leave --conversion out"
        )));
    }
    if !project.operator.converts {
        return Err(refused(format!(
            "{} does not select the generator of conversions: give it `emit = [\"all\", \"conversion\"]` in its [[crate]], \
             and the module of each version `pub mod zz_generated_conversion;`; conversions by hand are registered by hand",
            shown(&project.root.join(FILE_NAME))
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

/// What the build will ask the user to write: what conversions of the kind do not decide.
pub(super) fn undecided(group: Option<&Group>, kind: &str) -> Vec<String> {
    let all = group.into_iter().flat_map(emit::undecided);
    let own = all.filter(|it| it.kind == kind);
    let notes = own.map(|Undecided { spoke, hub, name, functions, .. }| {
        let functions = functions.iter().map(|name| format!("`{name}`"));
        let functions: Vec<String> = functions.collect();
        format!(
            "rules cannot decide the conversion of {kind} between {spoke} and {hub}: implement `{name}` of {spoke}'s \
             `zz_generated_conversion` for the {kind} of {spoke}, with {}; until then the build fails",
            listed(&functions)
        )
    });
    notes.collect()
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
    let conversion = (!webhooks.spokes.is_empty())
        .then(|| format!("conversion of {}", webhooks.spokes.join(" and ")));
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
