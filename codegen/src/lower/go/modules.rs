//! Determines which packages are versions of an API, and in which modules the types of each package
//! are generated.

use std::collections::{BTreeMap, BTreeSet};

use super::{cx::Cx, roots};
use crate::{
    builtin,
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, names},
    options::{Filters, Options},
    read::{
        go::{Module, Package, TypeDecl},
        markers::{
            crd::{Skip, SkipVersion},
            package::{GroupGoName, VersionName},
        },
    },
};

/// A version of an API.
pub(super) struct ApiVersion<'a> {
    /// Its packages, sorted by path: nearly always one.
    pub(super) packages: Vec<&'a Package>,
    pub(super) group: &'a str,
    pub(super) group_module: String,
    pub(super) type_prefix: String,
    pub(super) name: String,
    pub(super) module: String,
}

/// A package with API objects.
struct Candidate<'a> {
    package: &'a Package,
    group: &'a str,
    /// The version's name.
    name: String,
    /// Whether a marker specifies the version, or it has the form of a Kubernetes version.
    is_version: bool,
}

/// The names of the Rust modules that all inputs of a run share.
pub(crate) struct ModuleNames {
    /// The module of each group.
    groups: BTreeMap<String, String>,
    /// The module of each other package, by import path.
    packages: BTreeMap<String, String>,
}

impl ModuleNames {
    /// Names the modules of all groups: those of `api` have theirs already.
    pub(crate) fn new(modules: &[Module], options: &Options, api: &ApiSet) -> Self {
        let known = api.groups.iter();
        let known: BTreeMap<String, String> = known
            .map(|group| (group.name.clone(), group.module.clone()))
            .collect();
        let mut groups: BTreeSet<&str> = known.keys().map(String::as_str).collect();
        for module in modules {
            let mut cx = Cx::new(module, options);
            cx.set_kinds(roots::kinds(&cx, &module.packages));
            let mut unused = Diagnostics::new();
            let found = candidates(&cx, &module.packages, options, &mut unused);
            groups.extend(found.iter().map(|found| found.group));
        }
        Self {
            groups: names::module_names(groups, &known),
            packages: BTreeMap::new(),
        }
    }

    /// Names the modules of packages, each once.
    fn add_packages(&mut self, paths: &[&str]) {
        let is_new = |path: &&&str| !self.packages.contains_key(**path);
        let new: Vec<&str> = paths.iter().filter(is_new).copied().collect();
        let taken = self.groups.values().chain(self.packages.values());
        let named = package_modules(&new, taken.cloned().collect());
        let named = named
            .into_iter()
            .map(|(path, module)| (path.to_owned(), module));
        self.packages.extend(named);
    }
}

/// Finds the versions among the requested packages, and determines the module for the types of
/// every package.
pub(super) fn settle<'a>(
    cx: &mut Cx<'a>,
    packages: &'a [Package],
    shared: &mut ModuleNames,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<ApiVersion<'a>> {
    let candidates = candidates(cx, packages, options, diagnostics);
    let mut by_version: BTreeMap<(&str, String), Vec<&Package>> = BTreeMap::new();
    for found in candidates {
        let version = by_version.entry((found.group, found.name)).or_default();
        version.push(found.package);
    }
    let mut versions = Vec::new();
    for ((group, name), packages) in by_version {
        let group_module = shared
            .groups
            .get(group)
            .cloned()
            .unwrap_or_else(|| names::qualified_module_name(group));
        let module = names::version_module(&name);
        let path = format!(
            "{}::apis::{}::{}",
            options.base_path,
            names::ident(&group_module),
            names::ident(&module)
        );
        for package in &packages {
            cx.settle(&package.path, path.clone());
        }
        part(cx, &packages);
        let mut prefixes = packages
            .iter()
            .filter_map(|package| package.markers.get::<GroupGoName>());
        let prefix = prefixes.next().map(|found| found.marker.name);
        versions.push(ApiVersion {
            packages,
            group,
            type_prefix: prefix.unwrap_or_else(|| names::go_name(group)),
            group_module,
            name,
            module,
        });
    }
    let others = packages.iter().map(|package| package.path.as_str());
    let others: Vec<&str> = others.filter(|path| cx.home(path).is_none()).collect();
    shared.add_packages(&others);
    for path in others {
        if let Some(module) = shared.packages.get(path) {
            let home = format!("{}::apis::{}", options.base_path, names::ident(module));
            cx.settle(path, home);
        }
    }
    versions
}

