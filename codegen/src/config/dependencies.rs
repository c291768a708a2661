//! The crates that a crate depends on, whose types its kinds may use.
//!
//! Manifests decide which crates there are and which features are on, as in a build of the crate
//! alone. Only crates whose name occurs in the source of a crate that is read are read, too.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    Error,
    disk::Disk,
    features::{Selection, enabled_elsewhere},
    fetched::Fetched,
    layout::{manifest_folder, root_name, shown, whole},
    manifest::{CargoManifest, Library, Origin, Requirement},
};
use crate::source::{RustDependency, RustFeatures, RustLink, Source};

/// The dependencies of a crate.
#[derive(Default)]
pub(super) struct Dependencies {
    /// The names by which the crate refers to others, and to itself.
    pub(super) names: BTreeMap<String, RustLink>,
    /// The libraries that are read, sorted by folder.
    pub(super) crates: Vec<RustDependency>,
}

impl Dependencies {
    /// Returns the dependencies of the crate with a source root; none if its manifest cannot be
    /// read.
    ///
    /// # Errors
    ///
    /// A file of a dependency cannot be read.
    pub(super) fn of(
        root: &Path,
        features: Option<&RustFeatures>,
        files: &[Source],
        disk: &Disk,
    ) -> Result<Self, Error> {
        let root_folder = whole(root);
        let Some(folder) = manifest_folder(&root_folder) else {
            return Ok(Self::default());
        };
        let Some(manifest) = CargoManifest::read(folder, disk) else {
            return Ok(Self::default());
        };
        let fetched = Fetched::of(manifest.workspace_folder(), disk);
        let own = Node {
            features: features.cloned().unwrap_or_default(),
            ..Node::of(manifest, &fetched, disk)
        };
        let mut graph = Graph {
            disk,
            fetched,
            own: (root_folder.clone(), root_name(root)),
            nodes: BTreeMap::from([(folder.to_owned(), Some(own))]),
        };
        graph.settle(folder);
        let names = graph.names(folder);
        let crates = graph.read(&names, files)?;
        Ok(Self { names, crates })
    }
}

/// A crate in the graph of dependencies.
struct Node {
    manifest: CargoManifest,
    library: Option<Library>,
    /// The dependencies, each with the place of its source.
    requirements: Vec<Requirement>,
    /// The features that dependents ask for.
    names: BTreeSet<String>,
    /// Whether no dependent asks for the default features.
    without_default: bool,
    /// The features that are on.
    features: RustFeatures,
}

impl Node {
    fn read(folder: &Path, fetched: &Fetched, disk: &Disk) -> Option<Self> {
        Some(Self::of(CargoManifest::read(folder, disk)?, fetched, disk))
    }

    fn of(manifest: CargoManifest, fetched: &Fetched, disk: &Disk) -> Self {
        let requirements = manifest.requirements().into_iter().map(|it| Requirement {
            origin: fetched.origin(&manifest, &it.package, it.origin, disk),
            ..it
        });
        Self {
            library: manifest.library(disk),
            requirements: requirements.collect(),
            names: BTreeSet::new(),
            without_default: true,
            features: RustFeatures::default(),
            manifest,
        }
    }

    /// Whether a dependency is part of the build.
    fn is_on(&self, requirement: &Requirement) -> bool {
        let key = requirement.key.as_str();
        let mut enabled = enabled_elsewhere(&self.manifest.table, &self.features.names).into_iter();
        !requirement.is_optional
            || self.features.names.contains(key)
            || enabled.any(|it| {
                let dependency = it.strip_prefix("dep:");
                let of_feature = it.split_once('/').map(|(name, _)| name);
                dependency.or(of_feature) == Some(key)
            })
    }

    /// Returns the features of a dependency that are on, apart from its default features.
    fn asked<'n>(&'n self, requirement: &'n Requirement) -> impl Iterator<Item = &'n str> {
        let enabled = enabled_elsewhere(&self.manifest.table, &self.features.names);
        let through = enabled.into_iter().filter_map(|it| {
            let (name, feature) = it.split_once('/')?;
            (name.trim_end_matches('?') == requirement.key).then_some(feature)
        });
        requirement
            .features
            .iter()
            .map(String::as_str)
            .chain(through)
    }

    /// Turns on features; returns whether that changes anything.
    fn turn_on(&mut self, names: BTreeSet<String>, default: bool) -> bool {
        let is_new = self.without_default && default || !names.is_subset(&self.names);
        self.names.extend(names);
        self.without_default &= !default;
        let selection = Selection {
            names: self.names.iter().cloned().collect(),
            all: false,
            without_default: self.without_default,
        };
        self.features = selection.within(&self.manifest.table);
        is_new
    }
}

/// The crates that a crate depends on, directly or not, and whose source is there.
struct Graph<'d> {
    disk: &'d Disk,
    fetched: Fetched,
    /// The source root of the crate itself, and its name.
    own: (PathBuf, String),
    /// By the folder of the manifest; `None` if it cannot be read.
    nodes: BTreeMap<PathBuf, Option<Node>>,
}

