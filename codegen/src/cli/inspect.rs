//! `kube-codegen inspect`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use crate::{
    Config, Diagnostics, KubernetesVersion,
    model::{ApiSet, FieldUnion, Origin, Resource, Scope, TypeDef, TypeKind, UnionBound},
};
use clap::Args;

use super::{Failure, inputs::configs, progress::Bar, style, style::Color};

/// Show the API as the generator understands it.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    /// CRD files, folders of CRDs or of annotated Rust (`<group>/<version>/*.rs`), crates, Go
    /// modules, a codegen.toml, or `-`; by default what codegen.toml declares.
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// The codegen.toml to use.
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    config: Option<PathBuf>,
    /// Print the whole model as JSON.
    #[arg(long)]
    json: bool,
    /// Print the names of all types from CRDs as `renames` for codegen.toml, which keep them stable
    /// if later releases of the CRDs would change them.
    #[arg(long, conflicts_with_all = ["json", "explain"])]
    renames: bool,
    /// Print which objects of CRDs at PATH and nested in it became Kubernetes' own types, and why
    /// the others did not. PATH is a kind followed by the properties that lead to an object:
    /// `VirtualMachine.spec.template`.
    #[arg(long, value_name = "PATH", conflicts_with = "json")]
    explain: Option<String>,
    /// The lowest Kubernetes version whose types may be used for objects of CRDs.
    #[arg(long, value_name = "VERSION", value_parser = KubernetesVersion::parse, requires = "inputs")]
    kubernetes_version: Option<KubernetesVersion>,
}

impl Inspect {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let mut configs = configs(self.inputs, self.config)?;
        if let Some(version) = self.kubernetes_version {
            configs = configs
                .into_iter()
                .map(|config| config.kubernetes_version(version))
                .collect();
        }
        if let Some(path) = self.explain {
            return explain(configs, &path);
        }
        let bar = Bar::default();
        let mut sets = Vec::new();
        let mut warnings = Diagnostics::new();
        for config in configs {
            let read = config.emit([]).generated(&bar)?;
            sets.push(read.api);
            warnings.extend(read.warnings);
        }
        drop(bar);
        style::warn(&warnings, color);
        let text = if self.json {
            json(&sets)
        } else if self.renames {
            renames(&sets)
        } else {
            sets.iter().map(text).collect::<Vec<_>>().join("\n")
        };
        style::print(&text)
    }
}

/// Prints a line for each object. A crate without the path is only an error if no crate has it.
fn explain(configs: Vec<Config>, path: &str) -> Result<(), Failure> {
    let bar = Bar::default();
    let mut lines = String::new();
    let mut failure = None;
    for config in configs {
        match config.explained(path, &bar) {
            Ok(found) => lines.extend(found.iter().map(|one| format!("{one}\n"))),
            Err(error) => failure = Some(error),
        }
    }
    drop(bar);
    match failure {
        Some(error) if lines.is_empty() => Err(error.into()),
        _ => style::print(&lines),
    }
}

/// A single API as an object, several as a list.
fn json(sets: &[ApiSet]) -> String {
    let text = match sets {
        [set] => serde_json::to_string_pretty(set),
        sets => serde_json::to_string_pretty(sets),
    };
    text.unwrap_or_default() + "\n"
}

/// A table of names by path. Renames apply to all versions, so names and paths that differ between
/// versions are left out.
fn renames(sets: &[ApiSet]) -> String {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut paths: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let versions = sets
        .iter()
        .flat_map(ApiSet::versions)
        .map(|(_, version)| version);
    for version in versions.filter(|version| version.origin == Origin::Crd) {
        for def in version
            .types
            .iter()
            .filter(|def| def.path.contains(['.', '[']))
        {
            names.entry(&def.path).or_default().insert(&def.name);
            paths.entry(&def.name).or_default().insert(&def.path);
        }
    }
    let mut out = "[crate.renames]\n".to_owned();
    for (path, named) in names {
        if let (1, Some(name)) = (named.len(), named.first())
            && paths.get(name).is_some_and(|paths| paths.len() == 1)
        {
            out += &format!("{path:?} = {name:?}\n");
        }
    }
    out
}

/// Groups, versions, resources and unions, indented.
fn text(set: &ApiSet) -> String {
    let mut out = String::new();
    for group in &set.groups {
        out += &format!("{} (module {})\n", group.name, group.module);
        for version in &group.versions {
            let types = style::count(version.types.len(), "type");
            out += &format!("  {} (module {}, {types})\n", version.name, version.path);
            for resource in &version.resources {
                out += &describe(resource);
            }
            out.extend(version.types.iter().map(unions));
        }
    }
    out
}

/// A line for each union of a type.
fn unions(def: &TypeDef) -> String {
    let TypeKind::Struct(body) = &def.kind else {
        return String::new();
    };
    let line = |union: &FieldUnion| {
        let bound = match union.bound {
            UnionBound::ExactlyOne => "exactly one",
            UnionBound::AtMostOne => "at most one",
            UnionBound::AtLeastOne => "at least one",
        };
        let members = union.members.iter();
        let members: Vec<&str> = members.map(|member| member.field.as_str()).collect();
        let by = union.discriminator.as_ref();
        let by = by.map_or_else(String::new, |by| format!(", by {by}"));
        let members = members.join(", ");
        format!("    union in {}: {bound} of {members}{by}\n", def.name)
    };
    body.unions.iter().map(line).collect()
}

fn describe(resource: &Resource) -> String {
    let mut facts = vec![
        resource.plural.clone(),
        match resource.scope {
            Scope::Namespaced => "namespaced".to_owned(),
            Scope::Cluster => "cluster-scoped".to_owned(),
        },
    ];
    if !resource.short_names.is_empty() {
        facts.push(format!("short {}", resource.short_names.join(" ")));
    }
    if resource.status_subresource {
        facts.push("status".to_owned());
    }
    if resource.scale_subresource.is_some() {
        facts.push("scale".to_owned());
    }
    if resource.storage {
        facts.push("stored".to_owned());
    }
    let verbs: Vec<&str> = resource
        .verbs
        .0
        .iter()
        .map(|verb| verb.marker_name())
        .collect();
    let methods: Vec<&str> = resource
        .methods
        .iter()
        .map(|method| method.name.as_str())
        .collect();
    let mut out = format!("    {}: {}\n", resource.kind, facts.join(", "));
    if resource.client {
        let all = [verbs, methods].concat();
        out += &format!("      client {}: {}\n", resource.client_name, all.join(" "));
    } else {
        out += "      no client\n";
    }
    out
}
