//! Builders (the `bon` crate): the attributes of a struct and of its fields.
//!
//! ```text
//! #[derive(Clone, Debug, Default, PartialEq, ::bon::Builder)]
//! #[builder(on(String, into))]
//! pub struct VirtualMachineSpec {
//!     /// The image that the machine starts from.
//!     pub image: String,
//!     /// Networks, by name.
//!     #[builder(with = FromIterator::from_iter)]
//!     pub networks: Option<Vec<String>>,
//!     …
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    FileContext,
    default::{function, has_no_default},
    refs::type_tokens,
};
use crate::{
    emit::{
        context::{ident, path},
        serde_attributes::Presence,
    },
    model::{Field, StructDef, TypeDef, TypeRef},
};

/// The method that finishes a builder; no setter can have this name.
const BUILD: &str = "build";

/// Names of the prelude that bon's code refers to, which a type of that name would shadow.
const PRELUDE: [&str; 4] = ["FromIterator", "Into", "IntoIterator", "Option"];

/// Whether structs have builders.
pub(super) fn wanted(scope: &FileContext<'_>) -> bool {
    let is_free = |name: &&str| scope.unit.type_def(name).is_none();
    scope.cx.options.types.builders && PRELUDE.iter().all(is_free)
}

/// The attribute of a struct; empty without builders.
pub(super) fn of_struct(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    if !wanted(scope) {
        return TokenStream::new();
    }
    let mut settings = Vec::new();
    if body.fields.iter().any(has_text) {
        let string = scope.imports.prelude("::std::string", "String");
        settings.push(quote!(on(#string, into)));
    }
    if let Some(name) = other_name(scope, def) {
        settings.push(quote!(builder_type = #name));
    }
    if settings.is_empty() {
        return TokenStream::new();
    }
    quote!(#[builder(#(#settings),*)])
}

/// Whether a setter of the field takes a string.
fn has_text(field: &Field) -> bool {
    field.ty == TypeRef::String && Presence::of(field) != Presence::OptionalNullable
}

/// An alternative builder name if a type of the version already has bon's default name.
fn other_name(scope: &FileContext<'_>, def: &TypeDef) -> Option<Ident> {
    let plain = format!("{}Builder", def.name);
    let is_taken = |name: &String| scope.unit.type_def(name).is_some();
    is_taken(&plain).then_some(())?;
    let mut names = (2..).map(|number| format!("{plain}{number}"));
    names.find(|name| !is_taken(name)).map(|name| ident(&name))
}

/// The attribute of a field; empty without builders, or if bon's defaults are right.
pub(super) fn of_field(
    scope: &FileContext<'_>,
    def: &TypeDef,
    body: &StructDef,
    field: &Field,
) -> TokenStream {
    if !wanted(scope) {
        return TokenStream::new();
    }
    let mut settings = Vec::new();
    settings.extend(when_missing(def, field));
    settings.extend(conversion(scope, field));
    settings.extend(setter(body, field).map(|name| quote!(name = #name)));
    if settings.is_empty() {
        return TokenStream::new();
    }
    quote!(#[builder(#(#settings),*)])
}

/// The setting for an unset field; `None` if the field is required or an `Option` that may be left unset.
fn when_missing(def: &TypeDef, field: &Field) -> Option<TokenStream> {
    if let Some(function) = function(def, field) {
        let function = path(&function);
        let required =
            (Presence::of(field) == Presence::RequiredNullable).then(|| quote!(required,));
        return Some(quote!(#required default = #function()));
    }
    match Presence::of(field) {
        Presence::RequiredNullable => Some(quote!(required)),
        Presence::Omittable => Some(quote!(default)),
        Presence::Required if !field.required && !has_no_default(field) => Some(quote!(default)),
        _ => None,
    }
}

/// The conversion of a setter's argument: lists and maps are collected from iterators, and boxes take their content.
fn conversion(scope: &FileContext<'_>, field: &Field) -> Option<TokenStream> {
    if matches!(
        Presence::of(field),
        Presence::OptionalNullable | Presence::RequiredNullable
    ) {
        return None;
    }
    match &field.ty {
        TypeRef::List(_) | TypeRef::Map(_) => Some(quote!(with = FromIterator::from_iter)),
        TypeRef::Boxed(inner) => {
            let inner = type_tokens(scope, inner);
            let boxed = scope.imports.prelude("::std::boxed", "Box");
            Some(quote!(with = |value: #inner| #boxed::new(value)))
        }
        _ => None,
    }
}

/// An alternative setter name if the field's name conflicts with another method, or starts with a digit, which bon's type names
/// cannot.
fn setter(body: &StructDef, field: &Field) -> Option<Ident> {
    let is_field = |name: &str| body.fields.iter().any(|other| other.rust_name == name);
    let optional = field.rust_name.strip_prefix("maybe_").is_some_and(is_field);
    let plain = field.rust_name.trim_start_matches('_');
    let digit = plain.starts_with(|c: char| c.is_ascii_digit());
    if field.rust_name != BUILD && !optional && !digit {
        return None;
    }
    let mut name = format!("with_{plain}");
    while is_field(&name) {
        name.insert_str(0, "with_");
    }
    Some(ident(&name))
}

/// The attribute of the map of unknown fields.
pub(super) fn of_unknown(scope: &FileContext<'_>) -> TokenStream {
    if wanted(scope) {
        quote!(#[builder(default, with = FromIterator::from_iter)])
    } else {
        TokenStream::new()
    }
}
