//! `kube-codegen create api --from-crd` and `--from-go`: kinds that exist elsewhere, as annotated
//! types of the operator.
//!
//! The kind is read as `crd` and `go` read it. The written types are read again, and their CRD is
//! compared with the original: whoever that would hurt is an error, any other difference a warning.

use std::path::PathBuf;

use clap::Args;
use kube_crd_diff::{Finding, Severity, compare};
use serde_json::{Value, json};

use crate::{
    Compat, Config, KubernetesTypes, Manifests, Options, Source, Sources,
    emit::{fields::sample, manifests::crds},
    model::{
        ApiSet, Scope, TypeKind, TypeRef, Version,
        names::{compare_versions, upper_camel},
    },
    operator::{
        Api, BARE_OBJECT, Part, annotated, names,
        update::{NewApi, Step},
    },
    output::yaml::to_yaml,
};

use super::{
    Failure,
    create_webhook::undecided,
    finish::Finish,
    new_kind::{check, free_name, place},
    operator::{Files, Project, input_error, refused},
    search::uses_support,
    style,
};

/// Where a kind stands already.
#[derive(Debug, Args)]
#[group(id = "elsewhere", multiple = false)]
pub(super) struct Elsewhere {
    /// Take the kind from a CRD in YAML: its versions become annotated types that generate the same
    /// CRD. --group, --version and --kind say which, if there are several.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plural", "cluster", "from"])]
    from_crd: Option<PathBuf>,
    /// Take the kind from a Go package, such as ./api/v1: its types become annotated Rust.
    #[arg(long, value_name = "PACKAGE", conflicts_with_all = ["plural", "cluster", "from"])]
    from_go: Option<String>,
}

/// A kind that was found.
struct Found {
    group: String,
    kind: String,
    plural: String,
    /// Its CRD, with the versions that become types.
    crd: Value,
}

impl Elsewhere {
    pub(super) const fn is_given(&self) -> bool {
        self.from_crd.is_some() || self.from_go.is_some()
    }

    /// Adds the kind to the operator.
    pub(super) fn create(
        self,
        wanted: [Option<String>; 3],
        dry_run: bool,
        finish: Finish,
    ) -> Result<(), Failure> {
        let project = Project::read(dry_run)?;
        let found = self.found(&project, wanted)?;
        let mut files = project.files();
        write(&project, &found, &mut files)?;
        let mut notes = verify(&project, &found, &files)?;
        if found.crd["spec"]["conversion"]["strategy"] == "Webhook" {
            notes.push(format!(
                "a webhook converts {}: `kube-codegen create webhook --conversion` adds one",
                found.kind
            ));
        }
        if project.operator.converts {
            let model = files.model(&project.configs)?;
            let mut groups = model.groups.iter();
            let group = groups.find(|group| group.name == found.group);
            notes.extend(undecided(group, &found.kind));
        }
        let color = finish.color;
        files.generate(project.configs)?.conclude(finish)?;
        for note in notes {
            style::eprint(&style::note(&note, color));
        }
        let (group, kind) = (&found.group, &found.kind);
        finish.close_with(&format!(
            "Created {kind} of {group} from its definition, without a controller. Next: complete its sample in config/samples, \
             then `kube-codegen create controller --group {group} --version {} --kind {kind}`.\n",
            found.versions().first().copied().unwrap_or_default()
        ))
    }

    /// The one kind that is wanted.
    fn found(
        self,
        project: &Project,
        [group, version, kind]: [Option<String>; 3],
    ) -> Result<Found, Failure> {
        let mut config = match (self.from_crd, self.from_go) {
            (Some(path), _) => Config::new().crds([path]),
            (None, package) => Config::new().go(".", package),
        };
        let group = group.map(|group| project.operator.group(&group).unwrap_or(group));
        config.options.filters.groups.extend(group);
        config.options.filters.versions.extend(version.clone());
        config.options.filters.kinds.extend(kind);
        let manifests = Manifests {
            floats: true,
            ..Manifests::default()
        };
        let config = config.manifests(".", manifests.clone()).manifests_only();
        let api = config.model(&())?;
        let all = of(&api, &manifests)?;
        let [only] = all.as_slice() else {
            let known: Vec<String> = all
                .iter()
                .map(|(group, _, crd)| format!("{} of {group}", text(crd, "kind")))
                .collect();
            return Err(refused(match known.as_slice() {
                [] => "there is no kind: see the filters --group, --version and --kind".to_owned(),
                known => format!(
                    "there are several kinds, {}: choose one with --kind and --group",
                    known.join(", ")
                ),
            }));
        };
        let (group, plural, crd) = only;
        let mut crd = crd.clone();
        if let Some(versions) = crd["spec"]["versions"].as_array_mut() {
            versions.retain(|it| match &version {
                Some(version) => it["name"] == **version,
                None => it["served"] == true,
            });
            let is_other = |it: &Value| it["storage"] != true;
            versions.sort_by(|a, b| {
                let by_name = compare_versions(name_of(a), name_of(b));
                is_other(a).cmp(&is_other(b)).then(by_name)
            });
        }
        Ok(Found {
            group: group.clone(),
            kind: text(&crd, "kind"),
            plural: plural.clone(),
            crd,
        })
    }
}

