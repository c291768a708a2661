//! Defaults: of required properties, which the API server fills in if they are missing, and of types whose `Default` cannot be
//! derived.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use super::{
    FileContext, Unit,
    refs::{field_type, type_tokens},
};
use crate::{
    emit::{
        Emit,
        context::{ident, path},
        serde_attributes::{Presence, Wire},
    },
    model::{Field, KnownType, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields},
};

/// The default-related code of a struct.
pub(super) struct Defaults {
    /// Whether `Default` can be derived.
    pub(super) derive: bool,
    /// The functions for default values and, if it cannot be derived, the `Default` implementation.
    pub(super) items: TokenStream,
}

/// Emits the default-related code of a struct.
///
/// ```ignore
/// impl VirtualMachineSpec {
///     fn default_image() -> String {
///         String::from("debian")
///     }
///     fn blank() -> Self {
///         Self {
///             image: Default::default(),
///             resource: Default::default(),
///         }
///     }
/// }
/// impl Default for VirtualMachineSpec {
///     fn default() -> Self {
///         Self {
///             image: Self::default_image(),
///             ..Self::blank()
///         }
///     }
/// }
/// ```
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef) -> Defaults {
    let name = ident(&def.name);
    let functions: Vec<TokenStream> = body
        .fields
        .iter()
        .filter_map(|field| emit_function(scope, field))
        .collect();
    let blank = has_blank(scope.cx, scope.unit, def).then(|| emit_blank(scope, body));
    let by_hand = !functions.is_empty() || body.fields.iter().any(has_no_default);
    let inherent = (!functions.is_empty() || blank.is_some()).then(|| {
        quote! {
            impl #name {
                #(#functions)*
                #blank
            }
        }
    });
    let trait_ = default_trait(scope);
    let default = by_hand.then(|| {
        let fields = match blank {
            Some(_) if !functions.is_empty() => fields_beside_blank(scope, body),
            // Besides a blank object, `Default::default()` alone would look derivable to clippy.
            _ => all_fields(scope, body, initial),
        };
        quote! {
            impl #trait_ for #name {
                fn default() -> Self {
                    Self { #fields }
                }
            }
        }
    });
    Defaults {
        derive: !by_hand,
        items: quote!(#inherent #default),
    }
}

