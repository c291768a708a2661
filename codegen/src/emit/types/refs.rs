//! References to types, as a file names them.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::{FileContext, imports::CODEC};
use crate::{
    emit::{context::ident, serde_attributes::Presence},
    model::{Field, TypeRef},
    options::MapType,
};

/// The type of a field, with the `Option`s that its presence asks for.
pub(super) fn field_type(scope: &FileContext<'_>, field: &Field) -> TokenStream {
    let inner = value_type(scope, field);
    let option = scope.imports.prelude("::std::option", "Option");
    match Presence::of(field) {
        Presence::Required | Presence::Omittable => inner,
        Presence::RequiredNullable | Presence::Optional => quote!(#option<#inner>),
        Presence::OptionalNullable => quote!(#option<#option<#inner>>),
    }
}

/// The type of a field that has a value.
pub(super) fn value_type(scope: &FileContext<'_>, field: &Field) -> TokenStream {
    match &field.ty {
        TypeRef::Map(inner) if field.hashed => map(scope, MapType::Hash, inner),
        ty => type_tokens(scope, ty),
    }
}

/// A type as the file names it.
pub(super) fn type_tokens(scope: &FileContext<'_>, ty: &TypeRef) -> TokenStream {
    let imports = &scope.imports;
    match ty {
        TypeRef::Bool => quote!(bool),
        TypeRef::Int32 => quote!(i32),
        TypeRef::Int64 => quote!(i64),
        TypeRef::Float => imports.name(CODEC, "Number"),
        TypeRef::Float32 => quote!(f32),
        // Go's, as wide as on Kubernetes' platforms.
        TypeRef::Integer(name) if name == "isize" => quote!(i64),
        TypeRef::Integer(name) if name == "usize" => quote!(u64),
        TypeRef::Integer(name) => ident(name).into_token_stream(),
        TypeRef::Local(name) => imports.own(name),
        TypeRef::String => imports.prelude("::std::string", "String"),
        TypeRef::Any => imports.name("serde_json", "Value"),
        TypeRef::Known(known) => imports.name(known.module(), known.name()),
        TypeRef::External(external) => imports.external(external),
        TypeRef::Verbatim(text) => crate::emit::context::path(text),
        TypeRef::List(inner) => wrapped(scope, imports.prelude("::std::vec", "Vec"), inner),
        TypeRef::Optional(inner) => {
            wrapped(scope, imports.prelude("::std::option", "Option"), inner)
        }
        TypeRef::Boxed(inner) => wrapped(scope, imports.prelude("::std::boxed", "Box"), inner),
        TypeRef::Map(inner) => map(scope, MapType::Btree, inner),
    }
}

fn map(scope: &FileContext<'_>, map_type: MapType, inner: &TypeRef) -> TokenStream {
    let map = scope.imports.name("std::collections", map_type.name());
    let string = scope.imports.prelude("::std::string", "String");
    let inner = type_tokens(scope, inner);
    quote!(#map<#string, #inner>)
}

fn wrapped(scope: &FileContext<'_>, outer: TokenStream, inner: &TypeRef) -> TokenStream {
    let inner = type_tokens(scope, inner);
    quote!(#outer<#inner>)
}
