//! Converts Go declarations to [`TypeDef`]s.

use super::{
    cx::Declared,
    enums, fields,
    markers::{docs, rules},
    merge,
    property::Owner,
    refs::Refs,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    lower::{apply_unchanged, conversion, one_of, validation},
    model::{
        Aliasing, CelRule, DeclaredAt, Marshals, StructDef, TypeDef, TypeKind, TypeRef,
        UnknownFields, Validation, WireType,
    },
    read::go::{Field, Type, TypeDecl},
};

/// Builds the definition of a declared type under its Rust name.
pub(super) fn type_def(refs: &mut Refs<'_, '_>, declared: Declared<'_>, name: String) -> TypeDef {
    let Declared { pkg, decl } = declared;
    if let Some(error) = generic(decl) {
        refs.diagnostics.push(error);
    }
    let marshals = pkg.marshals(&decl.name);
    let Shape {
        mut kind,
        docs: docs_below,
        below,
        immutable,
    } = shape(refs, declared, marshals);
    let mut validation = own_rules(refs, decl, &kind, marshals);
    if let TypeKind::Struct(def) = &mut kind
        && !def.embedded_rules.is_empty()
    {
        def.embedded_rules.push(validation.clone());
    }
    validation.rules.splice(0..0, immutable);
    merge::fill(&mut validation, &below);
    enums::add_values(&mut validation, declared);
    one_of::check(&decl.markers, &kind, refs.diagnostics);
    let docs = docs(&decl.docs, &decl.markers);
    TypeDef {
        docs: if docs.is_empty() { docs_below } else { docs },
        path: name.clone(),
        name,
        shared: false,
        kind,
        validation,
        item: None,
        marshals,
        whole: apply_unchanged::is_marked(&decl.markers, &pkg.package.markers),
        converted_by_hand: conversion::is_by_hand(&decl.markers),
        declared: DeclaredAt::marked(&decl.place, decl.markers.places()),
    }
}

/// The shape of a declared type, and the rules that come with it.
struct Shape {
    kind: TypeKind,
    /// The documentation of the type that it renames, for want of its own.
    docs: String,
    /// Rules of the types that it embeds or renames; the type's own take precedence.
    below: Validation,
    /// Rules that keep fields immutable, which precede all others.
    immutable: Vec<CelRule>,
}

fn shape(refs: &mut Refs<'_, '_>, declared: Declared<'_>, marshals: Option<Marshals>) -> Shape {
    let of = |kind, below| Shape {
        kind,
        docs: String::new(),
        below,
        immutable: Vec::new(),
    };
    let decl = declared.decl;
    if let Type::Struct(sources) = &decl.ty {
        return match fields::writer(refs, sources, marshals) {
            Some(source) => {
                let (target, below) = written_as(refs, source, marshals);
                of(alias(target), below)
            }
            None => structure(refs, declared, sources, marshals),
        };
    }
    match enums::of_type(declared).filter(|_| marshals.is_none()) {
        Some(def) => of(TypeKind::Enum(def), Validation::default()),
        None => {
            let found = refs.resolve(&decl.ty, &decl.place);
            Shape {
                docs: found.docs,
                ..of(alias(found.ty), found.validation)
            }
        }
    }
}

/// The type and rules of a struct that Go writes as the embedded field `source`.
fn written_as(
    refs: &mut Refs<'_, '_>,
    source: &Field,
    marshals: Option<Marshals>,
) -> (TypeRef, Validation) {
    let found = refs.resolve(&source.ty, &source.place);
    let mut below = rules(
        refs.cx,
        &source.markers,
        &found.ty,
        refs.home,
        refs.diagnostics,
    );
    merge::fill(&mut below, &found.validation);
    if !refs.cx.options.compat.is_strict() && marshals.is_none() {
        // For controller-gen, such a struct is always an object. With a `MarshalJSON`, this would
        // be its entire schema.
        below.type_.get_or_insert_with(|| "object".to_owned());
    }
    (found.ty, below)
}

fn structure(
    refs: &mut Refs<'_, '_>,
    declared: Declared<'_>,
    sources: &[Field],
    marshals: Option<Marshals>,
) -> Shape {
    let owner = Owner {
        package: declared.pkg.package,
        root: false,
    };
    // The fields of a type that marshals itself need not have a JSON form.
    let mut silent = Diagnostics::new();
    let mut inner = Refs {
        cx: refs.cx,
        package: refs.package,
        home: refs.home,
        absolute: refs.absolute,
        reached: &mut *refs.reached,
        diagnostics: match marshals {
            Some(_) => &mut silent,
            None => &mut *refs.diagnostics,
        },
    };
    let body = fields::body(&mut inner, &owner, sources);
    Shape {
        kind: TypeKind::Struct(StructDef {
            fields: body.fields,
            embedded_rules: body.embedded_rules,
            unknown_fields: UnknownFields::Pruned,
            ..StructDef::default()
        }),
        docs: String::new(),
        below: body.embedded,
        immutable: body.immutable,
    }
}

/// Lowers the markers of the type itself.
fn own_rules(
    refs: &mut Refs<'_, '_>,
    decl: &TypeDecl,
    kind: &TypeKind,
    marshals: Option<Marshals>,
) -> Validation {
    let target = match (marshals, kind) {
        (Some(Marshals::Json), _) => {
            let unknown = WireType::Unknown;
            return validation::of_markers(&decl.markers, unknown, unknown, refs.diagnostics);
        }
        (Some(Marshals::Text), _) | (None, TypeKind::Enum(_)) => TypeRef::String,
        (None, TypeKind::Alias(alias)) => alias.target.clone(),
        (None, _) => TypeRef::Map(Box::new(TypeRef::Any)),
    };
    rules(refs.cx, &decl.markers, &target, refs.home, refs.diagnostics)
}

/// Reports a type with type parameters.
pub(super) fn generic(decl: &TypeDecl) -> Option<Diagnostic> {
    let place = decl.generics.clone()?;
    let message = format!(
        "`{}` is generic, but API types cannot be generic",
        decl.name
    );
    let error = Diagnostic::error(message).at(place, "its parameters");
    Some(error.help("write one type for each instance"))
}

const fn alias(target: TypeRef) -> TypeKind {
    TypeKind::Alias(Aliasing {
        target,
        newtype: false,
    })
}