/// An initializer for every field, including the map of unknown fields.
fn all_fields(
    scope: &FileContext<'_>,
    body: &StructDef,
    value: fn(&FileContext<'_>, &Field) -> TokenStream,
) -> TokenStream {
    let fields = body.fields.iter().map(|field| {
        let ident = ident(&field.rust_name);
        let value = value(scope, field);
        quote!(#ident: #value,)
    });
    let trait_ = default_trait(scope);
    let unknown = matches!(body.unknown_fields, UnknownFields::Kept(_))
        .then(|| quote!(unknown_fields: #trait_::default(),));
    quote!(#(#fields)* #unknown)
}

/// Initializers for the fields whose default differs from the blank object, and the blank object for the others.
fn fields_beside_blank(scope: &FileContext<'_>, body: &StructDef) -> TokenStream {
    let differs = |field: &&Field| honoured(field) || nested(scope, field).is_some();
    let fields = body.fields.iter().filter(differs).map(|field| {
        let ident = ident(&field.rust_name);
        let value = initial(scope, field);
        quote!(#ident: #value,)
    });
    let others = !body.fields.iter().all(|field| differs(&field))
        || matches!(body.unknown_fields, UnknownFields::Kept(_));
    let others = others.then(|| quote!(..Self::blank()));
    quote!(#(#fields)* #others)
}

/// Whether the struct's default is more expensive than zero values, so that objects are decoded into a blank one: a field has a
/// default, or a struct that is always present does, recursively.
pub(super) fn has_blank(cx: &Emit<'_>, unit: Unit<'_>, def: &TypeDef) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![def];
    // `seen` keeps this linear where types contain each other many times.
    while let Some(def) = open.pop() {
        let TypeKind::Struct(body) = &def.kind else {
            continue;
        };
        if !seen.insert(def.name.as_str()) || !unit.is_listed(cx, def) {
            continue;
        }
        if body.fields.iter().any(honoured) {
            return true;
        }
        open.extend(
            body.fields
                .iter()
                .filter_map(|field| contained(unit, field)),
        );
    }
    false
}

/// The struct of the same version that a field always contains.
fn contained<'a>(unit: Unit<'a>, field: &Field) -> Option<&'a TypeDef> {
    let TypeRef::Local(name) = &field.ty else {
        return None;
    };
    (Presence::of(field) == Presence::Required)
        .then(|| unit.type_def(name))
        .flatten()
}

/// The struct with a blank form that a field always contains.
fn nested<'a>(scope: &FileContext<'a>, field: &Field) -> Option<&'a TypeDef> {
    contained(scope.unit, field).filter(|inner| has_blank(scope.cx, scope.unit, inner))
}

fn emit_blank(scope: &FileContext<'_>, body: &StructDef) -> TokenStream {
    let fields = all_fields(scope, body, blank);
    quote! {
        fn blank() -> Self {
            Self { #fields }
        }
    }
}

/// The field's value in the blank object.
fn blank(scope: &FileContext<'_>, field: &Field) -> TokenStream {
    if let Some(inner) = nested(scope, field) {
        let inner = scope.imports.own(&inner.name);
        let codec = scope.imports.codec();
        return quote!(<#inner as #codec::Object>::blank());
    }
    if has_no_default(field) {
        return unset(scope, &field.ty);
    }
    let default = default_trait(scope);
    quote!(#default::default())
}

/// The function that returns a field's default, as named in serde's attribute; `None` if the field's default is not used.
pub(super) fn function(def: &TypeDef, field: &Field) -> Option<String> {
    honoured(field).then(|| format!("{}::{}", def.name, function_ident(field)))
}

/// Whether a missing property decodes as its default: only if the field cannot represent absence. Go's decoder knows no defaults.
pub(super) fn honoured(field: &Field) -> bool {
    let presence = Presence::of(field);
    field.go.is_none()
        && !presence.is_optional()
        && field
            .default
            .as_ref()
            .is_some_and(|default| !default.is_null())
}

pub(super) fn function_ident(field: &Field) -> proc_macro2::Ident {
    // `_2` would have two underscores. No other field can be named `2`.
    let name = match field.rust_name.strip_prefix('_') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => &field.rust_name,
    };
    format_ident!("default_{name}")
}

fn emit_function(scope: &FileContext<'_>, field: &Field) -> Option<TokenStream> {
    let default = field.default.as_ref().filter(|_| honoured(field))?;
    let name = function_ident(field);
    let ty = path(&field_type(scope, field));
    let value = value(scope, field, default);
    Some(quote! {
        fn #name() -> #ty {
            #value
        }
    })
}

/// The field's value in the `Default` implementation.
fn initial(scope: &FileContext<'_>, field: &Field) -> TokenStream {
    if honoured(field) {
        let name = function_ident(field);
        quote!(Self::#name())
    } else if has_no_default(field) {
        unset(scope, &field.ty)
    } else {
        let default = default_trait(scope);
        quote!(#default::default())
    }
}

fn default_trait(scope: &FileContext<'_>) -> TokenStream {
    scope.imports.prelude("::std::default", "Default")
}

/// A required time or condition, whose k8s-openapi types have no `Default`.
pub(super) fn has_no_default(field: &Field) -> bool {
    Presence::of(field) == Presence::Required
        && matches!(
            field.ty,
            TypeRef::Known(KnownType::Time | KnownType::Condition)
        )
}

/// The placeholder for an unset value: for a time, the Unix epoch.
fn unset(scope: &FileContext<'_>, ty: &TypeRef) -> TokenStream {
    if *ty == TypeRef::Known(KnownType::Condition) {
        let codec = scope.imports.codec();
        return quote!(#codec::condition());
    }
    let time = type_tokens(scope, ty);
    let k8s_openapi = scope.cx.k8s_openapi();
    quote!(#time(#k8s_openapi::jiff::Timestamp::UNIX_EPOCH))
}

/// How a default value is written in Rust.
enum Written<'a> {
    Bool(bool),
    Int32(i64),
    Int64(i64),
    Number(&'a serde_json::Number),
    Text(&'a str),
    Time(&'a str),
    /// An enum variant: the names of the type and the variant.
    Variant(&'a str, &'a str),
    /// An empty list.
    Empty,
    /// Not a literal: decoded from JSON, so that defaults nested in it apply too.
    Json,
}

impl<'a> Written<'a> {
    fn of(field: &'a Field, default: &'a Value) -> Self {
        if Presence::of(field) == Presence::RequiredNullable {
            return Self::Json;
        }
        match (&field.ty, default) {
            (TypeRef::Bool, Value::Bool(flag)) => Self::Bool(*flag),
            (TypeRef::Int32, Value::Number(number)) => {
                whole(number).map_or(Self::Json, Self::Int32)
            }
            (TypeRef::Int64, Value::Number(number)) => {
                whole(number).map_or(Self::Json, Self::Int64)
            }
            (TypeRef::Float, Value::Number(number)) => Self::Number(number),
            (TypeRef::String, Value::String(text)) => Self::Text(text),
            // Only a string can be a time.
            (TypeRef::Known(KnownType::Time), _) => Self::Time(default.as_str().unwrap_or("")),
            (TypeRef::Local(name), Value::String(text)) => Self::Variant(name, text),
            (TypeRef::List(_), Value::Array(items)) if items.is_empty() => Self::Empty,
            _ => Self::Json,
        }
    }
}

/// Whether a field's default is decoded from JSON by the codec.
pub(super) fn is_decoded(field: &Field) -> bool {
    let default = field.default.as_ref().filter(|_| honoured(field));
    default.is_some_and(|default| {
        matches!(
            Written::of(field, default),
            Written::Json | Written::Time(_)
        )
    })
}

/// A default value, as an expression of the field's type.
fn value(scope: &FileContext<'_>, field: &Field, default: &Value) -> TokenStream {
    match Written::of(field, default) {
        Written::Bool(flag) => quote!(#flag),
        Written::Int32(number) => {
            let literal = Literal::i32_unsuffixed(i32::try_from(number).unwrap_or_default());
            quote!(#literal)
        }
        Written::Int64(number) => {
            let literal = Literal::i64_unsuffixed(number);
            quote!(#literal)
        }
        Written::Number(number) => {
            let ty = type_tokens(scope, &field.ty);
            let literal = number_literal(number);
            quote!(#ty::from(#literal))
        }
        Written::Text(text) => {
            let string = scope.imports.prelude("::std::string", "String");
            quote!(#string::from(#text))
        }
        Written::Time(text) => {
            let codec = scope.imports.codec();
            quote!(#codec::time(#text))
        }
        Written::Variant(name, text) => variant(scope, name, text),
        Written::Empty => {
            let default = default_trait(scope);
            quote!(#default::default())
        }
        Written::Json => {
            integer(scope, field, default).unwrap_or_else(|| from_json(scope, field, default))
        }
    }
}

/// A literal that converts to the codec's `Number`: an integer if the number fits 64 bits.
fn number_literal(number: &serde_json::Number) -> Literal {
    if let Some(signed) = number.as_i64() {
        Literal::i64_suffixed(signed)
    } else if let Some(unsigned) = number.as_u64() {
        Literal::u64_suffixed(unsigned)
    } else {
        Literal::f64_unsuffixed(number.as_f64().unwrap_or_default())
    }
}

/// The value of an integer, which may be written as `1.0`.
fn whole(number: &serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let text = number.to_string();
        text.strip_suffix(".0")?.parse().ok()
    })
}

fn variant(scope: &FileContext<'_>, name: &str, text: &str) -> TokenStream {
    let ident = ident(name);
    match scope.unit.type_def(name).map(|def| &def.kind) {
        Some(TypeKind::Enum(body)) => match (
            body.variants.iter().find(|variant| variant.value == text),
            &body.open,
        ) {
            (Some(variant), _) => {
                let variant = crate::emit::context::ident(&variant.name);
                quote!(#ident::#variant)
            }
            (None, Some(open)) => {
                let open = crate::emit::context::ident(open);
                quote!(#ident::#open(#text.to_owned()))
            }
            (None, None) => {
                let default = default_trait(scope);
                quote!(#default::default())
            }
        },
        _ => {
            let default = default_trait(scope);
            quote!(#default::default())
        }
    }
}

/// The variant of an integer enum.
fn integer(scope: &FileContext<'_>, field: &Field, default: &Value) -> Option<TokenStream> {
    let TypeRef::Local(name) = &field.ty else {
        return None;
    };
    let Some(TypeKind::Enum(body)) = scope.unit.type_def(name).map(|def| &def.kind) else {
        return None;
    };
    let is_plain = Presence::of(field) == Presence::Required;
    let value = default.as_i64().filter(|_| is_plain)?.to_string();
    let mut variants = body.variants.iter();
    let variant = variants.find(|variant| variant.value == value)?;
    let (name, variant) = (scope.imports.own(name), ident(&variant.name));
    Some(quote!(#name::#variant))
}

fn from_json(scope: &FileContext<'_>, field: &Field, default: &Value) -> TokenStream {
    let codec = scope.imports.codec();
    let text = default.to_string();
    match Wire::of(field) {
        Wire::Serde => quote!(#codec::from_json(#text)),
        Wire::Encoded => quote!(#codec::decoded(#text)),
        Wire::Sparse => quote!(#codec::sparse::from_json(#text)),
    }
}
