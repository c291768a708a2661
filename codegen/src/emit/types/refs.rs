//! Type references, as written in a file.

use proc_macro2::TokenStream;

use super::{FileContext, imports::CODEC};
use crate::{
    emit::{context::path, serde_attributes::Presence},
    model::{Field, TypeRef, names},
    options::MapType,
};

/// The type of a field, including the `Option`s for its presence.
pub(super) fn field_type(scope: &FileContext<'_>, field: &Field) -> String {
    let inner = value_type(scope, field);
    let option = scope.imports.prelude_path("::std::option", "Option");
    match Presence::of(field) {
        Presence::Required | Presence::Omittable => inner,
        Presence::RequiredNullable | Presence::Optional => format!("{option}<{inner}>"),
        Presence::OptionalNullable => format!("{option}<{option}<{inner}>>"),
    }
}

/// The type of a field's value, without `Option`s for its presence.
pub(super) fn value_type(scope: &FileContext<'_>, field: &Field) -> String {
    match &field.ty {
        TypeRef::Map(inner) if field.hashed => map(scope, MapType::Hash, inner),
        ty => type_path(scope, ty),
    }
}

/// A type as written in the file, as tokens.
pub(super) fn type_tokens(scope: &FileContext<'_>, ty: &TypeRef) -> TokenStream {
    path(&type_path(scope, ty))
}

/// A type as written in the file.
pub(super) fn type_path(scope: &FileContext<'_>, ty: &TypeRef) -> String {
    let imports = &scope.imports;
    match ty {
        TypeRef::Bool => "bool".to_owned(),
        TypeRef::Int32 => "i32".to_owned(),
        TypeRef::Int64 => "i64".to_owned(),
        TypeRef::Float => imports.name_path(CODEC, "Number"),
        TypeRef::Float32 => "f32".to_owned(),
        // Go's `int` and `uint`, 64 bits wide on the platforms that Kubernetes supports.
        TypeRef::Integer(name) if name == "isize" => "i64".to_owned(),
        TypeRef::Integer(name) if name == "usize" => "u64".to_owned(),
        TypeRef::Integer(name) => names::ident(name),
        TypeRef::Local(name) => imports.own_path(name),
        TypeRef::String => imports.prelude_path("::std::string", "String").into(),
        TypeRef::Any => imports.name_path("serde_json", "Value"),
        TypeRef::Known(known) => imports.name_path(known.module(), known.name()),
        TypeRef::External(external) => imports.external(external),
        TypeRef::Verbatim(text) => text.clone(),
        TypeRef::List(inner) => wrapped(scope, &imports.prelude_path("::std::vec", "Vec"), inner),
        TypeRef::Optional(inner) => {
            let option = imports.prelude_path("::std::option", "Option");
            wrapped(scope, &option, inner)
        }
        TypeRef::Boxed(inner) => {
            wrapped(scope, &imports.prelude_path("::std::boxed", "Box"), inner)
        }
        TypeRef::Map(inner) => map(scope, MapType::Btree, inner),
    }
}

fn map(scope: &FileContext<'_>, map_type: MapType, inner: &TypeRef) -> String {
    let map = scope.imports.name_path("std::collections", map_type.name());
    let string = scope.imports.prelude_path("::std::string", "String");
    let inner = type_path(scope, inner);
    format!("{map}<{string}, {inner}>")
}

fn wrapped(scope: &FileContext<'_>, outer: &str, inner: &TypeRef) -> String {
    format!("{outer}<{}>", type_path(scope, inner))
}
