//! `kube-codegen create`.

use crate::{
    config::{FILE_NAME, shown},
    model::{Conversion, Scope},
    operator::{
        Api, Part, builtin_kind, names,
        update::{NewApi, Step},
    },
    output::Tree,
};
use clap::Args;

use super::{
    Failure,
    create_controller::CreateController,
    create_from::Elsewhere,
    create_metric::CreateMetric,
    create_policy::CreatePolicy,
    create_webhook::CreateWebhook,
    finish::Finish,
    kind::{KindArgs, copied, existing, sample_of},
    new_kind::{check, free_name, place},
    operator::{Files, Project, input_error, refused},
    search::uses_support,
    style::{self, Color},
};

/// Add to an operator that `kube-codegen init` started.
#[derive(Debug, Args)]
pub(super) struct Create {
    #[command(subcommand)]
    what: What,
}

commands! {
    What;

    /// Add a kind: types, controller, tests and sample, and all code generated from them.
    Api(CreateApi),
    /// Add a controller, with its tests, for a kind of Kubernetes itself, or for a kind that was
    /// created without one.
    Controller(CreateController),
    /// Add a metric to the operator's own table, src/metrics.rs.
    Metric(CreateMetric),
    /// Write the CEL rules of a kind as a ValidatingAdmissionPolicy with its binding.
    Policy(CreatePolicy),
    /// Add webhooks to a kind: handlers, their tests, and the code and manifests that serve and
    /// deploy them.
    Webhook(CreateWebhook),
}

/// Add a kind: types, controller, tests and sample, and all code generated from them.
///
/// The new files are yours and are never overwritten. The kind also gets a line in each of a few
/// files of yours, which are otherwise unchanged. Clients, CRD and roles are generated in the same
/// run. Nothing is written unless everything succeeds.
#[derive(Debug, Args)]
#[command(
    override_usage = "kube-codegen create api [OPTIONS] --group <GROUP> --version <VERSION> --kind <KIND>\n       \
                      kube-codegen create api [OPTIONS] --from-crd <FILE>\n       \
                      kube-codegen create api [OPTIONS] --from-go <PACKAGE>"
)]
pub(super) struct CreateApi {
    #[command(flatten)]
    kind: NewKind,
    /// The plural, used in URLs [default: the English plural, or that of the kind's other
    /// versions].
    #[arg(long)]
    plural: Option<String>,
    /// Make the kind cluster-scoped instead of namespaced.
    #[arg(long)]
    cluster: bool,
    /// Copy the types and the sample of this version of the kind.
    #[arg(long, value_name = "VERSION")]
    from: Option<String>,
    #[command(flatten)]
    elsewhere: Elsewhere,
    /// Do not add a controller and its tests; `create controller` can add them later.
    #[arg(long)]
    no_controller: bool,
    /// Let every replica reconcile its part of the objects when the operator runs with --shard-by;
    /// otherwise only the leader does.
    #[arg(long, conflicts_with_all = ["no_controller", "from", "elsewhere"])]
    sharded: bool,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

/// The name of a kind that is new to the operator.
#[derive(Debug, Args)]
struct NewKind {
    /// The group: a single label, to which the operator's domain is appended, or a full name.
    #[arg(long, required_unless_present = "elsewhere")]
    group: Option<String>,
    /// The version, such as v1alpha1.
    #[arg(long, required_unless_present = "elsewhere")]
    version: Option<String>,
    /// The kind, such as Widget.
    #[arg(long, required_unless_present = "elsewhere")]
    kind: Option<String>,
}

impl Create {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        self.what.run(color)
    }
}

impl CreateApi {
    fn run(self, color: Color) -> Result<(), Failure> {
        let NewKind {
            group,
            version,
            kind,
        } = self.kind;
        if self.elsewhere.is_given() {
            let finish = Finish::of_edits(self.dry_run, color);
            return self
                .elsewhere
                .create([group, version, kind], self.dry_run, finish);
        }
        let kind = KindArgs {
            group: group.unwrap_or_default(),
            version: version.unwrap_or_default(),
            kind: kind.unwrap_or_default(),
        };
        let described = Described {
            kind,
            plural: self.plural,
            cluster: self.cluster,
            from: self.from,
            no_controller: self.no_controller,
            sharded: self.sharded,
            dry_run: self.dry_run,
        };
        described.run(color)
    }
}

/// A kind as described on the command line.
struct Described {
    kind: KindArgs,
    plural: Option<String>,
    cluster: bool,
    from: Option<String>,
    no_controller: bool,
    sharded: bool,
    dry_run: bool,
}