impl Found {
    /// The names of the versions, the stored one first.
    fn versions(&self) -> Vec<&str> {
        let versions = self.crd["spec"]["versions"].as_array();
        versions.into_iter().flatten().map(name_of).collect()
    }

    /// The model of the versions, as it is read from the CRD. Kubernetes' types that the reader of
    /// annotated Rust does not know become types of the kind.
    fn model(&self) -> Result<ApiSet, Failure> {
        let mut crd = self.crd.clone();
        mark_bare_objects(&mut crd);
        let sources = Sources {
            crds: vec![Source::new("crd.yaml", crd.to_string())],
            ..Sources::default()
        };
        let mut options = Options {
            kubernetes_types: KubernetesTypes::Exact,
            compat: Compat::ControllerGen,
            ..Options::default()
        };
        options.emit.clear();
        options.filters.unserved = true;
        loop {
            let generated = crate::generate(&sources, &options);
            let api = generated.map_err(crate::config::Error::Input)?.api;
            let known = options.renames.len();
            let versions = api.versions();
            let foreign = versions.flat_map(|(_, version)| foreign_fields(version));
            options.renames.extend(foreign);
            if options.renames.len() == known {
                return Ok(api);
            }
        }
    }
}

/// Marks objects without any property for the writer of types, which cannot tell them from open
/// maps in the model.
fn mark_bare_objects(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let has = |key| object.contains_key(key);
            let is_bare = object.get("type") == Some(&json!("object"))
                && !has("properties")
                && !has("additionalProperties")
                && !has("x-kubernetes-embedded-resource");
            if is_bare {
                object.insert("format".to_owned(), json!(BARE_OBJECT));
            }
            object.values_mut().for_each(mark_bare_objects);
        }
        Value::Array(items) => items.iter_mut().for_each(mark_bare_objects),
        _ => {}
    }
}

/// The fields whose type is one of Kubernetes that annotated Rust has no schema for: their paths,
/// with names for types of the kind.
fn foreign_fields(version: &Version) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for def in &version.types {
        let TypeKind::Struct(body) = &def.kind else {
            continue;
        };
        for field in &body.fields {
            if let TypeRef::External(_) = field.ty.element() {
                let path = format!("{}.{}", def.path, field.json_name);
                let name = path.split('.').map(upper_camel).collect();
                found.push((path, name));
            }
        }
    }
    found
}

/// The CRDs of a model, with group and plural.
fn of(api: &ApiSet, manifests: &Manifests) -> Result<Vec<(String, String, Value)>, Failure> {
    let crds = crds(api, manifests, Compat::default());
    Ok(crds.map_err(crate::config::Error::Input)?)
}

fn text(crd: &Value, name: &str) -> String {
    let text = crd["spec"]["names"][name].as_str();
    text.unwrap_or_default().to_owned()
}

fn name_of(version: &Value) -> &str {
    version["name"].as_str().unwrap_or_default()
}

/// Plans the files of all versions.
fn write(project: &Project, found: &Found, files: &mut Files) -> Result<(), Failure> {
    let Found { group, kind, .. } = found;
    let model = found.model()?;
    // The approval of a group of Kubernetes stands in the CRD.
    let approval = &found.crd["metadata"]["annotations"]["api-approved.kubernetes.io"];
    let group_fault = names::group_fault(group).filter(|_| approval.is_null());
    let faults = [group_fault, names::kind_fault(kind)];
    input_error(faults.into_iter().flatten())?;
    let exists = project.versions_of(group, kind).next().is_some();
    for (index, name) in found.versions().into_iter().enumerate() {
        let mut versions = model.versions().map(|(_, version)| version);
        let Some(version) = versions.find(|version| version.name == name) else {
            return Err(refused(format!("{kind} has no schema in {name}")));
        };
        let Some(resource) = version.resources.first() else {
            continue;
        };
        let is_further = exists || index > 0;
        let api = Api {
            plural: found.plural.clone(),
            scope: resource.scope,
            is_further_version: is_further,
            is_first: index == 0 && project.kinds() == 0,
            brings_support: index == 0
                && project.kinds() == 0
                && !uses_support(project, None, files)?,
            ..api(project, found, name, is_further)
        };
        input_error(names::version_fault(name))?;
        check(project, &api, files)?;
        taken_types(
            project,
            &api,
            version.types.iter().map(|def| def.name.as_str()),
        )?;
        let mut new = api.files();
        if let Some(path) = api.path(Part::Types) {
            new.insert(path, annotated(version, resource, !is_further));
        }
        if let Some(path) = api.path(Part::Sample) {
            new.insert(path, sample_text(found, &api));
        }
        place(&api, new, files)?;
        let is_copy = true;
        files.record(Step::Api(NewApi { api, is_copy }));
    }
    Ok(())
}

