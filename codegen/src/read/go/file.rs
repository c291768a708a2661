//! Reads one file: turns its declarations into additions to its package.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    Findings, docs,
    package::{Field, Import, MarshalKind, Marshaler, Package, TagFault, Type, TypeDecl},
    resolve::{Index, predeclared},
    sources::{GoFile, GoPackage},
    syntax::{FieldSpec, File, Span, TypeExpr, TypeSpec},
    tag,
};
use crate::{
    diag::Place,
    options::Compat,
    read::markers::{IgnoredMarkers, MarkerSet},
};

/// Reads one file.
pub(super) struct FileReader<'a, 'f> {
    pub(super) package: &'a GoPackage,
    pub(super) file: &'a GoFile,
    pub(super) syntax: &'a File,
    pub(super) ignored: IgnoredMarkers<'a>,
    pub(super) compat: Compat,
    /// The types to read; `None` means all.
    pub(super) used: Option<&'a BTreeSet<String>>,
    pub(super) findings: &'f mut Findings,
    types: Types<'a>,
}

/// Resolves the types of one file.
#[derive(Clone)]
pub(super) struct Types<'a> {
    package: &'a GoPackage,
    file: &'a GoFile,
    syntax: &'a File,
    index: &'a Index<'a>,
}

impl<'a, 'f> FileReader<'a, 'f> {
    pub(super) fn new(
        package: &'a GoPackage,
        file: &'a GoFile,
        syntax: &'a File,
        index: &'a Index<'a>,
        ignored: IgnoredMarkers<'a>,
        findings: &'f mut Findings,
    ) -> Self {
        Self {
            package,
            file,
            syntax,
            ignored,
            compat: Compat::default(),
            used: None,
            findings,
            types: Types::new(package, file, syntax, index),
        }
    }

    /// Restricts reading to the specified types, if any.
    pub(super) fn only(self, used: Option<&'a BTreeSet<String>>) -> Self {
        Self { used, ..self }
    }

    /// Sets the generator whose treatment of markers to follow.
    pub(super) fn matching(self, compat: Compat) -> Self {
        Self { compat, ..self }
    }

    /// Creates the same reader with its own findings, for use on another thread.
    fn reporting_to<'g>(&self, findings: &'g mut Findings) -> FileReader<'a, 'g> {
        FileReader {
            findings,
            types: self.types.clone(),
            ..*self
        }
    }

    pub(super) fn is_used(&self, spec: &TypeSpec) -> bool {
        let name = self.file.text_of(&spec.name);
        self.used.is_none_or(|used| used.contains(name))
    }

    pub(super) fn place(&self, range: Span) -> Place {
        self.types.place(range)
    }

    pub(super) fn read(mut self, out: &mut Package) {
        let mut markers = self.markers();
        out.markers.0.append(&mut markers.package);
        let docs = self.docs(self.syntax.doc);
        if !docs.is_empty() {
            if !out.docs.is_empty() {
                out.docs.push_str("\n\n");
            }
            out.docs.push_str(&docs);
        }
        out.imports
            .extend(self.syntax.imports.iter().map(|import| Import {
                path: import.path.clone(),
                place: self.place(import.place.clone()),
            }));
        let types: Vec<_> = self.syntax.types.iter().zip(markers.types).collect();
        let read: Vec<_> = types
            .into_par_iter()
            .filter(|(spec, _)| self.is_used(spec))
            .map(|(spec, set)| {
                let mut findings = Findings::default();
                let decl = self
                    .reporting_to(&mut findings)
                    .type_decl(spec, set, &markers.fields);
                (decl, findings)
            })
            .collect();
        for (decl, findings) in read {
            out.types.push(decl);
            self.findings.extend(findings);
        }
        for method in &self.syntax.methods {
            let kind = match self.file.text_of(&method.name) {
                "MarshalJSON" => MarshalKind::Json,
                _ => MarshalKind::Text,
            };
            out.marshalers.push(Marshaler {
                type_name: self.file.text_of(&method.receiver).to_owned(),
                pointer: method.pointer,
                kind,
            });
        }
    }

    fn docs(&self, group: Option<usize>) -> String {
        let group = group.and_then(|group| self.syntax.groups.get(group));
        group.map_or_else(String::new, |group| {
            docs::text(self.syntax.comments_of(group), &self.file.source.text)
        })
    }

    fn type_decl(&mut self, spec: &TypeSpec, markers: MarkerSet, fields: &[MarkerSet]) -> TypeDecl {
        TypeDecl {
            name: self.file.text_of(&spec.name).to_owned(),
            place: self.place(spec.name.clone()),
            docs: self.docs(spec.doc),
            markers,
            alias: spec.alias,
            generics: spec.generics.clone().map(|range| self.place(range)),
            ty: self.type_of(&spec.ty, fields),
        }
    }

    /// Reads a type, including the fields of structs within it.
    fn type_of(&mut self, ty: &TypeExpr, markers: &[MarkerSet]) -> Type {
        match ty {
            TypeExpr::Struct(specs) => {
                let mut fields = Vec::with_capacity(specs.len());
                for spec in specs {
                    self.field(spec, markers, &mut fields);
                }
                Type::Struct(fields)
            }
            TypeExpr::Pointer(inner) => Type::Pointer(Box::new(self.type_of(inner, markers))),
            TypeExpr::Slice(inner) => Type::Slice(Box::new(self.type_of(inner, markers))),
            TypeExpr::Array(length, inner) => {
                Type::Array(*length, Box::new(self.type_of(inner, markers)))
            }
            TypeExpr::Map(key, value) => {
                let key = self.type_of(key, markers);
                Type::Map(Box::new(key), Box::new(self.type_of(value, markers)))
            }
            _ => self.types.leaf(ty),
        }
    }

    fn field(&mut self, spec: &FieldSpec, markers: &[MarkerSet], fields: &mut Vec<Field>) {
        let set = markers.get(spec.number);
        let tag = spec.tag.as_ref().map(|span| {
            let (mut tag, problem) = tag::parse(self.file.text_of(span));
            let problem = problem.filter(|_| self.package.main);
            tag.fault = problem.map(|problem| TagFault {
                problem,
                place: self.types.place(span.clone()),
            });
            tag
        });
        let docs = self.docs(spec.doc);
        let ty = self.type_of(&spec.ty, markers);
        for name in &spec.names {
            fields.push(Field {
                name: self.file.text_of(name).to_owned(),
                place: self.place(name.clone()),
                embedded: spec.embedded,
                docs: docs.clone(),
                markers: set.cloned().unwrap_or_default(),
                tag: tag.clone(),
                ty: ty.clone(),
            });
        }
    }
}