/// Renames types that an earlier package of the version has as well, with the path segment in which
/// the packages differ: `DiskType` of `exp/api/v1` next to `api/v1` becomes `ExpDiskType`.
fn part<'a>(cx: &mut Cx<'a>, packages: &[&'a Package]) {
    let Some((first, others)) = packages.split_first() else {
        return;
    };
    let names = |cx: &Cx<'_>, package: &Package| -> Vec<String> {
        let types = package.types.iter();
        let names = types.map(|decl| cx.rust_name(&package.path, &decl.name));
        names.collect()
    };
    let mut taken: BTreeSet<String> = names(cx, first).into_iter().collect();
    for package in others {
        let mut segments = package.path.split('/').zip(first.path.split('/'));
        let segment = segments.find(|(own, other)| own != other);
        let prefix = names::upper_camel(segment.map_or("", |(own, _)| own));
        for (decl, rust) in package.types.iter().zip(names(cx, package)) {
            let other = format!("{prefix}{rust}");
            if taken.contains(&rust) && !taken.contains(&other) {
                cx.rename(&package.path, &decl.name, other);
            }
        }
        taken.extend(names(cx, package));
    }
}

fn candidates<'a>(
    cx: &Cx<'a>,
    packages: &'a [Package],
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    let mut without_group = Vec::new();
    for package in requested(packages) {
        let mut roots = package.types.iter().filter(|decl| {
            matches!(
                roots::role(cx, package, decl),
                roots::Role::Root | roots::Role::Object
            )
        });
        let Some(first) = roots.next() else {
            continue;
        };
        let Some(group) = roots::group_of(package) else {
            // Types for other uses, such as internal ones of a scheme, need no group.
            if roots::role(cx, package, first) == roots::Role::Root {
                without_group.push((package, first));
            }
            continue;
        };
        let (name, is_version) = version_of(package);
        found.push(Candidate {
            package,
            group,
            name,
            is_version,
        });
    }
    // Next to versions, a package of the group without a version name holds the internal types for
    // conversion.
    let versioned: BTreeSet<&str> = found
        .iter()
        .filter(|found| found.is_version)
        .map(|found| found.group)
        .collect();
    let filters = &options.filters;
    found.retain(|found| {
        keeps(&filters.groups, found.group) && keeps(&filters.versions, &found.name)
    });
    let (found, left): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|found| found.is_version || !versioned.contains(found.group));
    for diagnostic in left.iter().flat_map(|left| unversioned(cx, left, &found)) {
        diagnostics.push(diagnostic);
    }
    for (package, root) in without_group {
        diagnostics.push(no_group(package, root, found.is_empty()));
    }
    report_strays(cx, packages, filters, diagnostics);
    found
}

/// The packages to generate for.
fn requested(packages: &[Package]) -> impl Iterator<Item = &Package> {
    let requested = packages.iter().filter(|package| package.requested);
    requested.filter(|package| !package.markers.has::<Skip>())
}

/// Whether a filter keeps a name.
fn keeps(filter: &[String], name: &str) -> bool {
    filter.is_empty() || filter.iter().any(|one| one == name)
}

/// Reports types of the versions that controller-gen handles differently.
fn report_strays(
    cx: &Cx<'_>,
    packages: &[Package],
    filters: &Filters,
    diagnostics: &mut Diagnostics,
) {
    let of_versions = |package: &&Package| {
        let (name, is_version) = version_of(package);
        let group = roots::group_of(package);
        is_version
            && keeps(&filters.versions, &name)
            && group.is_some_and(|group| keeps(&filters.groups, group))
    };
    for package in requested(packages).filter(of_versions) {
        let kinds = package.types.iter();
        let kept = kinds.filter(|decl| keeps(&filters.kinds, &decl.name));
        for stray in kept.filter_map(|decl| stray(cx, package, decl)) {
            diagnostics.push(stray);
        }
    }
}

/// Returns the version of a package from its marker or name, and whether a marker specifies it or
/// it has the form of a Kubernetes version.
fn version_of(package: &Package) -> (String, bool) {
    match package.markers.get::<VersionName>() {
        Some(found) => (found.marker.name, true),
        None => {
            let name = package.name.clone();
            let is_version = names::is_kubernetes_version(&name);
            (name, is_version)
        }
    }
}