/// A version of the kind, as the operator's own.
fn api(project: &Project, found: &Found, version: &str, is_further: bool) -> Api {
    let group_module = project.module_of_group(&found.group);
    let module = names::module_of(&found.kind);
    let base = match is_further {
        true => format!("{module}_{version}"),
        false => module.clone(),
    };
    let version_file = format!("src/apis/{group_module}/{version}/mod.rs");
    Api {
        sample: free_name(project, &group_module, &base),
        is_first_of_version: !project.root.join(version_file).exists(),
        group_module,
        module,
        ..Api::elsewhere(&project.operator, &found.group, version, &found.kind)
    }
}

/// Checks that no type of the version has the name of one of the kind's.
fn taken_types<'t>(
    project: &Project,
    api: &Api,
    mut names: impl Iterator<Item = &'t str>,
) -> Result<(), Failure> {
    let versions = project.group(&api.group).into_iter();
    let mut versions = versions.flat_map(|group| &group.versions);
    let here = versions.find(|version| version.name == api.version);
    let taken = names.find(|name| here.is_some_and(|here| here.type_def(name).is_some()));
    input_error(taken.map(|name| {
        format!(
            "{}/{} has a type `{name}` already: rename it first",
            api.group, api.version
        )
    }))
}

/// An object of the kind with all that is required.
fn sample_text(found: &Found, api: &Api) -> String {
    let versions = found.crd["spec"]["versions"].as_array();
    let mut versions = versions.into_iter().flatten();
    let version = versions.find(|it| name_of(it) == api.version);
    let schema = version.map_or(&Value::Null, |it| &it["schema"]["openAPIV3Schema"]);
    let is_namespaced = api.scope == Scope::Namespaced;
    let mut object = sample(&api.api_version(), &api.kind, is_namespaced, schema);
    object["metadata"]["name"] = json!("sample");
    if is_namespaced {
        object["metadata"]["namespace"] = json!(api.operator.home());
    }
    to_yaml(&object)
}

/// Compares the CRD that the written types generate with the original. Returns what differs without
/// hurting anybody.
fn verify(project: &Project, found: &Found, files: &Files) -> Result<Vec<String>, Failure> {
    let api = files.model(&project.configs)?;
    let config = project.configs.first();
    let manifests = config.and_then(|config| config.options.manifests.clone());
    let own = of(&api, &manifests.unwrap_or_default())?;
    let mut own = own.into_iter();
    let own = own.find(|(group, plural, _)| (group, plural) == (&found.group, &found.plural));
    let Some((.., mut own)) = own else {
        // `create` says below where the API is read from.
        return Ok(Vec::new());
    };
    let wanted = found.versions();
    if let Some(versions) = own["spec"]["versions"].as_array_mut() {
        versions.retain(|it| wanted.contains(&name_of(it)));
    }
    let mut original = found.crd.clone();
    normalize(&mut own);
    normalize(&mut original);
    let findings = compare(&original, &own, &kube_crd_diff::Options::default());
    let said = |finding: &Finding| {
        let at = [finding.version.as_str(), finding.path.as_str()];
        let at: Vec<&str> = at.into_iter().filter(|it| !it.is_empty()).collect();
        format!("{}: {}", at.join(" "), finding.message)
    };
    // Descriptions are laid out as documentation.
    let (harmless, harmful): (Vec<&Finding>, Vec<&Finding>) = findings
        .iter()
        .filter(|it| it.rule.id != "description-changed")
        .partition(|it| it.severity() == Severity::Compatible);
    input_error(harmful.into_iter().map(|finding| {
        format!(
            "annotated Rust does not express the CRD of {}: {}",
            found.kind,
            said(finding)
        )
    }))?;
    Ok(harmless
        .into_iter()
        .map(|it| format!("the CRD differs, which hurts nobody: {}", said(it)))
        .collect())
}

/// Removes what is not said by types: conversion, and that there is metadata, which every object
/// has.
fn normalize(crd: &mut Value) {
    if let Some(spec) = crd["spec"].as_object_mut() {
        spec.remove("conversion");
    }
    let versions = crd["spec"]["versions"].as_array_mut();
    for version in versions.into_iter().flatten() {
        let Some(root) = version["schema"]["openAPIV3Schema"].as_object_mut() else {
            continue;
        };
        if let Some(required) = root.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != "metadata");
            if required.is_empty() {
                root.remove("required");
            }
        }
    }
}
