//! Paths by which generated code names the types of a crate, wherever they stand.
//!
//! A module of the generated tree re-exports the types of a version under the names of the model,
//! and all other generated code refers to that module.

use super::{Cx, at_item, foreign, kube::plural};
use crate::{
    diag::{Diagnostics, Place},
    model::{RustPath, names},
    options::Options,
    read::rust::{Crate, Item, Layout},
};

impl Cx<'_> {
    /// Whether code is generated that names types of a crate by their paths.
    pub(super) fn is_reexported(&self) -> bool {
        self.package.layout == Layout::Crate && !self.options.emit.is_empty()
    }

    /// Returns the path by which other modules name a type that a module declares: through the
    /// modules that contain it, or else through the shortest public import. `None` if no such path
    /// is visible, or if the crate of the type is not one that generated code can name.
    pub(super) fn path_outside(&self, item: &Item, name: &str) -> Option<RustPath> {
        if !self.is_reexported() {
            return None;
        }
        let modules = &self.package.modules;
        let home = modules.get(item.module)?.path.as_slice();
        let crate_path = self.crate_path(modules.crate_of(home))?;
        self.path_through(crate_path, item, name)
    }

    /// Returns the path of a type that starts with the specified path of its crate.
    fn path_through(&self, crate_path: &str, item: &Item, name: &str) -> Option<RustPath> {
        let modules = &self.package.modules;
        let home = modules.get(item.module)?.path.as_slice();
        let root = modules.crate_of(home);
        let reach = Reach {
            crate_path,
            depth: root.len(),
        };
        let is_seen = match reach.is_own() {
            true => item.visible || home.len() == reach.depth,
            false => item.public,
        };
        let path = |module: &[String]| RustPath {
            path: reach.path(module, name),
            public: item.public,
        };
        if is_seen && self.is_seen_outside(home, &reach) {
            return Some(path(home));
        }
        if !item.visible {
            return None;
        }
        let within = modules.paths().filter(|path| path.starts_with(root));
        let mut exporting: Vec<&[String]> = within
            .filter(|module| self.resolver.is_imported(module, name, home))
            .filter(|module| self.is_seen_outside(module, &reach))
            .collect();
        exporting.sort_by_key(|module| module.len());
        exporting.first().map(|module| path(module))
    }

    /// Reports a kind that generated code cannot name.
    pub(super) fn check_path_outside(
        &self,
        item: &Item,
        path: Option<&RustPath>,
        diagnostics: &mut Diagnostics,
    ) {
        if path.is_some() || !self.is_reexported() {
            return;
        }
        let module = self.module(item);
        let root = self.package.modules.crate_of(&module);
        let message = format!("generated code cannot name `{}`", item.name);
        diagnostics.push(match self.crate_path(root) {
            None => {
                let root = root.first().unwrap_or(&self.package.root);
                let folder = root.trim_end_matches("src/").trim_end_matches('/');
                at_item(item, message, "in another crate").help(format!(
                    "add the crate in {folder} to the dependencies of the one that code is generated for, with a `path`"
                ))
            }
            Some("crate") => at_item(item, message, "private to its module").help(
                "make it and the modules around it `pub(crate)`, or export it with `pub use` from a module that is visible",
            ),
            Some(_) => at_item(item, message, "private to its crate").help(
                "make it and the modules around it `pub`, or export it with `pub use` from a public module",
            ),
        });
    }

    /// Returns the path by which generated code names a crate: that of the package, or one that it
    /// depends on, by the path of its root in the package.
    fn crate_path(&self, root: &[String]) -> Option<&str> {
        let name = root.first().unwrap_or(&self.package.root);
        match (self.package.paths.is_empty(), root) {
            // The crate's own folder is not known, as in a library's tests.
            (true, []) => Some("crate"),
            _ => self.package.paths.get(name).map(String::as_str),
        }
    }

    /// Whether generated code sees all modules of a path.
    fn is_seen_outside(&self, path: &[String], reach: &Reach<'_>) -> bool {
        let modules = &self.package.modules;
        let mut outer = (reach.depth + 1..=path.len()).filter_map(|depth| path.get(..depth));
        outer.all(|path| {
            // Everything in a crate sees the modules of its root.
            if reach.is_own() && path.len() == reach.depth + 1 {
                return true;
            }
            let Some((name, parent)) = path.split_last() else {
                return true;
            };
            let declares = modules.at(parent).any(|module| {
                let mut declared = module.declared.iter().filter(|it| it.name == *name);
                declared.any(|it| it.public || reach.is_own() && it.visible)
            });
            let mut with_body = modules.at(path).filter(|it| !it.from_file);
            declares || with_body.any(|it| it.public || reach.is_own() && it.visible)
        })
    }
}

/// Returns the kinds of a crate that have a CRD, whether or not their schemas can be read.
pub fn declared(source: &Crate, options: &Options) -> Vec<DeclaredKind> {
    let cx = Cx::new(&source.package, options, "");
    let items = source.package.items.iter();
    let own = items.filter(|item| source.package.modules.is_own(item.module));
    let kinds = own.filter(|item| foreign::is_described(item));
    kinds
        .filter_map(|item| {
            let kube = item.kube.as_deref()?;
            let path = |root: &str| {
                let path = cx.path_through(root, item, kube.root_name());
                path.map(|path| path.path)
            };
            Some(DeclaredKind {
                group: kube.group.clone(),
                kind: kube.kind.clone(),
                plural: plural(kube),
                path: path(PROGRAM),
                path_inside: path("crate"),
                place: item.place.clone(),
            })
        })
        .collect()
}

/// The name of a crate in the program that evaluates its kinds.
pub const PROGRAM: &str = "evaluated";

/// A kind that a crate declares.
#[derive(Clone, Debug)]
pub struct DeclaredKind {
    /// The group.
    pub group: String,
    /// The name of the kind.
    pub kind: String,
    /// The plural.
    pub plural: String,
    /// The path by which a program names the type, in which [`PROGRAM`] is the crate; `None` if it
    /// is not public.
    pub path: Option<String>,
    /// The path by which the root module of its crate names the type; `None` if it does not see it.
    pub path_inside: Option<String>,
    /// Where it is declared.
    pub place: Place,
}

/// How generated code reaches a crate.
struct Reach<'a> {
    crate_path: &'a str,
    /// The number of segments that lead to the root of the crate in the package.
    depth: usize,
}

impl Reach<'_> {
    /// Whether the crate is the one that contains the generated code.
    fn is_own(&self) -> bool {
        self.crate_path == "crate"
    }

    fn path(&self, module: &[String], name: &str) -> String {
        let mut path = self.crate_path.to_owned();
        let below = module.iter().skip(self.depth).map(String::as_str);
        for segment in below.chain([name]) {
            path.push_str("::");
            path.push_str(&names::ident(segment));
        }
        path
    }
}
