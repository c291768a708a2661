//! The names of types in the model.
//!
//! The types of a version's directory have distinct names. Those of a crate may have one name in
//! several modules: the model then calls them by the end of their path, `gateways::Listener`, or
//! `GatewaysListener` if code is generated.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    Cx,
    resolve::{Resolved, Resolver},
};
use crate::{
    model::names::upper_camel,
    options::Options,
    read::rust::{Impl, Item, Package},
};

/// What the names of roots as parts of other types end in.
const EMBEDDED: &str = "Embedded";

/// A type in one of several packages: the package, the module and its path in the workspace.
type Declaration = (usize, usize, Vec<String>);

/// The form of a name that the end of a path is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `gateways::Listener`
    Path,
    /// `GatewaysListener`, for generated code.
    Ident,
}

impl Form {
    pub(super) fn of(options: &Options) -> Self {
        match options.emit.is_empty() {
            true => Self::Path,
            false => Self::Ident,
        }
    }

    fn name(self, modules: &[String], name: &str) -> String {
        let modules = modules.join("::");
        match self {
            Self::Path => format!("{modules}::{name}"),
            Self::Ident => upper_camel(&modules) + name,
        }
    }
}

/// Tells types of one name in one group and version apart.
pub(super) fn qualify(packages: &mut [Package], form: Form) {
    let mut versions: BTreeMap<(&str, &str), Vec<(usize, &Package)>> = BTreeMap::new();
    for (index, package) in packages.iter().enumerate() {
        let version = (package.group.as_str(), package.version.as_str());
        versions.entry(version).or_default().push((index, package));
    }
    let keys: Vec<_> = versions
        .values()
        .flat_map(|version| keys(version, form))
        .collect();
    for (package, module, name, key) in keys {
        if let Some(package) = packages.get_mut(package) {
            package.keys.insert((module, name), key);
        }
    }
}

/// Returns the names in the model of the types of a version that share a name: package, module,
/// name and key.
fn keys(packages: &[(usize, &Package)], form: Form) -> Vec<(usize, usize, String, String)> {
    let mut by_name: BTreeMap<&str, Vec<Declaration>> = BTreeMap::new();
    for &(index, package) in packages {
        for (module, name) in package.items.iter().flat_map(names) {
            let path = path_of(package, module);
            by_name.entry(name).or_default().push((index, module, path));
        }
    }
    let taken: BTreeSet<&str> = by_name.keys().copied().collect();
    let mut keys = embedded(packages, &taken);
    for (name, declarations) in by_name {
        let paths: BTreeSet<&[String]> = declarations.iter().map(|it| it.2.as_slice()).collect();
        if paths.len() < 2 {
            continue;
        }
        let length = distinct_length(&paths);
        for (package, module, path) in &declarations {
            let mut key = form.name(end(path, length), name);
            while taken.contains(key.as_str()) {
                key.push('_');
            }
            keys.push((*package, *module, name.to_owned(), key));
        }
    }
    keys
}

/// Returns the names of roots as parts of other types: beside the roots themselves, they are other
/// types.
fn embedded(
    packages: &[(usize, &Package)],
    taken: &BTreeSet<&str>,
) -> Vec<(usize, usize, String, String)> {
    let items = packages
        .iter()
        .flat_map(|&(index, package)| package.items.iter().map(move |item| (index, item)));
    let mut used: BTreeSet<String> = BTreeSet::new();
    let roots = items.filter(|(_, item)| item.is_kube_root);
    let keys = roots.map(|(package, item)| {
        let mut key = format!("{}{EMBEDDED}", item.name);
        while taken.contains(key.as_str()) || !used.insert(key.clone()) {
            key.push('_');
        }
        (package, item.module, own_name(item).into_owned(), key)
    });
    keys.collect()
}

/// The name of an item, and of the root that kube derives from it, each with the module.
fn names(item: &Item) -> impl Iterator<Item = (usize, &str)> {
    let root = item.kube.as_ref().map(|kube| kube.root_name());
    let own = (!item.is_kube_root).then_some(item.name.as_str());
    let names = own.into_iter().chain(root);
    names.map(|name| (item.module, name))
}

