//! Reads annotated Rust, either a group-version directory or a crate: its modules, items, documentation and markers.
//!
//! Each file is parsed by syn and scanned once for comments, which syn drops; the file reader combines the two. The result is plain data
//! with places. Start reading at [`read`], then [`Package`].

mod comments;
mod conditions;
mod docs;
mod features;
mod file;
mod item;
mod items;
mod kube;
mod links;
mod literal;
mod members;
mod modules;
mod rule;
mod scan;
mod schema;
mod serde;
mod serde_as;
mod syntax;
mod types;
mod words;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

pub use item::{
    Body, Crate, Demand, Dependency, Field, Fields, Generics, Impl, Item, Kind, Layout, LeftOut,
    Package, PathType, Said, SchemaAttrs, Style, Type, Variant, Word,
};
pub use kube::{Column, KubeDerive, Scale};
pub use literal::Literal;
pub use modules::{Declared, Module, Modules, Use};
pub use serde::{Renaming, SerdeAttrs};

use self::{
    features::Features,
    file::{FileItems, read_file},
    links::Links,
};
use rayon::prelude::*;

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::markers::{IgnoredMarkers, MarkerSet},
    source::{RustCrate, RustDependency, RustPackage, Source},
};

/// A comment of a file, as far as markers need it.
pub(super) struct Comment {
    /// The byte range of its text: without slashes and surrounding spaces, or the whole block comment.
    pub(super) range: std::ops::Range<usize>,
    /// Whether it is documentation.
    pub(super) is_doc: bool,
    /// Whether it is a block comment.
    pub(super) is_block: bool,
    /// Whether only spaces precede it on its line.
    pub(super) alone: bool,
}

/// Returns the comments of a text, in order.
pub(super) fn comments(text: &str) -> impl Iterator<Item = Comment> {
    let comments = scan::scan(text).comments.into_iter();
    comments.map(|comment| {
        let is_block = comment.kind == scan::CommentKind::Block;
        Comment {
            range: if is_block {
                comment.range.clone()
            } else {
                comment.content(text)
            },
            is_doc: comment.kind != scan::CommentKind::Line,
            is_block,
            alone: comment.alone,
        }
    })
}

