//! The modules of a package, found by path, with what they import and declare.
//!
//! The versions of a crate share its modules: a crate may have thousands of modules and hundreds of
//! versions.

use std::{collections::BTreeMap, ops::Deref};

use super::links::Links;
use crate::{diag::Place, source::RustLink};

/// A module of the version.
#[derive(Clone, Debug)]
pub struct Module {
    /// The path relative to the version's module.
    pub path: Vec<String>,
    /// Whether it is the root module of a file.
    pub from_file: bool,
    /// Whether a module with a body is visible outside of its parent; for the root module of a
    /// file, its declaration decides.
    pub visible: bool,
    /// Whether a module with a body is `pub`.
    pub public: bool,
    /// The `cfg` predicates on it or at the start of its file.
    pub cfg: Vec<String>,
    /// The start of its file, or the place of its name.
    pub place: Place,
    /// Its imports.
    pub uses: Vec<Use>,
    /// The modules that it declares without body.
    pub declared: Vec<Declared>,
    /// The modules that it declares for tests only, whose files do not belong to the API.
    pub tests: Vec<Declared>,
    /// The modules whose files are left out because of features.
    pub off: Vec<Declared>,
    /// The names of modules that macros declare; `*` for all files of its folder.
    pub in_macros: Vec<String>,
}

/// Stands for any module that a macro declares.
pub(super) const ANY_MODULE: &str = "*";

/// `mod name;`
#[derive(Clone, Debug)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// Whether it is `pub`.
    pub public: bool,
    /// Whether it is visible outside of its parent.
    pub visible: bool,
    /// The `cfg` predicates on it.
    pub cfg: Vec<String>,
    /// The path of its file, if set with a `path` attribute.
    pub path: Option<String>,
    /// The place of the name.
    pub place: Place,
}

/// Places the modules of a dependency below its source root.
pub(super) fn mount(modules: &mut [Module], root: &str) {
    for module in modules {
        module.path.insert(0, root.to_owned());
    }
}

/// A name that a `use` item imports.
#[derive(Clone, Debug)]
pub struct Use {
    /// The imported name; `None` for a glob.
    pub name: Option<String>,
    /// The imported path; for a glob, the module.
    pub path: Vec<String>,
    /// Whether the path starts with `::`.
    pub global: bool,
    /// Whether it is `pub`.
    pub public: bool,
}

/// The modules of a package; the first is the package's own.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    modules: Vec<Module>,
    scopes: BTreeMap<Vec<String>, Scope>,
    links: Links,
}

/// The names that modules of one path import. Several files may be one module, as `lib.rs` and
/// `main.rs` are.
#[derive(Clone, Debug, Default)]
struct Scope {
    modules: Vec<usize>,
    /// The imports by name; each by its module and its index there.
    uses: BTreeMap<String, (usize, usize)>,
    globs: Vec<(usize, usize)>,
}

impl Modules {
    /// Indexes the modules.
    pub(crate) fn new(modules: Vec<Module>, links: Links) -> Self {
        let mut scopes: BTreeMap<Vec<String>, Scope> = BTreeMap::new();
        for (index, module) in modules.iter().enumerate() {
            let scope = scopes.entry(module.path.clone()).or_default();
            scope.modules.push(index);
            for (at, import) in module.uses.iter().enumerate() {
                match &import.name {
                    Some(name) => {
                        scope.uses.insert(name.clone(), (index, at));
                    }
                    None => scope.globs.push((index, at)),
                }
            }
        }
        Self {
            modules,
            scopes,
            links,
        }
    }

    /// Returns the path of the module `crate` of the crate that a module belongs to: empty for the
    /// package's own crate.
    pub(crate) fn crate_of<'m>(&self, module: &'m [String]) -> &'m [String] {
        self.links.crate_of(module)
    }

    /// Whether a module, by index, belongs to the package's own crate rather than a dependency.
    pub(crate) fn is_own(&self, module: usize) -> bool {
        let module = self.modules.get(module);
        module.is_none_or(|module| self.crate_of(&module.path).is_empty())
    }

    /// Returns the module `crate` of the crate that a module refers to by a name.
    pub(crate) fn linked(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        self.links.root(module, name)
    }

    /// Returns what a module, or otherwise any of another crate, refers to by the name of a crate.
    pub(crate) fn link(&self, module: &[String], name: &str) -> Option<&RustLink> {
        self.links.of_any(module, name)
    }

    /// Whether there is a module with the path.
    pub(crate) fn contains(&self, path: &[String]) -> bool {
        self.scopes.contains_key(path)
    }

    /// Returns the modules with the path.
    pub(crate) fn at(&self, path: &[String]) -> impl Iterator<Item = &Module> {
        let found = self.scopes.get(path).into_iter();
        found.flat_map(|scope| scope.modules.iter().filter_map(|&at| self.modules.get(at)))
    }

    /// Returns the import of a name in the module with the path.
    pub(crate) fn import(&self, path: &[String], name: &str) -> Option<&Use> {
        let &at = self.scopes.get(path)?.uses.get(name)?;
        self.use_at(at)
    }

    /// Returns the globs in the module with the path.
    pub(crate) fn globs(&self, path: &[String]) -> impl Iterator<Item = &Use> {
        let found = self.scopes.get(path).into_iter();
        found.flat_map(|scope| scope.globs.iter().filter_map(|&at| self.use_at(at)))
    }

    /// Returns the paths of all modules, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.scopes.keys().map(Vec::as_slice)
    }

    fn use_at(&self, (module, at): (usize, usize)) -> Option<&Use> {
        self.modules.get(module)?.uses.get(at)
    }
}

impl Deref for Modules {
    type Target = [Module];

    fn deref(&self) -> &Self::Target {
        &self.modules
    }
}
