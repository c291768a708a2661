//! Names in annotated Rust: from a path as written to the item or the foreign type that it means.

use std::collections::BTreeMap;

use crate::read::rust::{Package, Use};

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// An item of the package, by index.
    Item(usize),
    /// A type from elsewhere, by its path as far as imports tell.
    External(Vec<String>),
}

/// How many imports may lead from one to the next.
const MAX_HOPS: usize = 32;

/// The modules of a package, indexed.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    package: &'a Package,
    /// The path of the version's module in its crate.
    root: Vec<String>,
    modules: BTreeMap<&'a [String], Scope<'a>>,
}

/// What one module declares.
#[derive(Debug, Default)]
struct Scope<'a> {
    items: BTreeMap<&'a str, usize>,
    uses: BTreeMap<&'a str, &'a Use>,
    globs: Vec<&'a Use>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(package: &'a Package) -> Self {
        let mut modules: BTreeMap<&[String], Scope<'_>> = BTreeMap::new();
        for module in &package.modules {
            let scope = modules.entry(&module.path).or_default();
            for import in &module.uses {
                match &import.name {
                    Some(name) => {
                        scope.uses.insert(name, import);
                    }
                    None => scope.globs.push(import),
                }
            }
        }
        for (index, item) in package.items.iter().enumerate() {
            if let Some(module) = package.modules.get(item.module)
                && let Some(scope) = modules.get_mut(module.path.as_slice())
            {
                scope.items.insert(&item.name, index);
            }
        }
        Self {
            package,
            root: package.module_path.split("::").map(str::to_owned).collect(),
            modules,
        }
    }

    /// What a path means in a module.
    pub(super) fn resolve(&self, module: usize, global: bool, segments: &[String]) -> Resolved {
        let path = self
            .package
            .modules
            .get(module)
            .map_or(&[][..], |module| &module.path);
        if global {
            return Resolved::External(segments.to_vec());
        }
        self.path(path, segments, MAX_HOPS)
            .unwrap_or_else(|| Resolved::External(segments.to_vec()))
    }

    /// Whether others see the item by its own name in the version's module.
    pub(super) fn is_exported(&self, item: usize) -> bool {
        let Some(found) = self.package.items.get(item) else {
            return false;
        };
        let Some(root) = self.modules.get(&[][..]) else {
            return false;
        };
        if root.items.get(found.name.as_str()) == Some(&item) {
            return found.visible;
        }
        let named = root.uses.get(found.name.as_str());
        named.into_iter().chain(&root.globs).any(|import| {
            import.public
                && match &import.name {
                    Some(_) => self.path(&[], &import.path, MAX_HOPS) == Some(Resolved::Item(item)),
                    None => {
                        self.through_glob(&[], import, &found.name, MAX_HOPS)
                            == Some(Resolved::Item(item))
                    }
                }
        })
    }

    /// Whether others see a name that a macro declares in a module of the package, as `name` of the version's module.
    pub(super) fn is_name_exported(&self, module: &[String], name: &str, visible: bool) -> bool {
        if module.is_empty() {
            return visible;
        }
        let Some(root) = self.modules.get(&[][..]) else {
            return false;
        };
        let named = root.uses.get(name).is_some_and(|import| import.public);
        named
            || root.globs.iter().any(|import| {
                import.public && self.module(&[], &import.path, MAX_HOPS).as_deref() == Some(module)
            })
    }

    fn path(&self, module: &[String], segments: &[String], hops: usize) -> Option<Resolved> {
        let hops = hops.checked_sub(1)?;
        let (head, rest) = segments.split_first()?;
        match head.as_str() {
            "crate" => match segments.strip_prefix(self.root.as_slice()) {
                Some(below) if !below.is_empty() => self.below(&[], below, hops),
                _ => None,
            },
            "self" => self.below(module, rest, hops),
            "super" => match module.split_last() {
                Some((_, parent)) => self.below_or_super(parent, rest, hops),
                None => Some(self.above(rest)),
            },
            _ if rest.is_empty() => self.name(module, head, hops),
            _ => {
                let mut child = module.to_vec();
                child.push(head.clone());
                if self.modules.contains_key(child.as_slice()) {
                    return self.below(&child, rest, hops);
                }
                let import = self.modules.get(module)?.uses.get(head.as_str())?;
                let path: Vec<String> = import.path.iter().chain(rest).cloned().collect();
                if import.global || (import.path.len() == 1 && import.path[0] == *head) {
                    return Some(Resolved::External(path));
                }
                Some(
                    self.path(module, &path, hops)
                        .unwrap_or(Resolved::External(path)),
                )
            }
        }
    }

    /// After a `super`, another may follow.
    fn below_or_super(&self, module: &[String], rest: &[String], hops: usize) -> Option<Resolved> {
        if rest.first().is_some_and(|next| next == "super") {
            self.path(module, rest, hops)
        } else {
            self.below(module, rest, hops)
        }
    }

    /// A path that leaves the version's module upwards.
    fn above(&self, rest: &[String]) -> Resolved {
        let parent = self.root.split_last().map_or(&[][..], |(_, parent)| parent);
        Resolved::External(parent.iter().chain(rest).cloned().collect())
    }

    /// A path whose head is known to be a module.
    fn below(&self, module: &[String], segments: &[String], hops: usize) -> Option<Resolved> {
        match segments {
            [] => None,
            [name] => self.name(module, name, hops),
            [head, rest @ ..] => {
                let mut child = module.to_vec();
                child.push(head.clone());
                if self.modules.contains_key(child.as_slice()) {
                    self.below(&child, rest, hops.checked_sub(1)?)
                } else {
                    self.path(module, segments, hops)
                }
            }
        }
    }

    /// A single name in a module: its items, its imports, then its globs.
    fn name(&self, module: &[String], name: &str, hops: usize) -> Option<Resolved> {
        let hops = hops.checked_sub(1)?;
        let scope = self.modules.get(module)?;
        if let Some(&item) = scope.items.get(name) {
            return Some(Resolved::Item(item));
        }
        if let Some(import) = scope.uses.get(name) {
            // `use serde_json;` names itself.
            if import.global || import.path.len() == 1 && import.path[0] == name {
                return Some(Resolved::External(import.path.clone()));
            }
            return Some(
                self.path(module, &import.path, hops)
                    .unwrap_or_else(|| Resolved::External(import.path.clone())),
            );
        }
        scope
            .globs
            .iter()
            .find_map(|import| self.through_glob(module, import, name, hops))
    }

    /// A name that a glob brings: of a module of the package, or a type that Kubernetes defines.
    fn through_glob(
        &self,
        module: &[String],
        import: &Use,
        name: &str,
        hops: usize,
    ) -> Option<Resolved> {
        match self.module(module, &import.path, hops) {
            Some(target) if target != module => self.name(&target, name, hops.checked_sub(1)?),
            Some(_) => None,
            None => {
                let mut path = import.path.clone();
                path.push(name.to_owned());
                super::known::known(&path).map(|_| Resolved::External(path))
            }
        }
    }

    /// The module of the package that a path means.
    fn module(&self, from: &[String], path: &[String], hops: usize) -> Option<Vec<String>> {
        let hops = hops.checked_sub(1)?;
        let mut at = from.to_vec();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                rest = path.strip_prefix(self.root.as_slice())?;
                at.clear();
            }
            Some("self") => rest = &path[1..],
            _ => {}
        }
        for segment in rest {
            if segment == "super" {
                at.pop()?;
                continue;
            }
            at.push(segment.clone());
            if !self.modules.contains_key(at.as_slice()) {
                at.pop();
                let import = self
                    .modules
                    .get(at.as_slice())?
                    .uses
                    .get(segment.as_str())?;
                at = self.module(&at, &import.path, hops)?;
            }
        }
        self.modules.contains_key(at.as_slice()).then_some(at)
    }
}
