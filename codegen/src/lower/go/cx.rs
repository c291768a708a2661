//! The packages of a run by path, and the locations of the Rust types for Go types.

use std::collections::{BTreeMap, BTreeSet};

use super::well_known;
use crate::{
    diag::Diagnostic,
    model::Marshals,
    options::Options,
    read::go::{Const, Field, MarshalKind, Module, Package, Type, TypeDecl},
};

/// A package, with indexes of its declarations.
#[derive(Debug)]
pub(super) struct Pkg<'a> {
    pub(super) package: &'a Package,
    types: BTreeMap<&'a str, &'a TypeDecl>,
    consts: BTreeMap<&'a str, Vec<&'a Const>>,
    marshals: BTreeMap<&'a str, Marshals>,
}

impl<'a> Pkg<'a> {
    fn new(package: &'a Package) -> Self {
        let types = package.types.iter();
        let mut consts: BTreeMap<&str, Vec<&Const>> = BTreeMap::new();
        for constant in &package.consts {
            if let Some(Type::Local(name, _)) = &constant.ty {
                consts.entry(name.as_str()).or_default().push(constant);
            }
        }
        let mut marshals = BTreeMap::new();
        for method in &package.marshalers {
            let kind = match method.kind {
                MarshalKind::Json => Marshals::Json,
                MarshalKind::Text => Marshals::Text,
            };
            // MarshalJSON takes precedence over MarshalText.
            let entry = marshals.entry(method.type_name.as_str()).or_insert(kind);
            if kind == Marshals::Json {
                *entry = kind;
            }
        }
        for decl in &package.types {
            let Type::Struct(fields) = &decl.ty else {
                continue;
            };
            let mut embedded = fields.iter().filter(|field| field.embedded);
            let named = |field: &Field| {
                name_of(package, &field.ty)
                    .is_some_and(|(of, name)| well_known::writes_text(of, name))
            };
            if embedded.any(named) {
                marshals.entry(decl.name.as_str()).or_insert(Marshals::Text);
            }
        }
        Self {
            package,
            types: types.map(|decl| (decl.name.as_str(), decl)).collect(),
            consts,
            marshals,
        }
    }

    /// Returns the type with the name.
    pub(super) fn decl(&self, name: &str) -> Option<&'a TypeDecl> {
        self.types.get(name).copied()
    }

    /// Returns the constants of the type.
    pub(super) fn consts(&self, name: &str) -> &[&'a Const] {
        self.consts.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the interface with which the type marshals itself.
    pub(super) fn marshals(&self, name: &str) -> Option<Marshals> {
        self.marshals.get(name).copied()
    }
}

/// Where the types of a package are generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// The module's path (`crate::apis::cloudnative::v1`).
    pub(super) path: String,
}

/// The context of lowering.
#[derive(Debug)]
pub(super) struct Cx<'a> {
    pub(super) options: &'a Options,
    packages: BTreeMap<&'a str, Pkg<'a>>,
    homes: BTreeMap<&'a str, Home>,
    /// The Rust names of types whose name another package of the same version uses, by package and
    /// Go name.
    renamed: BTreeMap<(&'a str, &'a str), String>,
    /// The kinds that requested packages declare as structs, by group and name.
    kinds: BTreeSet<(&'a str, &'a str)>,
    missing: &'a BTreeMap<String, Diagnostic>,
}

/// The maximum length of a chain of named types.
const MAX_CHAIN: usize = 64;

/// The end of a chain of named types.
pub(super) enum End<'a> {
    /// A declaration with a type expression other than a name.
    Declared(Declared<'a>),
    /// A type by package and name that was not read or that has a special JSON form.
    Elsewhere(&'a str, &'a str),
}

/// A declared type, with its package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    pub(super) pkg: &'a Pkg<'a>,
    pub(super) decl: &'a TypeDecl,
}

impl<'a> Cx<'a> {
    pub(super) fn new(module: &'a Module, options: &'a Options) -> Self {
        let packages = module.packages.iter();
        Self {
            options,
            packages: packages
                .map(|package| (package.path.as_str(), Pkg::new(package)))
                .collect(),
            homes: BTreeMap::new(),
            renamed: BTreeMap::new(),
            kinds: BTreeSet::new(),
            missing: &module.missing,
        }
    }

    /// Sets the kinds that requested packages declare as structs.
    pub(super) fn set_kinds(&mut self, kinds: BTreeSet<(&'a str, &'a str)>) {
        self.kinds = kinds;
    }

    /// Whether a requested package of the group declares a kind of that name as a struct.
    pub(super) fn is_kind(&self, group: &str, name: &str) -> bool {
        self.kinds.contains(&(group, name))
    }

