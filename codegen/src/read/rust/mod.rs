//! Reads annotated Rust, either a group-version directory or a crate: its modules, items,
//! documentation and markers.
//!
//! Each file is parsed by syn and scanned once for comments, which syn drops; the file reader
//! combines the two. The result is plain data with places. Start reading at [`read`], then
//! [`Package`].

mod changes;
mod code;
mod comments;
mod conditions;
mod default_derives;
mod delimiters;
mod discriminants;
mod docs;
mod evaluate;
mod features;
mod file;
mod item;
mod items;
mod kube;
mod links;
mod literal;
mod members;
mod modules;
mod moves;
mod predicate;
mod rule;
mod scan;
mod schema;
mod serde;
mod serde_as;
mod syntax;
mod tree;
mod types;
mod values;
mod variables;
mod versioned;
mod words;
mod written;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

pub use code::{Code, SchemaBase, SchemaCall, SchemaCode, SchemaFunction};
pub use item::{
    Body, Crate, Demand, Dependency, Field, Fields, Generics, Impl, Item, Layout, LeftOut, Package,
    Said, SchemaAttrs, Style, Variant, Word,
};
pub use kube::{Column, KubeDerive, Scale, SchemaMode};
pub use literal::Literal;
pub use modules::{Declared, Module, Modules, Use};
pub use predicate::Predicate;
pub use serde::{Renaming, SerdeAttrs};
pub(crate) use syntax::mentions_kinds;
pub(crate) use values::DEFAULT_BY_HAND;
pub use written::{Kind, PathType, Type};

use self::{
    features::Features,
    file::{FileItems, read_file},
    links::Links,
    moves::{file_of, module_of, moved},
};
use rayon::prelude::*;

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::markers::{IgnoredMarkers, MarkerSet},
    source::{RustCrate, RustDependency, RustPackage, Source},
};

/// A comment of a file, as far as markers need it.
pub(super) struct Comment {
    /// The byte range of its text: without slashes and surrounding spaces, or the whole block
    /// comment.
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
/// The parser recurses, up to a depth that the scanner limits. It needs threads with large stacks,
/// such as those of [`generate`](crate::generate).
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
        codes: Arc::default(),
        predicates: Arc::default(),
        has_macros: false,
        is_partial: false,
        root: String::new(),
        paths: Arc::default(),
        keys: BTreeMap::new(),
        layout,
    }
}

/// Reads crates whose kinds are declared anywhere. The binaries and the library of a crate share
/// its modules.
pub fn read_crates(crates: &[RustCrate], ignored: IgnoredMarkers<'_>) -> Vec<Crate> {
    let read = |source: &RustCrate| read_crate(source, ignored);
    crates.par_iter().filter_map(read).collect()
}

fn read_crate(source: &RustCrate, ignored: IgnoredMarkers<'_>) -> Option<Crate> {
    let first = source.files.first()?;
    let mut package = Package {
        root: source.root.clone(),
        paths: Arc::new(source.paths.clone()),
        ..empty(first, Layout::Crate)
    };
    let mut findings = Diagnostics::new();
    let mut roots = vec!["lib.rs", "main.rs"];
    roots.extend(source.library.as_deref());
    let module = |file: &Source| module_in_crate(file, &source.root, &roots);
    let options = (ignored, source.features.as_ref().map(|it| &it.names));
    let mut found = read_files(&source.files, &module, options, &mut findings);
    let is_wanted = |file: &Source| source.wanted.contains(&file.name);
    let is_program = |file: &Source| {
        let below = file.name.strip_prefix(source.root.as_str());
        below.is_some_and(|below| source.programs.iter().any(|it| it == below))
    };
    let undeclared = tree::undeclared(&mut found.files, &is_wanted, &is_program);
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
        undeclared,
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
    let mut found = read_files(&source.files, &module, options, &mut findings);
    tree::undeclared(&mut found.files, &|_| false, &|_| false);
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
    /// The declarations of modules that are left out because of features, and seem to declare
    /// kinds.
    off: Vec<LeftOut>,
}

/// Reads the API's files: the root module's first, then by name. Modules are read before the
/// modules they declare, so that test modules are known before their files are read.
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
                let place = place.filter(|_| mentions_kinds(&file.text));
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

/// Returns the `mod.rs` whose directory contains all files, directly or indirectly.
fn root_file(files: &[Source]) -> Option<&Source> {
    files.iter().find(|file| {
        file.name.strip_suffix("mod.rs").is_some_and(|dir| {
            (dir.is_empty() || dir.ends_with('/'))
                && files.iter().all(|file| file.name.starts_with(dir))
        })
    })
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
            if let Some((module, _)) = &mut item.schema {
                *module += offset;
            }
            item
        }));
    add_values(&mut package.values, items.values, offset);
    add_values(&mut package.codes, items.codes, offset);
    add_values(&mut package.predicates, items.predicates, offset);
    package.markers.0.extend(items.package.0);
    package.has_macros |= items.has_macros;
}

/// Adds values by name, of modules that start at an offset.
fn add_values<V: Clone>(
    all: &mut Arc<BTreeMap<String, Vec<(usize, V)>>>,
    values: Vec<(usize, String, V)>,
    offset: usize,
) {
    let all = Arc::make_mut(all);
    for (module, name, value) in values {
        all.entry(name).or_default().push((module + offset, value));
    }
}
