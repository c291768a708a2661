//! Finds files, and top-level modules, that import each other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Item, ItemMod, ItemUse, UseTree, Visibility,
    visit::{self, Visit},
};

/// The path of a module, relative to the crate root.
type Module = Vec<String>;

/// A path of the crate in a file, relative to the crate root.
struct Import {
    /// The name that it has in the file; empty if it is written in full where it is used.
    name: String,
    target: Vec<String>,
    /// Whether the import is re-exported. Its users then count as importing the file that defines
    /// it.
    is_reexport: bool,
}

/// Returns the circles of files below `root` that import from each other, directly or through
/// others: each as its modules, sorted.
///
/// An import counts for the file that defines the name, whichever module re-exports it. A module
/// and its descendants may import from each other. Unit tests do not count.
pub fn circular_files(root: &Path) -> Vec<String> {
    let is_family = |a: &Module, b: &Module| a.starts_with(b) || b.starts_with(a);
    let edges = edges(root).into_iter();
    let apart = edges.filter(|(from, to)| !is_family(from, to));
    circles(apart.map(|(from, to)| (from.join("::"), to.join("::"))))
}

/// Returns the circles of top-level modules below `root` that import each other, directly or
/// through others: each as its modules, sorted.
pub fn circular_modules(root: &Path) -> Vec<String> {
    let top = |module: &Module| module.first().cloned();
    let edges = edges(root).into_iter();
    let between = edges.filter_map(|(from, to)| Some((top(&from)?, top(&to)?)));
    circles(between.filter(|(from, to)| from != to))
}

/// Returns the circles of a graph: each as its members, sorted.
fn circles(edges: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in edges {
        imports.entry(from).or_default().insert(to);
    }
    let reached = |from: &String| {
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut next: Vec<&String> = imports.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(imports.get(module).into_iter().flatten());
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> = imports
        .keys()
        .map(|module| (module, reached(module)))
        .collect();
    let reaches = |from: &String, to: &String| reached.get(from).is_some_and(|it| it.contains(to));
    let in_circles = imports.keys().filter(|module| reaches(module, module));
    let circles = in_circles.map(|module| {
        let others = imports.keys();
        let circle = others.filter(|other| reaches(module, other) && reaches(other, module));
        circle.map(String::as_str).collect::<Vec<_>>().join(", ")
    });
    circles.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns who imports from whom, by the files that define the names.
fn edges(root: &Path) -> BTreeSet<(Module, Module)> {
    let mut modules = BTreeMap::new();
    read(root, &[], &mut modules);
    let mut edges = BTreeSet::new();
    for (module, imports) in &modules {
        for import in imports.iter().filter(|import| !import.is_reexport) {
            let target = definition(&modules, &import.target);
            if target != *module {
                edges.insert((module.clone(), target));
            }
        }
    }
    edges
}

/// Collects the imports of each module's file.
fn read(folder: &Path, module: &[String], modules: &mut BTreeMap<Module, Vec<Import>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let child = [module, std::slice::from_ref(&stem)].concat();
        if path.is_dir() {
            read(&path, &child, modules);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !stem.ends_with("tests")
            && stem != "main"
        {
            let is_own = matches!(stem.as_str(), "mod" | "lib");
            let of_file = if is_own { module.to_vec() } else { child };
            let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            let imports = imports(&file.items, &of_file);
            modules.insert(of_file, imports);
        }
    }
}

fn imports(items: &[Item], module: &[String]) -> Vec<Import> {
    let children: Vec<String> = items
        .iter()
        .filter_map(|item| match item {
            Item::Mod(child) => Some(child.ident.to_string()),
            _ => None,
        })
        .collect();
    let mut imports = Imports {
        module,
        children,
        found: Vec::new(),
    };
    for item in items {
        imports.visit_item(item);
    }
    imports.found
}

struct Imports<'a> {
    module: &'a [String],
    children: Vec<String>,
    found: Vec<Import>,
}

impl Imports<'_> {
    fn add(&mut self, name: String, path: &[String], is_reexport: bool) {
        if let Some(target) = absolute(path, self.module, &self.children) {
            self.found.push(Import {
                name,
                target,
                is_reexport,
            });
        }
    }
}

impl Visit<'_> for Imports<'_> {
    /// Modules in a file are unit tests.
    fn visit_item_mod(&mut self, _: &ItemMod) {}

    fn visit_visibility(&mut self, _: &Visibility) {}

    fn visit_item_use(&mut self, item: &ItemUse) {
        let mut named = Vec::new();
        flatten(&item.tree, Vec::new(), &mut named);
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        for (name, path) in named {
            self.add(name, &path, is_reexport);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let segments = path.segments.iter().map(|it| it.ident.to_string());
        let segments: Vec<String> = segments.collect();
        if segments[0] == "crate" {
            self.add(String::new(), &segments, false);
        }
        visit::visit_path(self, path);
    }
}

/// Collects the names of a `use` tree, each with its path. The name of a glob is `*`.
fn flatten(tree: &UseTree, mut path: Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            flatten(&tree.tree, path, found);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, path.clone(), found);
            }
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((path.last().cloned().unwrap_or_default(), path))
        }
        UseTree::Name(name) => {
            path.push(name.ident.to_string());
            found.push((name.ident.to_string(), path));
        }
        UseTree::Rename(rename) => {
            path.push(rename.ident.to_string());
            found.push((rename.rename.to_string(), path));
        }
        UseTree::Glob(_) => found.push(("*".to_owned(), path)),
    }
}

/// Resolves a path relative to the crate root. Returns `None` for a path of another crate.
fn absolute(path: &[String], module: &[String], children: &[String]) -> Option<Vec<String>> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        first if children.iter().any(|child| child == first) => module.to_vec(),
        _ => return None,
    };
    for segment in path {
        match segment.as_str() {
            "crate" | "self" => {}
            "super" => {
                base.pop();
            }
            name => base.push(name.to_owned()),
        }
    }
    Some(base)
}

/// Returns the module whose file defines the item at `path`, following re-exports.
fn definition(modules: &BTreeMap<Module, Vec<Import>>, path: &[String]) -> Module {
    let depth = (0..=path.len())
        .rev()
        .find(|depth| modules.contains_key(&path[..*depth]))
        .unwrap_or(0);
    let (module, rest) = path.split_at(depth);
    let passed_on = rest.first().and_then(|name| {
        modules
            .get(module)?
            .iter()
            .find(|import| import.name == *name)
    });
    match passed_on {
        Some(import) if import.target != path => {
            definition(modules, &[&import.target, &rest[1..]].concat())
        }
        _ => module.to_vec(),
    }
}