impl Graph<'_> {
    /// Adds the dependencies of a crate and theirs, until no further feature is on.
    fn settle(&mut self, folder: &Path) {
        let mut next = vec![folder.to_owned()];
        while let Some(folder) = next.pop() {
            let Some(Some(node)) = self.nodes.get(&folder) else {
                continue;
            };
            let requirements = node.requirements.iter().filter(|it| node.is_on(it));
            let asked = requirements.filter_map(|it| {
                let names: BTreeSet<String> = node.asked(it).map(str::to_owned).collect();
                match &it.origin {
                    Origin::Path(path) => Some((path.clone(), names, it.default_features)),
                    _ => None,
                }
            });
            for (path, names, default) in asked.collect::<Vec<_>>() {
                let is_known = self.nodes.contains_key(&path);
                let (fetched, disk) = (&self.fetched, self.disk);
                let node = self.nodes.entry(path.clone());
                let node = node.or_insert_with_key(|folder| Node::read(folder, fetched, disk));
                let Some(node) = node else { continue };
                if node.turn_on(names, default) || !is_known {
                    next.push(path);
                }
            }
        }
    }

    /// Returns the names by which the crate with a manifest refers to others.
    fn names(&self, folder: &Path) -> BTreeMap<String, RustLink> {
        let Some(Some(node)) = self.nodes.get(folder) else {
            return BTreeMap::new();
        };
        let own = node.library.as_ref();
        let own = own.map(|library| (library.name.clone(), self.link_to(library)));
        let others = node.requirements.iter();
        let others = others.map(|it| self.link(node, it));
        own.into_iter().chain(others).collect()
    }

    fn link(&self, node: &Node, requirement: &Requirement) -> (String, RustLink) {
        let unread = |why: &str| RustLink::Unread(why.to_owned());
        let folder = match &requirement.origin {
            Origin::Path(folder) => folder,
            Origin::Unread(why) => return (requirement.name(None), unread(why)),
            Origin::Git | Origin::Registry | Origin::Undeclared => {
                let why = "is not among the dependencies of the workspace";
                return (requirement.name(None), unread(why));
            }
        };
        let found = self.nodes.get(folder).and_then(Option::as_ref);
        let library = found.and_then(|node| node.library.as_ref());
        let link = match (found, library) {
            _ if !node.is_on(requirement) => unread("is optional, and no feature turns it on"),
            (None, _) => {
                let manifest = shown(&folder.join("Cargo.toml"));
                RustLink::Unread(format!("cannot be read: {manifest} is missing or invalid"))
            }
            (Some(_), None) => unread("has no library"),
            (Some(_), Some(library)) if library.is_macros => unread("consists of macros"),
            (Some(_), Some(library)) => self.link_to(library),
        };
        (requirement.name(library), link)
    }

    fn link_to(&self, library: &Library) -> RustLink {
        RustLink::Read(match library.root == self.own.0 {
            true => self.own.1.clone(),
            false => root_name(&library.root),
        })
    }

    /// Reads the crates whose name occurs in the files of the crate itself, or in those of a crate
    /// that is read.
    fn read(
        &self,
        names: &BTreeMap<String, RustLink>,
        files: &[Source],
    ) -> Result<Vec<RustDependency>, Error> {
        let mut crates: BTreeMap<&Path, RustDependency> = BTreeMap::new();
        let mut next: Vec<&Path> = self.mentioned(names, files);
        while let Some(folder) = next.pop() {
            let Some(Some(node)) = self.nodes.get(folder) else {
                continue;
            };
            let Some(library) = &node.library else {
                continue;
            };
            if crates.contains_key(folder) || library.root == self.own.0 {
                continue;
            }
            let read = RustDependency {
                root: root_name(&library.root),
                library: library.file.clone(),
                features: Some(node.features.clone()),
                files: self.disk.rust_files(&library.root)?,
                names: self.names(folder),
            };
            next.extend(self.mentioned(&read.names, &read.files));
            crates.insert(folder, read);
        }
        Ok(crates.into_values().collect())
    }

    /// Returns the folders of the crates that files refer to by name.
    fn mentioned(&self, names: &BTreeMap<String, RustLink>, files: &[Source]) -> Vec<&Path> {
        let occurs = |name: &str| files.iter().any(|file| file.text.contains(name));
        let roots: BTreeSet<&str> = names
            .iter()
            .filter(|(name, _)| occurs(name))
            .filter_map(|(_, link)| match link {
                RustLink::Read(root) => Some(root.as_str()),
                RustLink::Unread(_) => None,
            })
            .collect();
        let nodes = self.nodes.iter().filter(|(_, node)| {
            let library = node.as_ref().and_then(|node| node.library.as_ref());
            library.is_some_and(|library| roots.contains(root_name(&library.root).as_str()))
        });
        nodes.map(|(folder, _)| folder.as_path()).collect()
    }
}
