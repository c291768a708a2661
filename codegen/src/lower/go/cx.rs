//! The packages of a run by path, and where the Rust type of each Go type stands.

use std::collections::BTreeMap;

use super::known;
use crate::{
    diag::Diagnostic,
    model::Marshals,
    options::Options,
    read::go::{Const, MarshalKind, Module, Package, Type, TypeDecl},
};

/// A package with indexes of what it declares.
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
            // MarshalJSON comes before MarshalText.
            let entry = marshals.entry(method.type_name.as_str()).or_insert(kind);
            if kind == Marshals::Json {
                *entry = kind;
            }
        }
        Self {
            package,
            types: types.map(|decl| (decl.name.as_str(), decl)).collect(),
            consts,
            marshals,
        }
    }

    /// The type of the name.
    pub(super) fn decl(&self, name: &str) -> Option<&'a TypeDecl> {
        self.types.get(name).copied()
    }

    /// The constants of the type.
    pub(super) fn consts(&self, name: &str) -> &[&'a Const] {
        self.consts.get(name).map_or(&[], Vec::as_slice)
    }

    /// The type's own way to write itself.
    pub(super) fn marshals(&self, name: &str) -> Option<Marshals> {
        self.marshals.get(name).copied()
    }
}

/// Where the types of a package are generated.
#[derive(Clone, Debug)]
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
    missing: &'a BTreeMap<String, Diagnostic>,
}

/// A declared type in its package.
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
            missing: &module.missing,
        }
    }

    /// Why a package was not read.
    pub(super) fn missing(&self, package: &str) -> Option<&'a Diagnostic> {
        self.missing.get(package)
    }

    /// Says where the types of a package are generated.
    pub(super) fn settle(&mut self, package: &'a str, path: String) {
        self.homes.insert(package, Home { path });
    }

    pub(super) fn home(&self, package: &str) -> Option<&Home> {
        self.homes.get(package)
    }

    pub(super) fn pkg(&self, path: &str) -> Option<&Pkg<'a>> {
        self.packages.get(path)
    }

    /// The declaration of a type, if its package was read.
    pub(super) fn declared(&self, package: &str, name: &str) -> Option<Declared<'_>> {
        let pkg = self.pkg(package)?;
        let decl = pkg.decl(name)?;
        Some(Declared { pkg, decl })
    }

    /// What `--type-path` says of a type: a path, or a name of its own.
    pub(super) fn replaced(&self, package: &str, name: &str) -> Option<&str> {
        let key = format!("{package}.{name}");
        self.options.type_paths.get(&key).map(String::as_str)
    }

    /// The Rust name of a type.
    pub(super) fn rust_name(&self, package: &str, name: &str) -> String {
        match self.replaced(package, name) {
            Some(own) if !own.contains("::") => own.to_owned(),
            _ => rust_name(name),
        }
    }

    /// The named type that a type expression leads to, through pointers: package and name.
    pub(super) fn named<'t>(&self, of: &'t Package, ty: &'t Type) -> Option<(&'t str, &'t str)> {
        match ty {
            Type::Pointer(inner) => self.named(of, inner),
            Type::Local(name, _) => Some((of.path.as_str(), name.as_str())),
            Type::Imported(path, name, _) => Some((path, name.as_str())),
            _ => None,
        }
    }

    /// The declaration at the end of a chain of named types, which holds a type expression that is no name.
    pub(super) fn underlying(&self, package: &str, name: &str) -> Option<Declared<'_>> {
        let mut at = self.declared(package, name)?;
        for _ in 0..64 {
            let (package, name) = match &at.decl.ty {
                Type::Local(name, _) => (at.pkg.package.path.as_str(), name.as_str()),
                Type::Imported(path, name, _) => (&**path, name.as_str()),
                _ => return Some(at),
            };
            if known::special(package, name).is_some() {
                return None;
            }
            at = self.declared(package, name)?;
        }
        None
    }
}

/// A Go name as a Rust type's: exported names stay as they are.
fn rust_name(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() => first.to_uppercase().chain(chars).collect(),
        _ => name.to_owned(),
    }
}
