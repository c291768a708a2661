//! Resolves paths in annotated Rust to items or foreign types.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::rust::{Package, PathType, Use};

/// A resolved path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// An item of the package, by index.
    Item(usize),
    /// A type from elsewhere, by its path after applying imports.
    External(Vec<String>),
}

/// The maximum number of imports followed in a row.
const MAX_HOPS: usize = 32;

/// The state of one resolution.
#[derive(Debug)]
struct Walk {
    /// The number of imports that may still be followed.
    hops: usize,
    /// The names already looked up, each with its module. Globs can be circular: `pub use types::*`
    /// in `mod.rs` and `use super::*` in `types.rs`.
    seen: BTreeSet<(Vec<String>, String)>,
}

impl Walk {
    fn new() -> Self {
        Self {
            hops: MAX_HOPS,
            seen: BTreeSet::new(),
        }
    }

    /// Follows one more import, unless the limit is reached.
    fn further<T>(&mut self, look: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.hops = self.hops.checked_sub(1)?;
        let found = look(self);
        self.hops += 1;
        found
    }

    /// Whether the name has not been looked up in the module yet.
    fn is_new(&mut self, module: &[String], name: &str) -> bool {
        self.seen.insert((module.to_vec(), name.to_owned()))
    }
}

/// The modules and items of a package.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    package: &'a Package,
    /// The path of the version's module in its crate.
    root: Vec<String>,
    /// The items by the path of their module and their name.
    items: BTreeMap<(&'a [String], &'a str), usize>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(package: &'a Package) -> Self {
        let mut items = BTreeMap::new();
        for (index, item) in package.items.iter().enumerate() {
            if let Some(module) = package.modules.get(item.module) {
                items.insert((module.path.as_slice(), item.name.as_str()), index);
            }
        }
        Self {
            package,
            root: package.module_path.split("::").map(str::to_owned).collect(),
            items,
        }
    }

    /// Resolves a type's path in a module.
    pub(super) fn resolve_type(&self, module: usize, path: &PathType) -> Resolved {
        self.resolve_path(module, &path.segments, path.global)
    }

    /// Resolves a path in a module; `global` if it starts with `::`.
    pub(super) fn resolve_path(&self, module: usize, path: &[String], global: bool) -> Resolved {
        match global {
            true => self.of_crate_or_external(self.path_of(module), path, &mut Walk::new()),
            false => self.resolve(module, path),
        }
    }

    /// Resolves a path without leading colons in a module.
    pub(super) fn resolve(&self, module: usize, segments: &[String]) -> Resolved {
        self.path(self.path_of(module), segments, &mut Walk::new())
            .unwrap_or_else(|| Resolved::External(segments.to_vec()))
    }

    fn path_of(&self, module: usize) -> &'a [String] {
        let module = self.package.modules.get(module);
        module.map_or(&[], |module| &module.path)
    }

    /// Whether a glob may import names that are not known here.
    pub(super) fn has_foreign_globs(&self) -> bool {
        let modules = &self.package.modules;
        modules.paths().any(|path| {
            modules.globs(path).any(|import| {
                let variants = || self.path(path, &import.path, &mut Walk::new());
                self.glob_module(path, import).is_none()
                    && !matches!(variants(), Some(Resolved::Item(_)))
            })
        })
    }

    /// Whether the item is visible under its own name in the version's module.
    pub(super) fn is_exported(&self, item: usize) -> bool {
        let Some(found) = self.package.items.get(item) else {
            return false;
        };
        let module = self.package.modules.get(found.module);
        module.is_some_and(|module| self.is_name_exported(&module.path, &found.name, found.visible))
    }

    /// Whether a name declared in a module of the package, by an item or a macro, is visible as
    /// `name` in the version's module.
    pub(super) fn is_name_exported(&self, module: &[String], name: &str, visible: bool) -> bool {
        if module.is_empty() {
            return visible;
        }
        self.leads(&[], name, (module, name), &mut Walk::new())
    }

    /// Whether a public import of another module exports a name that a module declares.
    pub(super) fn is_imported(&self, from: &[String], name: &str, module: &[String]) -> bool {
        from != module && self.leads(from, name, (module, name), &mut Walk::new())
    }

    /// Whether public imports lead from a name in a module to the item with the specified module
    /// and name.
    fn leads(&self, from: &[String], name: &str, to: (&[String], &str), walk: &mut Walk) -> bool {
        if (from, name) == to {
            return true;
        }
        if !walk.is_new(from, name) || self.items.contains_key(&(from, name)) {
            return false;
        }
        let mut through = |module: &[String], name: &str| {
            self.module(from, module, MAX_HOPS)
                .is_some_and(|at| self.leads(&at, name, to, walk))
        };
        let modules = &self.package.modules;
        match modules.import(from, name) {
            Some(import) => {
                import.public
                    && import
                        .path
                        .split_last()
                        .is_some_and(|(last, module)| through(module, last))
            }
            None => modules
                .globs(from)
                .any(|import| import.public && through(&import.path, name)),
        }
    }

    fn path(&self, module: &[String], segments: &[String], walk: &mut Walk) -> Option<Resolved> {
        walk.further(|walk| self.path_within(module, segments, walk))
    }

    fn path_within(
        &self,
        module: &[String],
        segments: &[String],
        walk: &mut Walk,
    ) -> Option<Resolved> {
        let (head, rest) = segments.split_first()?;
        match head.as_str() {
            "crate" => match self.in_crate(module, segments) {
                Some((root, below)) if !below.is_empty() => self.below(root, below, walk),
                _ => None,
            },
            "self" => self.below(module, rest, walk),
            "super" => match module.split_last() {
                // A dependency ends at its root.
                Some(_) if self.package.modules.crate_of(module) == module => None,
                Some((_, parent)) => self.below_or_super(parent, rest, walk),
                None => Some(self.above(rest)),
            },
            _ if rest.is_empty() => self.name(module, head, walk),
            _ => {
                let mut child = module.to_vec();
                child.push(head.clone());
                if self.package.modules.contains(&child) {
                    return self.below(&child, rest, walk);
                }
                let found = self.through_import(module, segments, walk);
                found.or_else(|| self.of_crate(module, segments, walk))
            }
        }
    }

    /// Resolves a path that starts with a module, type or crate that is imported by name or by a
    /// glob.
    fn through_import(
        &self,
        module: &[String],
        segments: &[String],
        walk: &mut Walk,
    ) -> Option<Resolved> {
        let (head, rest) = segments.split_first()?;
        if let Some(import) = self.package.modules.import(module, head) {
            let path: Vec<String> = import.path.iter().chain(rest).cloned().collect();
            return Some(self.imported(module, import, (head, path), walk));
        }
        if !walk.is_new(module, &segments.join("::")) {
            return None;
        }
        let mut globs = self.package.modules.globs(module);
        globs.find_map(|glob| {
            let mut target = self.glob_module(module, glob)?;
            target.push(head.clone());
            if self.package.modules.contains(&target) {
                return walk.further(|walk| self.below(&target, rest, walk));
            }
            target.pop();
            walk.further(|walk| self.through_import(&target, segments, walk))
        })
    }

    /// Resolves a path that starts with the imported path instead of the name.
    fn imported(
        &self,
        module: &[String],
        import: &Use,
        (name, path): (&str, Vec<String>),
        walk: &mut Walk,
    ) -> Resolved {
        if is_of_crate(import, name) {
            return self.of_crate_or_external(module, &path, walk);
        }
        self.path(module, &path, walk)
            .unwrap_or(Resolved::External(path))
    }

    /// Returns the path of the root that `crate` leads to from a module, and the rest of the path.
    fn in_crate<'m, 's>(
        &self,
        module: &'m [String],
        path: &'s [String],
    ) -> Option<(&'m [String], &'s [String])> {
        match self.package.modules.crate_of(module) {
            [] => Some((&[], path.strip_prefix(self.root.as_slice())?)),
            root => Some((root, path.get(1..)?)),
        }
    }

    /// Resolves a path that starts with the name of a crate that was read.
    fn of_crate(&self, module: &[String], path: &[String], walk: &mut Walk) -> Option<Resolved> {
        let (name, below) = path.split_first()?;
        let root = self.package.modules.linked(module, name)?;
        walk.further(|walk| self.below(&root, below, walk))
    }

    fn of_crate_or_external(
        &self,
        module: &[String],
        path: &[String],
        walk: &mut Walk,
    ) -> Resolved {
        self.of_crate(module, path, walk)
            .unwrap_or_else(|| Resolved::External(path.to_vec()))
    }

    /// Resolves a path after `super`, which another `super` may follow.
    fn below_or_super(
        &self,
        module: &[String],
        rest: &[String],
        walk: &mut Walk,
    ) -> Option<Resolved> {
        if rest.first().is_some_and(|next| next == "super") {
            self.path(module, rest, walk)
        } else {
            self.below(module, rest, walk)
        }
    }

    /// Resolves a path that leaves the version's module upwards.
    fn above(&self, rest: &[String]) -> Resolved {
        let more = rest.iter().take_while(|next| *next == "super").count();
        let kept = self.root.len().saturating_sub(more + 1);
        Resolved::External(
            self.root[..kept]
                .iter()
                .chain(&rest[more..])
                .cloned()
                .collect(),
        )
    }

    /// Resolves a path whose head is known to be a module.
    fn below(&self, module: &[String], segments: &[String], walk: &mut Walk) -> Option<Resolved> {
        match segments {
            [] => None,
            [name] => self.name(module, name, walk),
            [head, rest @ ..] => {
                let mut child = module.to_vec();
                child.push(head.clone());
                if self.package.modules.contains(&child) {
                    walk.further(|walk| self.below(&child, rest, walk))
                } else {
                    self.path(module, segments, walk)
                }
            }
        }
    }

    /// Resolves a single name in a module: its items, then its imports, then its globs.
    fn name(&self, module: &[String], name: &str, walk: &mut Walk) -> Option<Resolved> {
        if !walk.is_new(module, name) {
            return None;
        }
        if let Some(&item) = self.items.get(&(module, name)) {
            return Some(Resolved::Item(item));
        }
        let modules = &self.package.modules;
        if let Some(import) = modules.import(module, name) {
            let path = import.path.clone();
            return Some(self.imported(module, import, (name, path), walk));
        }
        // An import that leads back here does not hide the item that another glob brings.
        let mut elsewhere = None;
        for import in modules.globs(module) {
            match self.through_glob(module, import, name, walk) {
                Some(Resolved::Item(item)) => return Some(Resolved::Item(item)),
                found => elsewhere = elsewhere.or(found),
            }
        }
        elsewhere
    }

    /// Resolves a name imported by a glob: from a module of the package, or a type of another
    /// crate that is known.
    fn through_glob(
        &self,
        module: &[String],
        import: &Use,
        name: &str,
        walk: &mut Walk,
    ) -> Option<Resolved> {
        match self.glob_module(module, import) {
            Some(target) if target != module => self.name(&target, name, walk),
            Some(_) => None,
            None => super::well_known::is_imported(&import.path, name).then(|| {
                let mut path = import.path.clone();
                path.push(name.to_owned());
                Resolved::External(path)
            }),
        }
    }

    /// Resolves a path to a module of the package.
    fn module(&self, from: &[String], path: &[String], hops: usize) -> Option<Vec<String>> {
        let hops = hops.checked_sub(1)?;
        let modules = &self.package.modules;
        let mut at = from.to_vec();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                let (root, below) = self.in_crate(from, path)?;
                (at, rest) = (root.to_vec(), below);
            }
            Some("self") => rest = &path[1..],
            _ => {}
        }
        for (index, segment) in rest.iter().enumerate() {
            if segment == "super" {
                if !at.is_empty() && modules.crate_of(&at) == at {
                    return None;
                }
                at.pop()?;
                continue;
            }
            at.push(segment.clone());
            if !modules.contains(&at) {
                at.pop();
                at = match modules.import(&at, segment) {
                    Some(import) if !is_of_crate(import, segment) => {
                        self.module(&at, &import.path, hops)?
                    }
                    Some(import) => self.module_of_crate(&at, &import.path, hops)?,
                    None if index == 0 => modules.linked(&at, segment)?,
                    None => return None,
                };
            }
        }
        modules.contains(&at).then_some(at)
    }

    /// Resolves a path in a module to a module of the package.
    pub(super) fn module_at(&self, module: usize, path: &[String]) -> Option<Vec<String>> {
        self.module(self.path_of(module), path, MAX_HOPS)
    }

    /// Returns the module of the package that a glob imports from.
    fn glob_module(&self, from: &[String], glob: &Use) -> Option<Vec<String>> {
        match glob.global {
            true => self.module_of_crate(from, &glob.path, MAX_HOPS),
            false => self.module(from, &glob.path, MAX_HOPS),
        }
    }

    /// Resolves a path to a module that starts with the name of a crate.
    fn module_of_crate(
        &self,
        from: &[String],
        path: &[String],
        hops: usize,
    ) -> Option<Vec<String>> {
        let (name, below) = path.split_first()?;
        let root = self.package.modules.linked(from, name)?;
        self.module(&root, below, hops)
    }
}

/// Whether the path of an import starts with the name of a crate, whatever the module declares:
/// `use ::a::B`, or `use a`, which imports the name itself.
fn is_of_crate(import: &Use, name: &str) -> bool {
    import.global || matches!(import.path.as_slice(), [only] if only == name)
}