/// The name that tells an item apart from others of its module.
fn own_name(item: &Item) -> Cow<'_, str> {
    match item.is_kube_root {
        true => format!("{} {EMBEDDED}", item.name).into(),
        false => item.name.as_str().into(),
    }
}

/// Returns the path of a module from the workspace down: the folders of its crate, then its
/// modules.
fn path_of(package: &Package, module: usize) -> Vec<String> {
    let module = package.modules.get(module);
    let module = module.map_or(&[][..], |it| it.path.as_slice());
    let of_crate = package.modules.crate_of(module);
    let root = of_crate.first().unwrap_or(&package.root);
    let folders = Path::new(root.as_str()).components();
    let folders = folders.map(|part| part.as_os_str().to_string_lossy().into_owned());
    let mut path: Vec<String> = folders.filter(|folder| folder != "src").collect();
    if path.is_empty() {
        path.push("crate".to_owned());
    }
    path.extend(module.iter().skip(of_crate.len()).cloned());
    path
}

/// Returns the number of segments at the end of the paths that tells them apart.
fn distinct_length(paths: &BTreeSet<&[String]>) -> usize {
    let longest = paths.iter().map(|path| path.len()).max().unwrap_or(1);
    let is_enough = |&length: &usize| {
        let ends: BTreeSet<&[String]> = paths.iter().map(|path| end(path, length)).collect();
        ends.len() == paths.len()
    };
    (1..longest).find(is_enough).unwrap_or(longest)
}

fn end(path: &[String], length: usize) -> &[String] {
    &path[path.len().saturating_sub(length)..]
}

impl<'a> Cx<'a> {
    /// Returns the name of a type in the model.
    pub(super) fn key<'n>(&'n self, item: &'n Item) -> &'n str {
        key_of(self.package, item)
    }

    /// Returns the implementations by hand of a type.
    pub(super) fn impls_of(&self, item: &Item) -> &[&'a Impl] {
        self.impls.get(self.key(item)).map_or(&[], Vec::as_slice)
    }

    /// Returns the first item with the name at the end of a path.
    pub(super) fn named_last(&self, path: &[String]) -> Option<&'a Item> {
        let name = path.last()?;
        self.package.items.iter().find(|item| item.name == *name)
    }

    /// Returns the name in the model of a type that is declared in a module.
    pub(super) fn key_in<'n>(&'n self, module: usize, name: &'n str) -> &'n str {
        key_in(self.package, module, name)
    }
}

/// Returns the name in the model of an item of the package.
pub(super) fn key_of<'n>(package: &'n Package, item: &'n Item) -> &'n str {
    if package.keys.is_empty() {
        return &item.name;
    }
    let key = package
        .keys
        .get(&(item.module, own_name(item).into_owned()));
    key.unwrap_or(&item.name)
}

/// Returns the name in the model of a type that is declared in a module of the package.
pub(super) fn key_in<'n>(package: &'n Package, module: usize, name: &'n str) -> &'n str {
    if package.keys.is_empty() {
        return name;
    }
    let key = package.keys.get(&(module, name.to_owned()));
    key.map_or(name, String::as_str)
}

/// Returns the implementations by hand of each type, by its name in the model.
pub(super) fn impls<'p>(
    package: &'p Package,
    resolver: &Resolver<'_>,
) -> BTreeMap<&'p str, Vec<&'p Impl>> {
    let mut impls: BTreeMap<&str, Vec<&Impl>> = BTreeMap::new();
    for found in &package.impls {
        let key = match resolver.resolve(found.module, &found.path) {
            Resolved::Item(index) => {
                let item = package.items.get(index);
                item.map(|item| key_of(package, item))
            }
            // A macro or a module that was not read may import the type.
            Resolved::External(path) => found
                .path
                .last()
                .filter(|_| path == found.path)
                .map(String::as_str),
        };
        if let Some(key) = key {
            impls.entry(key).or_default().push(found);
        }
    }
    impls
}
