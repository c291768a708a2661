//! Converts Go declarations to [`TypeDef`]s.

use super::{
    cx::Declared,
    enums, fields,
    marked::{docs, rules},
    merge,
    property::Owner,
    refs::Refs,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    lower::{one_of, validation, whole},
    model::{
        Aliasing, DeclaredAt, Marshals, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields,
        Validation,
    },
    read::go::{Type, TypeDecl},
};

/// Builds the definition of a declared type under its Rust name.
pub(super) fn type_def(refs: &mut Refs<'_, '_>, declared: Declared<'_>, name: String) -> TypeDef {
    let Declared { pkg, decl } = declared;
    if let Some(error) = generic(decl) {
        refs.diagnostics.push(error);
    }
    let marshals = pkg.marshals(&decl.name);
    let mut inlined = Validation::default();
    let mut immutable = Vec::new();
    let writer = match &decl.ty {
        Type::Struct(sources) => fields::writer(refs, sources, marshals),
        _ => None,
    };
    let kind = match (&decl.ty, writer) {
        (_, Some(source)) => {
            let found = refs.resolve(&source.ty, &source.place);
            inlined = rules(
                refs.cx,
                &source.markers,
                &found.ty,
                refs.home,
                refs.diagnostics,
            );
            merge::fill(&mut inlined, &found.validation);
            if !refs.cx.options.compat.is_strict() && marshals.is_none() {
                // For controller-gen, such a struct is always an object. With a `MarshalJSON`, this would be its entire schema.
                inlined.type_.get_or_insert_with(|| "object".to_owned());
            }
            alias(found.ty)
        }
        (Type::Struct(sources), None) => {
            let owner = Owner {
                package: pkg.package,
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
                diagnostics: if marshals.is_some() {
                    &mut silent
                } else {
                    &mut *refs.diagnostics
                },
            };
            let body = fields::body(&mut inner, &owner, sources);
            inlined = body.embedded;
            immutable = body.immutable;
            TypeKind::Struct(StructDef {
                fields: body.fields,
                unknown_fields: UnknownFields::Pruned,
                ..StructDef::default()
            })
        }
        (ty, None) => match enums::of_type(declared).filter(|_| marshals.is_none()) {
            Some(def) => TypeKind::Enum(def),
            None => {
                let found = refs.resolve(ty, &decl.place);
                inlined = found.validation;
                alias(found.ty)
            }
        },
    };
    let target = match &kind {
        TypeKind::Alias(alias) => alias.target.clone(),
        TypeKind::Enum(_) => TypeRef::String,
        _ => TypeRef::Map(Box::new(TypeRef::Any)),
    };
    let target = if marshals == Some(Marshals::Text) {
        TypeRef::String
    } else {
        target
    };
    let mut validation = if marshals == Some(Marshals::Json) {
        validation::of_markers(
            &decl.markers,
            crate::model::WireType::Unknown,
            crate::model::WireType::Unknown,
            refs.diagnostics,
        )
    } else {
        rules(refs.cx, &decl.markers, &target, refs.home, refs.diagnostics)
    };
    validation.rules.splice(0..0, immutable);
    merge::fill(&mut validation, &inlined);
    enums::add_values(&mut validation, declared);
    one_of::check(&decl.markers, &kind, refs.diagnostics);
    TypeDef {
        docs: docs(&decl.docs, &decl.markers),
        path: name.clone(),
        name,
        shared: false,
        kind,
        validation,
        item: None,
        marshals,
        whole: whole::is_marked(&decl.markers, &pkg.package.markers),
        declared: DeclaredAt::marked(&decl.place, decl.markers.places()),
    }
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
