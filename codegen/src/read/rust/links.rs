//! The crates of a package: its own, and those that it depends on by path.
//!
//! The modules of a dependency are below a name that no module can have, its source root with a
//! `/`. That is its module `crate`.

use std::collections::BTreeMap;

use crate::source::{RustCrate, RustLink};

/// The names by which a crate refers to others.
type Names = BTreeMap<String, RustLink>;

/// The names by which the crates of a package refer to each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// The source root of the package's own crate.
    root: String,
    own: Names,
    /// By source root.
    dependencies: BTreeMap<String, Names>,
}

impl Links {
    pub(super) fn new(source: &RustCrate) -> Self {
        let dependencies = source.dependencies.iter();
        let dependencies = dependencies.map(|it| (it.root.clone(), it.names.clone()));
        Self {
            root: source.root.clone(),
            own: source.names.clone(),
            dependencies: dependencies.collect(),
        }
    }

    /// Returns the path of the module `crate` of the crate that a module belongs to: empty for the
    /// package's own crate.
    pub(super) fn crate_of<'m>(&self, module: &'m [String]) -> &'m [String] {
        match module.split_first() {
            Some((first, _)) if self.dependencies.contains_key(first) => &module[..1],
            _ => &[],
        }
    }

    /// Returns what a module refers to by the name of a crate, or otherwise what another crate
    /// does: paths that imports of a dependency lead to start with names that are its own.
    pub(super) fn of_any(&self, module: &[String], name: &str) -> Option<&RustLink> {
        let others = std::iter::once(&self.own).chain(self.dependencies.values());
        let mut others = others.filter_map(|names| names.get(name));
        self.of(module, name).or_else(|| others.next())
    }

    /// Returns what a module refers to by the name of a crate.
    fn of(&self, module: &[String], name: &str) -> Option<&RustLink> {
        let names = match self.crate_of(module) {
            [root] => self.dependencies.get(root)?,
            _ => &self.own,
        };
        names.get(name)
    }

    /// Returns the module `crate` of the crate that a module refers to by a name; `None` if it is
    /// not read.
    pub(super) fn root(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        match self.of(module, name)? {
            RustLink::Read(root) if *root == self.root => Some(Vec::new()),
            RustLink::Read(root) if self.dependencies.contains_key(root) => {
                Some(vec![root.clone()])
            }
            _ => None,
        }
    }
}
