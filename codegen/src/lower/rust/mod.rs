//! Lowers annotated Rust.
//!
//! Each package becomes a version: its items become types (`types`), the roots among them resources
//! (`resource`). Start reading at [`lower`].

mod arrays;
mod attributes;
mod checks;
mod derives;
mod duplicates;
mod embedded_roots;
mod enums;
mod faulty;
mod foreign;
mod groups;
mod keys;
mod kinds;
mod kube;
mod methods;
mod named;
mod reach;
mod refs;
mod resolve;
mod resource;
mod root;
#[cfg(test)]
mod tests;
mod type_paths;
mod types;
mod values;
mod visibility;
pub(super) mod well_known;
mod wire_names;

use std::{borrow::Cow, collections::BTreeMap};

use rayon::prelude::*;

use self::resolve::Resolver;
pub use self::type_paths::{DeclaredKind, PROGRAM, declared};
pub(super) use self::{faulty::remove as remove_faulty, kinds::packages};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, Group, Origin, Resource, Version, names},
    options::Options,
    read::{
        markers::{
            crd::{Skip, SkipVersion},
            package::VersionName,
        },
        rust::{Impl, Item, Layout, Package},
    },
    threads,
};

/// Adds the groups of the packages to `api`, sorted.
pub fn lower(
    packages: &[Package],
    options: &Options,
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
) {
    let packages = packages.iter();
    let packages = packages.filter(|package| !package.markers.has::<Skip>());
    let named: Vec<(&Package, String)> = packages
        .map(|package| (package, groups::name(package)))
        .collect();
    let modules = groups::modules(&named);
    let module_of = |group: &str| modules.get(group).map_or("", String::as_str);
    let packages = named.into_iter().map(|(package, group)| {
        let package = (package, module_of(&group));
        (attributes::merged(package, options, diagnostics), group)
    });
    let packages: Vec<(Cow<'_, Package>, String)> = packages.collect();
    let mut groups: BTreeMap<String, Vec<(&Package, Version)>> = BTreeMap::new();
    for (package, group) in &packages {
        let cx = Cx::new(package, options, module_of(group));
        let version = cx.version(group, diagnostics);
        groups
            .entry(group.clone())
            .or_default()
            .push((package.as_ref(), version));
    }
    for (name, versions) in groups {
        checks::same_group(&name, &versions, diagnostics);
        let module = modules.get(&name).cloned();
        let group = groups::merge(name, module, versions, diagnostics);
        match api.groups.iter_mut().find(|other| other.name == group.name) {
            Some(other) => other.versions.extend(group.versions),
            None => api.groups.push(group),
        }
    }
    for group in &mut api.groups {
        group
            .versions
            .sort_by(|a, b| names::compare_versions(&a.name, &b.name));
    }
    api.groups.sort_by(|a, b| a.name.cmp(&b.name));
    for (package, _) in packages {
        if let Cow::Owned(package) = package {
            threads::discard(package);
        }
    }
}

/// Marks the most stable version as stored if no version of a kind is marked.
pub(super) fn settle_storage(group: &mut Group) {
    group
        .versions
        .sort_by(|a, b| names::compare_versions(&a.name, &b.name));
    let mut stored: Vec<String> = group
        .versions
        .iter()
        .flat_map(|version| &version.resources)
        .filter(|resource| resource.storage)
        .map(|resource| resource.kind.clone())
        .collect();
    for resource in group.versions.iter_mut().flat_map(|v| &mut v.resources) {
        if !stored.contains(&resource.kind) {
            resource.storage = true;
            stored.push(resource.kind.clone());
        }
    }
}

/// The context of lowering a package.
#[derive(Debug)]
struct Cx<'a> {
    package: &'a Package,
    options: &'a Options,
    /// The module of the group.
    group_module: &'a str,
    resolver: Resolver<'a>,
    by_key: BTreeMap<&'a str, usize>,
    /// The implementations by hand of each item.
    impls: BTreeMap<&'a str, Vec<&'a Impl>>,
}

impl<'a> Cx<'a> {
    fn new(package: &'a Package, options: &'a Options, group_module: &'a str) -> Self {
        let mut by_key = BTreeMap::new();
        for (index, item) in package.items.iter().enumerate() {
            let key = keys::key_of(package, item);
            by_key.entry(key).or_insert(index);
        }
        let resolver = Resolver::new(package);
        let impls = keys::impls(package, &resolver);
        Self {
            package,
            options,
            group_module,
            resolver,
            by_key,
            impls,
        }
    }

