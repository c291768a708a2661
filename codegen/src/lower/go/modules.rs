//! Which packages are versions of an API, and the modules in which their types and those of other packages stand.

use std::collections::{BTreeMap, BTreeSet};

use super::{cx::Cx, known, roots};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::names,
    options::Options,
    read::{
        go::Package,
        markers::{
            crd::Skip,
            package::{GroupGoName, GroupName, VersionName},
        },
    },
};

/// A package that is a version of an API.
pub(super) struct ApiPackage<'a> {
    pub(super) package: &'a Package,
    pub(super) group: &'a str,
    pub(super) group_module: String,
    pub(super) type_prefix: String,
    pub(super) name: String,
    pub(super) module: String,
}

/// A package with API objects before modules are named.
struct Candidate<'a> {
    package: &'a Package,
    group: &'a str,
    name: String,
}

/// Finds the versions among the requested packages, and says where the types of every package stand.
pub(super) fn settle<'a>(
    cx: &mut Cx<'a>,
    packages: &'a [Package],
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<ApiPackage<'a>> {
    let candidates = candidates(cx, packages, options, diagnostics);
    let groups: BTreeSet<&str> = candidates.iter().map(|found| found.group).collect();
    let group_modules = names::module_names(groups.iter().copied());
    let mut versions = Vec::new();
    for Candidate {
        package,
        group,
        name,
    } in candidates
    {
        let group_module = group_modules
            .get(group)
            .cloned()
            .unwrap_or_else(|| names::qualified_module_name(group));
        let module = names::plain_ident(&names::snake_case(&name));
        let path = format!(
            "{}::apis::{}::{}",
            options.base_path,
            names::ident(&group_module),
            names::ident(&module)
        );
        cx.settle(&package.path, path);
        let prefix = package.markers.get::<GroupGoName>();
        versions.push(ApiPackage {
            package,
            group,
            type_prefix: prefix.map_or_else(|| names::go_name(group), |found| found.marker.name),
            group_module,
            name,
            module,
        });
    }
    versions.sort_by(|a, b| (a.group, &a.name).cmp(&(b.group, &b.name)));
    let taken: BTreeSet<String> = group_modules.into_values().collect();
    let others = packages.iter().map(|package| package.path.as_str());
    let others: Vec<&str> = others.filter(|path| cx.home(path).is_none()).collect();
    for (path, module) in package_modules(&others, taken) {
        let home = format!("{}::apis::{}", options.base_path, names::ident(&module));
        cx.settle(path, home);
    }
    versions
}

fn candidates<'a>(
    cx: &Cx<'a>,
    packages: &'a [Package],
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    for package in packages.iter().filter(|package| package.requested) {
        let markers = &package.markers;
        let mut roots = package.types.iter().filter(|decl| {
            matches!(
                roots::role(cx, package, decl),
                roots::Role::Root | roots::Role::Object
            )
        });
        let Some(first) = roots.next().filter(|_| !markers.has::<Skip>()) else {
            continue;
        };
        let Some(group) = group_of(package) else {
            // Types of other uses, such as a scheme's own, need no group.
            if roots::role(cx, package, first) == roots::Role::Root {
                diagnostics.push(
                    Diagnostic::error(format!("the package {} names no API group", package.path))
                        .at(first.place.clone(), "an API object")
                        .help("write `// +groupName=<group>` above the package clause, such as in doc.go"),
                );
            }
            continue;
        };
        let version = markers.get::<VersionName>();
        let name = version.map_or_else(|| package.name.clone(), |found| found.marker.name);
        found.push(Candidate {
            package,
            group,
            name,
        });
    }
    // Beside versions, a group's package without one holds the internal types that they convert to.
    let versioned: BTreeSet<&str> = found
        .iter()
        .filter(|found| names::is_kubernetes_version(&found.name))
        .map(|found| found.group)
        .collect();
    let filters = &options.filters;
    let keeps = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
    found.retain(|found| {
        (names::is_kubernetes_version(&found.name) || !versioned.contains(found.group))
            && keeps(&filters.groups, found.group)
            && keeps(&filters.versions, &found.name)
    });
    let mut by_name: BTreeMap<(&str, &str), &Package> = BTreeMap::new();
    for candidate in &found {
        let key = (candidate.group, candidate.name.as_str());
        if let Some(first) = by_name.insert(key, candidate.package) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "two packages are the version {} of {}",
                    candidate.name, candidate.group
                ))
                .at(
                    candidate.package.place.clone(),
                    candidate.package.path.clone(),
                )
                .at(first.place.clone(), first.path.clone())
                .help("generate them into crates of their own, or name one by `+versionName`"),
            );
        }
    }
    found
}

/// The group that the package's markers name.
fn group_of(package: &Package) -> Option<&str> {
    let marker = package
        .markers
        .0
        .iter()
        .find(|marker| marker.is::<GroupName>())?;
    marker.argument("")?.value.as_str()
}

/// A module for each package, after its name, with as much of its path as makes it unique: `meta_v1`.
fn package_modules<'a>(paths: &[&'a str], mut taken: BTreeSet<String>) -> Vec<(&'a str, String)> {
    taken.insert("codec".to_owned());
    let mut sorted = paths.to_vec();
    // Packages of Kubernetes are the least likely to be generated: others take the short names.
    sorted.sort_by_key(|path| (known::is_kubernetes(path), *path));
    let mut modules = Vec::with_capacity(sorted.len());
    for path in sorted {
        let parts: Vec<&str> = path.split('/').collect();
        let last = parts.last().copied().unwrap_or_default();
        let least = if names::is_kubernetes_version(last) {
            2
        } else {
            1
        };
        let name = (least..=parts.len())
            .map(|count| {
                let tail = parts.get(parts.len() - count.min(parts.len())..);
                let words: Vec<String> = tail
                    .unwrap_or_default()
                    .iter()
                    .map(|part| names::snake_case(part))
                    .collect();
                names::plain_ident(&names::snake_case(&words.join("_")))
            })
            .find(|name| !taken.contains(name))
            .unwrap_or_else(|| format!("package_{}", taken.len()));
        taken.insert(name.clone());
        modules.push((path, name));
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_after_packages_and_unique() {
        let modules = package_modules(
            &[
                "github.com/cert-manager/cert-manager/pkg/apis/meta/v1",
                "k8s.io/apimachinery/pkg/apis/meta/v1",
                "knative.dev/pkg/apis",
            ],
            BTreeSet::new(),
        );
        assert_eq!(
            modules,
            [
                (
                    "github.com/cert-manager/cert-manager/pkg/apis/meta/v1",
                    "meta_v1".to_owned()
                ),
                ("knative.dev/pkg/apis", "apis".to_owned()),
                (
                    "k8s.io/apimachinery/pkg/apis/meta/v1",
                    "apis_meta_v1".to_owned()
                ),
            ]
        );
    }
}