impl Described {
    fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let group = self.kind.checked_group(&project)?;
        input_error(self.plural.as_deref().and_then(names::plural_fault))?;
        let mut files = project.files();
        let api = self.api(&project, group, &files)?;
        check(&project, &api, &files)?;
        let mut new = api.files();
        new.extend(self.copied(&project, &api, &files)?);
        place(&api, new, &mut files)?;
        files.record(Step::Api(NewApi {
            api: api.clone(),
            is_copy: self.from.is_some(),
        }));
        let kinds = project.kinds();
        let conversion = unconverted(&project, &api);
        let meant = self.of_kubernetes(&api);
        let replicas = self.replicas();
        let types = api
            .path(Part::Types)
            .map(|path| shown(&project.root.join(path)));
        let changes = files.generate(project.configs)?;
        if changes.kinds() <= kinds {
            let codegen_toml = shown(&project.root.join(FILE_NAME));
            return Err(refused(format!(
                "{} would be written to src/apis, but {codegen_toml} reads the API from elsewhere: set in its [crate.rust] `apis = \"src/apis\"`",
                api.kind
            )));
        }
        let finish = Finish::of_edits(self.dry_run, color);
        changes.conclude(finish)?;
        for note in conversion.into_iter().chain(meant).chain(replicas) {
            style::eprint(&style::note(&note, color));
        }
        let (kind, version) = (&api.kind, format!("{}/{}", api.group, api.version));
        let without = match &api.controller {
            Some(_) => "",
            None => ", without a controller of its own",
        };
        let (of_other, next) = match &self.from {
            Some(from) => (format!(", with the types of {from}"), "change"),
            None => (String::new(), "write"),
        };
        finish.close_with(&format!(
            "Created {kind} of {version}{of_other}{without}. Next: {next} its fields in {}, run `kube-codegen generate`, then `cargo test`.\n",
            types.unwrap_or_default()
        ))
    }

    /// What lets every replica work.
    fn replicas(&self) -> Option<String> {
        let by = if self.cluster { "uid" } else { "namespace" };
        self.sharded.then(|| {
            format!("only the leader works until `--shard-by={by}` is among the `args` in config/deployment.yaml")
        })
    }

    /// What to do if a kind of Kubernetes was meant, whose group is written as it is in manifests.
    fn of_kubernetes(&self, api: &Api) -> Option<String> {
        let KindArgs {
            group,
            version,
            kind,
        } = &self.kind;
        let found =
            builtin_kind(group, version, kind).or_else(|| builtin_kind(group, "v1", kind))?;
        let version = found.version;
        Some(format!(
            "{kind} of {group}/{version} is a kind of Kubernetes, and this one is {kind} of {}: for a controller of Kubernetes' kind, \
             use `kube-codegen create controller --group {group} --version {version} --kind {kind}` instead",
            api.group
        ))
    }

    /// The files that are copies of those of another version.
    fn copied(&self, project: &Project, api: &Api, files: &Files) -> Result<Tree, Failure> {
        let Some(from) = &self.from else {
            return Ok(Tree::new());
        };
        let resource = self.kind.resource_of(project, &api.group, from);
        let resource = resource.map_err(refused)?;
        let other = existing(project, &api.group, from, resource, files)?;
        // A sample is needed, since the one that `create api` writes has the fields that it gives
        // to types.
        sample_of(&other, files)?;
        copied(project, api, &other, files)?.ok_or_else(|| {
            let types = other.path(Part::Types).unwrap_or_default();
            refused(format!(
                "{} does not exist: the types of {} in {from} are elsewhere, copy them yourself",
                shown(&project.root.join(types)),
                api.kind
            ))
        })
    }

    /// The kind to create, consistent with its other versions.
    fn api(&self, project: &Project, group: String, files: &Files) -> Result<Api, Failure> {
        let KindArgs { version, kind, .. } = &self.kind;
        let group_module = project.module_of_group(&group);
        let other = project.versions_of(&group, kind).next();
        if let Some((other, resource)) = other.filter(|(other, _)| other.name != *version) {
            let plural = self
                .plural
                .as_ref()
                .filter(|plural| **plural != resource.plural);
            let is_other = self.cluster && resource.scope != Scope::Cluster;
            let is_late = self.sharded.then(|| {
                format!("--sharded: {kind} exists in {}, whose controller is the only one; it is sharded with `.sharded(shared.sharding.clone())`", other.name)
            });
            let faults = [
                plural.map(|plural| format!("the plural `{plural}`: {kind} is `{}` in {}, and has one plural in all versions", resource.plural, other.name)),
                is_other.then(|| format!("--cluster: {kind} is namespaced in {}, and has one scope in all versions", other.name)),
                is_late,
            ];
            input_error(faults.into_iter().flatten())?;
        }
        let resource = other.map(|(_, resource)| resource);
        let plural = resource.map(|resource| resource.plural.clone());
        let scope = resource.map_or(Scope::Namespaced, |resource| resource.scope);
        let plural = self.plural.clone().or(plural);
        let module = names::module_of(kind);
        let name = free_name(project, &group_module, &module);
        let sample = match other {
            Some(_) => free_name(project, &group_module, &format!("{module}_{version}")),
            None => name.clone(),
        };
        let version_file = format!("src/apis/{group_module}/{version}/mod.rs");
        Ok(Api {
            operator: project.operator.clone(),
            is_first_of_version: !project.root.join(version_file).exists(),
            is_further_version: other.is_some(),
            is_first: project.kinds() == 0,
            brings_support: project.kinds() == 0 && !uses_support(project, None, files)?,
            has_example: true,
            is_sharded: self.sharded,
            group_module,
            group,
            version: version.clone(),
            kind: kind.clone(),
            sample,
            controller: (!self.no_controller && other.is_none()).then_some(name),
            module,
            plural: plural.unwrap_or_else(|| names::plural_of(kind)),
            scope: if self.cluster { Scope::Cluster } else { scope },
        })
    }
}

/// The next step if a webhook converts the kind and does not support the new version yet.
fn unconverted(project: &Project, api: &Api) -> Option<String> {
    let Api {
        group,
        kind,
        version,
        ..
    } = api;
    let mut versions = project.versions_of(group, kind);
    let (stored, resource) = versions.find(|(_, resource)| resource.storage)?;
    (resource.conversion != Conversion::None).then(|| {
        format!(
            "a webhook converts {kind} and does not support {version} yet: `kube-codegen create webhook --group {group} --version {} --kind {kind} --conversion` adds it",
            stored.name
        )
    })
}