/// Reports a type that controller-gen handles differently: a non-object with the name of a kind, or
/// an object that controller-gen does not recognise as a kind.
fn stray(cx: &Cx<'_>, package: &Package, decl: &TypeDecl) -> Option<Diagnostic> {
    let group = roots::group_of(package)?;
    let name = &decl.name;
    match roots::role(cx, package, decl) {
        roots::Role::Root => None,
        roots::Role::Unseen => {
            let found = roots::structure(cx, package, decl)?;
            let warning =
                Diagnostic::warning(format!("controller-gen creates no CRD for `{name}`"));
            let (label, help) = if std::ptr::eq(found.decl, decl) {
                (
                    "left out: to controller-gen, a kind embeds `metav1.TypeMeta` and `metav1.ObjectMeta`",
                    "embed both directly".to_owned(),
                )
            } else {
                (
                    "left out: its struct is in none of the packages that are read for kinds",
                    format!("add {} to the packages", found.package.path),
                )
            };
            Some(warning.at(decl.place.clone(), label).help(help))
        }
        _ if decl.markers.has::<SkipVersion>() => None,
        _ if cx.is_kind(group, name) => {
            let message =
                format!("`{name}` has the name of a kind of {group} but is not an object");
            let finding = match cx.options.compat.is_strict() {
                true => Diagnostic::warning(message).at(decl.place.clone(), "left out"),
                false => Diagnostic::error(message).at(
                    decl.place.clone(),
                    "controller-gen treats it as a version of the kind",
                ),
            };
            Some(finding.help(
                "embed `metav1.TypeMeta`, and `metav1.ObjectMeta` as `metadata`, give it another name, or mark it `// +kubebuilder:skipversion`",
            ))
        }
        roots::Role::Plain if roots::is_declared_root(decl) => {
            let message = format!("`{name}` is marked as an object but has no `metav1.TypeMeta`");
            Some(
                Diagnostic::warning(message)
                    .at(decl.place.clone(), "left out")
                    .help("embed `metav1.TypeMeta`, and `metav1.ObjectMeta` as `metadata`, or remove the marker `+kubebuilder:object:root`"),
            )
        }
        _ => None,
    }
}

/// Reports kinds of an unversioned package next to versions that do not contain them.
fn unversioned(cx: &Cx<'_>, left: &Candidate<'_>, versions: &[Candidate<'_>]) -> Vec<Diagnostic> {
    let is_kind = |package: &Package, decl: &TypeDecl| {
        matches!(roots::role(cx, package, decl), roots::Role::Root)
    };
    let of_group = || versions.iter().filter(|found| found.group == left.group);
    let has_version = |name: &str| {
        of_group().any(|found| {
            let mut types = found.package.types.iter();
            types.any(|decl| decl.name == name && is_kind(found.package, decl))
        })
    };
    let kinds = left.package.types.iter();
    kinds
        .filter(|decl| is_kind(left.package, decl) && !has_version(&decl.name))
        .map(|decl| {
            let message = format!(
                "`{}` is left out: `{}` is not a version name",
                decl.name, left.name
            );
            let label = format!("no version of {} has this kind", left.group);
            Diagnostic::warning(message)
                .at(decl.place.clone(), label)
                .help(
                    "specify the version with `// +versionName=<version>` above the package clause",
                )
        })
        .collect()
}

/// Reports a package without an API group. Next to versions of an API, a package without a version
/// name holds the internal types for conversion, and is only a warning.
fn no_group(package: &Package, root: &TypeDecl, is_alone: bool) -> Diagnostic {
    let message = format!("the package {} declares no API group", package.path);
    if is_alone || names::is_kubernetes_version(&package.name) {
        Diagnostic::error(message).at(root.place.clone(), "an API object")
    } else {
        Diagnostic::warning(message).at(root.place.clone(), "left out")
    }
    .help("write `// +groupName=<group>` above the package clause, such as in doc.go")
}

/// Assigns a module to each package: its name, prefixed with as much of its path as makes it unique
/// (`meta_v1`).
fn package_modules<'a>(paths: &[&'a str], mut taken: BTreeSet<String>) -> Vec<(&'a str, String)> {
    taken.insert("codec".to_owned());
    let mut sorted = paths.to_vec();
    // Kubernetes packages are the least likely to be generated: other packages get the short names
    // first.
    sorted.sort_by_key(|path| (builtin::is_kubernetes(path), *path));
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