    /// Returns the reason why a package was not read.
    pub(super) fn missing(&self, package: &str) -> Option<&'a Diagnostic> {
        self.missing.get(package)
    }

    /// Sets the module in which the types of a package are generated.
    pub(super) fn settle(&mut self, package: &'a str, path: String) {
        self.homes.insert(package, Home { path });
    }

    /// Sets a Rust name for a type that differs from its Go name.
    pub(super) fn rename(&mut self, package: &'a str, name: &'a str, rust: String) {
        self.renamed.insert((package, name), rust);
    }

    /// Returns the Go name and Rust name of each renamed type of a package.
    pub(super) fn renamed(&self, package: &str) -> impl Iterator<Item = (&'a str, &str)> {
        let all = self.renamed.iter();
        all.filter(move |((of, _), _)| *of == package)
            .map(|((_, name), rust)| (*name, rust.as_str()))
    }

    pub(super) fn home(&self, package: &str) -> Option<&Home> {
        self.homes.get(package)
    }

    pub(super) fn pkg(&self, path: &str) -> Option<&Pkg<'a>> {
        self.packages.get(path)
    }

    /// Returns the declaration of a type, if its package was read.
    pub(super) fn declared(&self, package: &str, name: &str) -> Option<Declared<'_>> {
        let pkg = self.pkg(package)?;
        let decl = pkg.decl(name)?;
        Some(Declared { pkg, decl })
    }

    /// Returns the `--type-path` of a type: a path, or a name.
    pub(super) fn replaced(&self, package: &str, name: &str) -> Option<&str> {
        // Called for every field, and most runs have no type paths.
        if self.options.type_paths.is_empty() {
            return None;
        }
        let key = format!("{package}.{name}");
        self.options.type_paths.get(&key).map(String::as_str)
    }

    /// Returns the Rust name of a type.
    pub(super) fn rust_name(&self, package: &str, name: &str) -> String {
        match self.replaced(package, name) {
            Some(own) if !own.contains("::") => own.to_owned(),
            _ => match self.renamed.get(&(package, name)) {
                Some(rust) => rust.clone(),
                None => rust_name(name),
            },
        }
    }

    /// Returns package and name of the named type that a type expression refers to, through
    /// pointers and aliases.
    pub(super) fn named<'t>(&'t self, of: &'t Package, ty: &'t Type) -> Option<(&'t str, &'t str)> {
        let mut named = name_of(of, ty)?;
        for _ in 0..MAX_CHAIN {
            let declared = self.declared(named.0, named.1);
            let Some(Declared { pkg, decl }) = declared.filter(|found| found.decl.alias) else {
                break;
            };
            match name_of(pkg.package, &decl.ty) {
                Some(next) => named = next,
                None => break,
            }
        }
        Some(named)
    }

    /// Returns package and name of the target of a local alias. controller-gen ignores the docs and
    /// markers of aliases, except for aliases of unnamed types.
    pub(super) fn passed_over<'t>(
        &'t self,
        package: &'t Package,
        name: &str,
    ) -> Option<(&'t str, &'t str)> {
        if self.options.compat.is_strict() {
            return None;
        }
        let alias = self.declared(&package.path, name)?.decl;
        match &alias.ty {
            Type::Local(..) | Type::Imported(..) if alias.alias => name_of(package, &alias.ty),
            _ => None,
        }
    }

    /// Returns the declaration that a type is defined in terms of, whose docs and markers apply, if
    /// it was read.
    pub(super) fn below<'t>(&'t self, of: Declared<'t>) -> Option<Declared<'t>> {
        let package = of.pkg.package;
        let (path, name) = match &of.decl.ty {
            Type::Local(name, _) => self
                .passed_over(package, name)
                .unwrap_or((package.path.as_str(), name.as_str())),
            Type::Imported(path, name, _) => (&**path, name.as_str()),
            _ => return None,
        };
        self.declared(path, name)
    }

    /// Returns the end of a chain of named types; `None` if the chain does not end.
    pub(super) fn end<'t>(&'t self, package: &'t str, name: &'t str) -> Option<End<'t>> {
        let mut named = (package, name);
        for _ in 0..MAX_CHAIN {
            let Some(at) = self.declared(named.0, named.1) else {
                return Some(End::Elsewhere(named.0, named.1));
            };
            named = match &at.decl.ty {
                Type::Local(name, _) => (at.pkg.package.path.as_str(), name.as_str()),
                Type::Imported(path, name, _) => (&**path, name.as_str()),
                _ => return Some(End::Declared(at)),
            };
            if well_known::special(named.0, named.1).is_some() {
                return Some(End::Elsewhere(named.0, named.1));
            }
        }
        None
    }

    /// Returns the declaration at the end of a chain of named types, if it was read.
    pub(super) fn underlying<'t>(
        &'t self,
        package: &'t str,
        name: &'t str,
    ) -> Option<Declared<'t>> {
        match self.end(package, name)? {
            End::Declared(declared) => Some(declared),
            End::Elsewhere(..) => None,
        }
    }
}

/// Returns package and name if a type expression is a name, possibly through pointers.
fn name_of<'t>(of: &'t Package, ty: &'t Type) -> Option<(&'t str, &'t str)> {
    match ty {
        Type::Pointer(inner) => name_of(of, inner),
        Type::Local(name, _) => Some((of.path.as_str(), name.as_str())),
        Type::Imported(path, name, _) => Some((path, name.as_str())),
        _ => None,
    }
}

/// Converts a Go name to a Rust type name: exported names stay unchanged.
fn rust_name(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() => first.to_uppercase().chain(chars).collect(),
        _ => name.to_owned(),
    }
}