/// Reads all packages, in order.
///
/// The parser recurses, up to a depth that the scanner limits. It needs threads with large stacks, such as those of
/// [`generate`](crate::generate).
pub fn read(
    packages: &[RustPackage],
    ignored: IgnoredMarkers<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Package> {
    let read = packages.par_iter().map(|package| {
        let mut found = Diagnostics::new();
        (read_package(package, ignored, &mut found), found)
    });
    let mut all = Vec::new();
    for (package, found) in read.collect::<Vec<_>>() {
        all.extend(package);
        diagnostics.extend(found);
    }
    all
}

fn read_package(
    package: &RustPackage,
    ignored: IgnoredMarkers<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Package> {
    let Some(root) = root_file(&package.files) else {
        diagnostics.push(Diagnostic::error(format!(
            "the directory of {}/{} has no mod.rs",
            package.group, package.version
        )));
        return None;
    };
    let root_dir = root.name.strip_suffix("mod.rs").unwrap_or_default();
    let mut read = Package {
        group: package.group.clone(),
        version: package.version.clone(),
        module_path: package.module_path.clone(),
        dir: package.dir.clone(),
        ..empty(root, Layout::Version)
    };
    let module = |file: &Source| module_of(file.name.strip_prefix(root_dir).unwrap_or(&file.name));
    let found = read_files(&package.files, &module, (ignored, None), diagnostics);
    read.is_partial = found.is_partial;
    let mut modules = Vec::new();
    for (file, mut items) in found.files {
        if file.name == root.name {
            read.docs = std::mem::take(&mut items.docs);
        }
        add(&mut read, &mut modules, items);
    }
    read.modules = Arc::new(Modules::new(moved(modules), Links::default()));
    read.markers.check(diagnostics);
    Some(read)
}

/// Creates an empty package with the specified root file.
fn empty(root: &Source, layout: Layout) -> Package {
    Package {
        group: String::new(),
        version: String::new(),
        module_path: "crate".to_owned(),
        dir: PathBuf::new(),
        docs: String::new(),
        markers: MarkerSet::default(),
        place: Place {
            file: Arc::from(root.name.as_str()),
            text: Arc::clone(&root.text),
            range: 0..0,
        },
        modules: Arc::default(),
        items: Vec::new(),
        impls: Vec::new(),
        values: Arc::default(),
        has_macros: false,
        is_partial: false,
        root: String::new(),
        keys: BTreeMap::new(),
        layout,
    }
}

/// Reads crates whose kinds are declared anywhere. The binaries and the library of a crate share its modules.
pub fn read_crates(crates: &[RustCrate], ignored: IgnoredMarkers<'_>) -> Vec<Crate> {
    let read = |source: &RustCrate| read_crate(source, ignored);
    crates.par_iter().filter_map(read).collect()
}

fn read_crate(source: &RustCrate, ignored: IgnoredMarkers<'_>) -> Option<Crate> {
    let first = source.files.first()?;
    let mut package = Package {
        root: source.root.clone(),
        ..empty(first, Layout::Crate)
    };
    let mut findings = Diagnostics::new();
    let mut roots = vec!["lib.rs", "main.rs"];
    roots.extend(source.library.as_deref());
    let module = |file: &Source| module_in_crate(file, &source.root, &roots);
    let options = (ignored, source.features.as_ref().map(|it| &it.names));
    let found = read_files(&source.files, &module, options, &mut findings);
    let items = found.files.iter().map(|(_, read)| read.items.len()).sum();
    package.items.reserve(items);
    let mut modules = Vec::new();
    let (mut macros, mut off) = (Vec::new(), found.off);
    for (_, mut items) in found.files {
        macros.append(&mut items.macros);
        off.append(&mut items.off);
        add(&mut package, &mut modules, items);
    }
    package.is_partial = found.is_partial;
    modules = moved(modules);
    let read = source.dependencies.par_iter();
    let read: Vec<_> = read.map(|it| read_dependency(it, ignored)).collect();
    let mut dependencies = Vec::new();
    for (dependency, read) in read {
        add_dependency(&mut package, &mut modules, &dependency.root, read);
        dependencies.push(dependency);
    }
    package.modules = Arc::new(Modules::new(modules, Links::new(source)));
    Some(Crate {
        package,
        wanted: source.wanted.clone(),
        is_empty: source.is_empty,
        macros,
        off,
        features: source.features.clone(),
        findings,
        dependencies,
    })
}

/// Reads the library of a dependency. Its kinds are types of it only.
fn read_dependency(
    source: &RustDependency,
    ignored: IgnoredMarkers<'_>,
) -> (Dependency, Vec<FileItems>) {
    let mut findings = Diagnostics::new();
    let module = |file: &Source| module_in_crate(file, &source.root, &[&source.library]);
    let options = (ignored, source.features.as_ref().map(|it| &it.names));
    let found = read_files(&source.files, &module, options, &mut findings);
    let dependency = Dependency {
        root: source.root.clone(),
        is_partial: found.is_partial,
        findings,
    };
    let files = found.files.into_iter().map(|(_, mut items)| {
        items.package = MarkerSet::default();
        for item in &mut items.items {
            item.kube = None;
        }
        items
    });
    (dependency, files.collect())
}

/// Adds the modules and items of a dependency.
fn add_dependency(
    package: &mut Package,
    modules: &mut Vec<Module>,
    root: &str,
    files: Vec<FileItems>,
) {
    let offset = modules.len();
    for items in files {
        add(package, modules, items);
    }
    let mut own = moved(modules.split_off(offset));
    modules::mount(&mut own, root);
    modules.append(&mut own);
}

/// Returns the module path of a file in a crate, whose own module is in one of the specified files.
fn module_in_crate(file: &Source, root: &str, crate_files: &[&str]) -> Vec<String> {
    let path = file.name.strip_prefix(root).unwrap_or(&file.name);
    match path {
        path if crate_files.contains(&path) => Vec::new(),
        path => module_of(path),
    }
}

/// The files of a package.
struct ReadFiles<'a> {
    files: Vec<(&'a Source, FileItems)>,
    /// Whether a file could not be parsed.
    is_partial: bool,
    /// The declarations of modules that are left out because of features, and seem to declare kinds.
    off: Vec<LeftOut>,
}

/// Reads the API's files: the root module's first, then by name. Modules are read before the modules they declare, so that test modules are
/// known before their files are read.
fn read_files<'a>(
    files: &'a [Source],
    module: &dyn Fn(&Source) -> Vec<String>,
    options: (IgnoredMarkers<'_>, Features<'_>),
    diagnostics: &mut Diagnostics,
) -> ReadFiles<'a> {
    let mut files: Vec<_> = files.iter().map(|file| (module(file), file)).collect();
    files.sort_by_key(|(path, file)| (path.len(), file.name.as_str()));
    let mut tests: Vec<Vec<String>> = Vec::new();
    let mut off: Vec<(Vec<String>, Place)> = Vec::new();
    let mut read = Vec::new();
    let mut left_out = Vec::new();
    let mut is_partial = false;
    for level in files.chunk_by(|(path, _), (next, _)| path.len() == next.len()) {
        let read_one = |(path, file): &(Vec<String>, &'a Source)| {
            let mut found = Diagnostics::new();
            let is_test = tests.iter().any(|test| path.starts_with(test));
            let read = (!is_test).then(|| read_file(file, path.clone(), options, &mut found));
            (read.flatten(), found)
        };
        let level: Vec<_> = level
            .par_iter()
            .with_max_len(1)
            .map(|one| (one, read_one(one)))
            .collect();
        for ((path, file), (items, found)) in level {
            // Possibly declared as a test module by a file of the same level, with `#[path]`.
            if tests.iter().any(|test| path.starts_with(test)) {
                let place = off.iter().find(|(off, _)| path.starts_with(off));
                let place = place.filter(|_| file.text.contains("CustomResource"));
                left_out.extend(place.map(|(_, place)| LeftOut {
                    place: place.clone(),
                    file: Arc::from(file.name.as_str()),
                }));
                continue;
            }
            diagnostics.extend(found);
            let Some(items) = items else {
                is_partial = true;
                continue;
            };
            for module in &items.modules {
                tests.extend(module.tests.iter().map(|test| file_of(module, test)));
                for declared in &module.off {
                    let file = file_of(module, declared);
                    let mut others = module.declared.iter();
                    if others.all(|other| file_of(module, other) != file) {
                        tests.push(file.clone());
                        off.push((file, declared.place.clone()));
                    }
                }
            }
            read.push((path.clone(), *file, items));
        }
    }
    read.sort_by_key(|(path, file, _)| (!path.is_empty(), file.name.as_str()));
    let read = read.into_iter().map(|(_, file, items)| (file, items));
    ReadFiles {
        files: read.collect(),
        is_partial,
        off: left_out,
    }
}