impl<'a> Types<'a> {
    pub(super) fn new(
        package: &'a GoPackage,
        file: &'a GoFile,
        syntax: &'a File,
        index: &'a Index<'a>,
    ) -> Self {
        Self {
            package,
            file,
            syntax,
            index,
        }
    }

    pub(super) fn place(&self, range: Span) -> Place {
        self.file.place(range)
    }

    /// Reads a type without components; other types have no JSON form here.
    pub(super) fn leaf(&self, ty: &TypeExpr) -> Type {
        match ty {
            TypeExpr::Name(span) => self.name(span),
            TypeExpr::Qualified(package, name) => self.qualified(package, name),
            TypeExpr::Any => Type::Basic("any"),
            TypeExpr::Interface(span) => Type::Interface(self.place(span.clone())),
            TypeExpr::Other(span) => Type::Other(self.place(span.clone())),
            TypeExpr::Pointer(_)
            | TypeExpr::Slice(_)
            | TypeExpr::Array(..)
            | TypeExpr::Map(..)
            | TypeExpr::Struct(_) => Type::Other(self.place(0..0)),
        }
    }

    /// Resolves a name: a type of the package, of a dot import, or predeclared.
    pub(super) fn name(&self, span: &Span) -> Type {
        let name = self.file.text_of(span);
        let place = || self.place(span.clone());
        if self.index.declares(&self.package.path, name) {
            return Type::Local(name.to_owned(), place());
        }
        if let Some(path) = self.dot_import_of(name) {
            return Type::Imported(path.into(), name.to_owned(), place());
        }
        match predeclared(name) {
            Some(name) => Type::Basic(name),
            None => Type::Local(name.to_owned(), place()),
        }
    }

    pub(super) fn dot_import_of(&self, name: &str) -> Option<&'a str> {
        Index::dot_imports(self.file, self.syntax)
            .map(|import| import.path.as_str())
            .find(|path| self.index.declares(path, name))
    }

    /// Returns the import path that a package name refers to in the file.
    pub(super) fn path_of(&self, package: &Span) -> Option<&'a str> {
        let name = self.file.text_of(package);
        self.index.path_of(self.file, self.syntax, name, &|_| None)
    }

    pub(super) fn qualified(&self, package: &Span, name: &Span) -> Type {
        let place = self.place(package.start..name.end);
        match self.path_of(package) {
            Some(path) => Type::Imported(path.into(), self.file.text_of(name).to_owned(), place),
            None => Type::Other(place),
        }
    }
}