    /// Returns the item by its name in the model.
    fn item(&self, key: &str) -> Option<&'a Item> {
        let &index = self.by_key.get(key)?;
        self.package.items.get(index)
    }

    fn module(&self, item: &Item) -> Vec<String> {
        self.package
            .modules
            .get(item.module)
            .map_or_else(Vec::new, |module| module.path.clone())
    }

    /// Returns the path by which the model finds the types of the version.
    fn path_in_model(&self) -> String {
        let package = self.package;
        let path = &package.module_path;
        match package.layout {
            Layout::Version => path.clone(),
            Layout::Crate if self.is_reexported() => {
                let (generated, version) = (self.options.generated_path(), self.version_module());
                format!(
                    "{generated}::apis::{}::{}",
                    names::ident(self.group_module),
                    names::ident(&version)
                )
            }
            // Distinguishes types of the same name in several versions.
            Layout::Crate => format!("{path}::{}/{}", package.group, package.version),
        }
    }

    fn version_module(&self) -> String {
        names::version_module(&self.package.version)
    }

    /// Returns the directory of the version's module, relative to the crate's `src`.
    fn dir(&self) -> String {
        if self.is_reexported() {
            return format!(
                "generated/apis/{}/{}",
                self.group_module,
                self.version_module()
            );
        }
        let parts = self.package.dir.components();
        let parts = parts.map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    fn version_name(&self) -> String {
        let marker = self.package.markers.get::<VersionName>();
        marker.map_or_else(|| self.package.version.clone(), |marker| marker.marker.name)
    }

    fn version(&self, group: &str, diagnostics: &mut Diagnostics) -> Version {
        let package = self.package;
        if package.layout == Layout::Version {
            checks::modules(self, diagnostics);
        }
        checks::package_names(package, diagnostics);
        let mut types = Vec::new();
        let mut resources = Vec::new();
        let mut plurals = BTreeMap::new();
        let is_first = |index, item: &Item| self.by_key.get(self.key(item)) == Some(&index);
        let is_left_out = |item: &Item| item.markers.has::<Skip>() || is_helper(item);
        let defs = package.items.par_iter().enumerate().map(|(index, item)| {
            let mut found = Diagnostics::new();
            let is_type = is_first(index, item) && !is_left_out(item);
            let def = is_type.then(|| self.type_def(item, &mut found));
            (def, found)
        });
        let defs: Vec<_> = defs.collect();
        for (index, (item, (def, found))) in package.items.iter().zip(defs).enumerate() {
            if is_left_out(item) {
                continue;
            }
            if !is_first(index, item) {
                checks::second_item(self, item, diagnostics);
                continue;
            }
            types.extend(def);
            diagnostics.extend(found);
            let resource = match &item.kube {
                Some(kube) => {
                    let (root, resource) = self.kube_resource(group, item, kube, diagnostics);
                    types.push(root);
                    resource
                }
                None => self.marked_resource(index, item, diagnostics),
            };
            if let Some(resource) = resource {
                if package.layout == Layout::Version {
                    checks::same_plural(item, &resource, &mut plurals, diagnostics);
                }
                resources.push(resource);
            }
        }
        resources.sort_by(|a, b| a.kind.cmp(&b.kind));
        crate::lower::paths::assign(&resources, &mut types);
        self.check_derives(&types, &resources, diagnostics);
        self.check_values(&types, diagnostics);
        let version = Version {
            name: self.version_name(),
            module: self.version_module(),
            path: self.path_in_model(),
            dir: self.dir(),
            docs: package.docs.clone(),
            origin: Origin::Rust,
            reexported: self.is_reexported(),
            resources,
            types,
        };
        if package.layout == Layout::Version {
            checks::generated_modules(self, &version, diagnostics);
        }
        checks::folder_names(self, group, &version, diagnostics);
        version
    }

    /// The resource that the markers of an item declare.
    fn marked_resource(
        &self,
        index: usize,
        item: &Item,
        diagnostics: &mut Diagnostics,
    ) -> Option<Resource> {
        if self.is_root(item) {
            let is_skipped = item.markers.has::<SkipVersion>();
            return if is_skipped {
                None
            } else {
                self.resource(index, item, diagnostics)
            };
        }
        if self.is_object(item) {
            self.check_list(item, diagnostics);
        }
        checks::no_root(self, item, diagnostics);
        None
    }
}

/// Whether the item is an internal helper rather than part of the API, such as the visitor of a
/// handwritten `Deserialize`: it is private, borrows, and has no markers. An API type with such a
/// field would borrow too, which is an error there.
fn is_helper(item: &Item) -> bool {
    !item.visible && item.generics.lifetime.is_some() && item.markers.0.is_empty()
}

/// Whether the item derives the trait.
fn has_derive(item: &Item, name: &str) -> bool {
    item.derives.iter().any(|derive| derive == name)
}

/// Creates an error at an item's name.
#[track_caller]
fn at_item(item: &Item, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error(message).at(item.place.clone(), label)
}