/// Moves the modules in files named by `#[path = "…"]` to where they are declared.
fn moved(mut modules: Vec<Module>) -> Vec<Module> {
    let moves = Moves::new(&modules);
    if !moves.0.is_empty() {
        for module in &mut modules {
            module.path = moves.target(&module.path, MAX_MOVES);
        }
    }
    modules
}

/// The maximum number of `#[path = "…"]` attributes on the way to a file.
const MAX_MOVES: usize = 16;

/// Where files are declared whose location does not say so.
struct Moves(Vec<Move>);

struct Move {
    /// The module path implied by the file's location.
    from: Vec<String>,
    /// The path of the module that declares it, implied by the location of that one's file.
    parent: Vec<String>,
    name: String,
}

impl Moves {
    fn new(modules: &[Module]) -> Self {
        let mut moves = Vec::new();
        for module in modules {
            let renamed = module.declared.iter().filter(|it| it.path.is_some());
            moves.extend(renamed.map(|declared| Move {
                from: file_of(module, declared),
                parent: module.path.clone(),
                name: declared.name.clone(),
            }));
        }
        // Modules of such a file are in its directory, whatever its name.
        let is_there = |path: &[String]| modules.iter().any(|it| it.path == path);
        for module in modules.iter().filter(|module| module.from_file) {
            let Some((_, folder)) = module.path.split_last() else {
                continue;
            };
            if !moves.iter().any(|it| it.from == module.path) {
                continue;
            }
            for declared in module.declared.iter().filter(|it| it.path.is_none()) {
                let below = |path: &[String]| [path, std::slice::from_ref(&declared.name)].concat();
                if is_there(&below(folder)) && !is_there(&below(&module.path)) {
                    moves.push(Move {
                        from: below(folder),
                        parent: module.path.clone(),
                        name: declared.name.clone(),
                    });
                }
            }
        }
        Self(moves)
    }

    /// Returns the path of the module with a path that is implied by its file's location.
    fn target(&self, path: &[String], most: usize) -> Vec<String> {
        let found = self.0.iter().find_map(|it| {
            let below = path.strip_prefix(it.from.as_slice())?;
            Some((it, below))
        });
        match (found, most.checked_sub(1)) {
            (Some((it, below)), Some(most)) => {
                let mut target = self.target(&it.parent, most);
                target.push(it.name.clone());
                target.extend_from_slice(below);
                target
            }
            _ => path.to_vec(),
        }
    }
}

/// Returns the module path implied by the location of a declared module's file.
fn file_of(module: &Module, declared: &Declared) -> Vec<String> {
    let Some(path) = &declared.path else {
        return module
            .path
            .iter()
            .chain([&declared.name])
            .cloned()
            .collect();
    };
    let is_dir =
        !module.from_file || module.path.is_empty() || module.place.file.ends_with("/mod.rs");
    let parent = module.path.len() - usize::from(!is_dir);
    let mut file = module.path[..parent].to_vec();
    file.extend(module_of(path));
    file
}

/// Returns the `mod.rs` whose directory contains all files, directly or indirectly.
fn root_file(files: &[Source]) -> Option<&Source> {
    files.iter().find(|file| {
        file.name.strip_suffix("mod.rs").is_some_and(|dir| {
            (dir.is_empty() || dir.ends_with('/'))
                && files.iter().all(|file| file.name.starts_with(dir))
        })
    })
}

/// Returns the module path for a file path relative to the version's directory: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_of(path: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    stem.split('/')
        .filter(|part| !matches!(*part, "" | "." | "mod"))
        .map(str::to_owned)
        .collect()
}

fn add(package: &mut Package, modules: &mut Vec<Module>, items: FileItems) {
    let offset = modules.len();
    modules.extend(items.modules);
    package
        .items
        .extend(items.items.into_iter().map(|mut item| {
            item.module += offset;
            item
        }));
    package
        .impls
        .extend(items.impls.into_iter().map(|mut item| {
            item.module += offset;
            item
        }));
    let all = Arc::make_mut(&mut package.values);
    for (module, name, value) in items.values {
        let values = all.entry(name).or_default();
        values.push((module + offset, value));
    }
    package.markers.0.extend(items.package.0);
    package.has_macros |= items.has_macros;
}
