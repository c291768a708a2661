//! Groups, from the versions of all packages.

use std::collections::{BTreeMap, BTreeSet};

use super::{duplicates, settle_storage};
use crate::{
    diag::Diagnostics,
    model::{Group, Version, names},
    read::{
        markers::package::{GroupGoName, GroupName},
        rust::{Layout, Package},
    },
};

/// Returns the group of a package: from `+groupName`, from kube-derive's attribute, or from the
/// directory.
pub(super) fn name(package: &Package) -> String {
    if let Some(marker) = package.markers.get::<GroupName>() {
        return marker.marker.name.0;
    }
    let derived = package.items.iter().find_map(|item| item.kube.as_ref());
    derived.map_or_else(|| package.group.clone(), |kube| kube.group.clone())
}

/// Returns the module of each group: named by the directory of its versions. Groups of crates yield
/// to these and to each other.
pub(super) fn modules(packages: &[(&Package, String)]) -> BTreeMap<String, String> {
    let mut in_directory = BTreeMap::new();
    for (package, group) in packages {
        if package.layout == Layout::Version {
            let module = || names::module_name(&package.group);
            in_directory.entry(group.clone()).or_insert_with(module);
        }
    }
    let groups = packages.iter().map(|(_, group)| group.as_str());
    names::module_names(groups, &in_directory)
}

/// Returns the group with its versions.
pub(super) fn merge(
    name: String,
    module: Option<String>,
    versions: Vec<(&Package, Version)>,
    diagnostics: &mut Diagnostics,
) -> Group {
    let prefix = versions
        .iter()
        .find_map(|(package, _)| package.markers.get::<GroupGoName>())
        .map_or_else(|| names::go_name(&name), |marker| marker.marker.name);
    let declined = declined(&versions);
    let mut group = Group {
        module: module.unwrap_or_else(|| names::module_name(&name)),
        type_prefix: prefix,
        versions: joined(versions, diagnostics),
        name,
    };
    store(&mut group, &declined);
    settle_storage(&mut group);
    group
}

/// The kinds that are not stored in a version, as `#[kube(storage = false)]` says; by version and
/// kind.
fn declined(versions: &[(&Package, Version)]) -> BTreeSet<(String, String)> {
    let kinds = versions.iter().flat_map(|(package, version)| {
        let kinds = package.items.iter().filter_map(|item| item.kube.as_ref());
        kinds.map(|kube| (version.name.clone(), kube))
    });
    kinds
        .filter(|(_, kube)| kube.storage == Some(false))
        .map(|(version, kube)| (version, kube.kind.clone()))
        .collect()
}

/// Marks the most stable version that does not decline as stored, of kinds of which a version does
/// and none is marked.
fn store(group: &mut Group, declined: &BTreeSet<(String, String)>) {
    let versions = &mut group.versions;
    versions.sort_by(|a, b| names::compare_versions(&a.name, &b.name));
    let kinds: BTreeSet<&String> = declined.iter().map(|(_, kind)| kind).collect();
    for kind in kinds {
        let of_kind = |version: &Version| {
            let mut resources = version.resources.iter();
            resources.any(|resource| resource.kind == *kind && resource.storage)
        };
        if versions.iter().any(of_kind) {
            continue;
        }
        let mut resources = versions.iter_mut().flat_map(|version| {
            let is_declined = declined.contains(&(version.name.clone(), kind.clone()));
            let resources = version.resources.iter_mut();
            resources.filter(move |resource| resource.kind == *kind && !is_declined)
        });
        if let Some(stored) = resources.next() {
            stored.storage = true;
        }
    }
}

/// Returns the versions, of which those that several crates contribute to are joined.
fn joined(versions: Vec<(&Package, Version)>, diagnostics: &mut Diagnostics) -> Vec<Version> {
    let mut joined: Vec<(Layout, Version)> = Vec::new();
    for (package, version) in versions {
        let is_same = |(layout, known): &&mut (Layout, Version)| {
            [*layout, package.layout] == [Layout::Crate; 2] && known.name == version.name
        };
        match joined.iter_mut().find(is_same) {
            Some((_, known)) => {
                duplicates::join_types(known, version.types, diagnostics);
                known.resources.extend(version.resources);
            }
            None => joined.push((package.layout, version)),
        }
    }
    let settled = joined.into_iter().map(|(layout, mut version)| {
        if layout == Layout::Crate {
            version.resources.sort_by(|a, b| a.kind.cmp(&b.kind));
            duplicates::settle(&mut version, diagnostics);
        }
        version
    });
    settled.collect()
}
