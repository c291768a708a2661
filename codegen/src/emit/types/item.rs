//! One type: struct, enum or alias.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    FileContext, attributes, builder, default, demands,
    refs::{field_type, type_tokens},
    together, values,
};
use crate::{
    emit::{
        context::ident,
        docs::{self, code},
        serde_attributes::{
            has_number, is_plain_go, may_be_null, needs_codec, serde_attribute, serde_camel_case,
            uses_codec,
        },
    },
    model::{
        Aliasing, EnumDef, EnumValues, Field, KnownType, Marshals, StructDef, TypeDef, TypeKind,
        TypeRef, UnknownFields, Validation, Variant,
    },
};

/// Emits a type with its documentation.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> TokenStream {
    if let Some(written) = on_wire(def) {
        return emit_alias(scope, def, &written);
    }
    match &def.kind {
        TypeKind::Struct(body) => emit_struct(scope, def, body),
        TypeKind::Enum(body) => emit_enum(scope, def, body),
        TypeKind::Alias(alias) => emit_alias(scope, def, alias),
        // Unions come from annotated Rust alone, whose types are the author's.
        TypeKind::Union(_) => TokenStream::new(),
    }
}

/// The JSON form of a Go type with its own marshalling.
pub(super) fn on_wire(def: &TypeDef) -> Option<Aliasing> {
    let target = match def.marshals? {
        Marshals::Json => match def.validation.type_.as_deref() {
            Some("string") => TypeRef::String,
            Some("boolean") => TypeRef::Bool,
            Some("integer") => TypeRef::Int64,
            Some("number") => TypeRef::Float,
            _ => TypeRef::Any,
        },
        Marshals::Text => TypeRef::String,
    };
    Some(Aliasing {
        target,
        newtype: false,
    })
}

fn emit_struct(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let name = ident(&def.name);
    let docs = type_docs(scope, def);
    let mut fields = body.fields.iter();
    let serde = if scope.unit.is_listed(scope.cx, def) {
        Serde::Generated
    } else if fields.any(|field| field.rust_name != field.json_name) {
        Serde::CamelCase
    } else {
        Serde::Derived
    };
    let tolerant = serde != Serde::Generated && body.fields.iter().any(is_plain_go);
    let container = match (serde == Serde::CamelCase, tolerant) {
        (true, true) => quote!(#[serde(rename_all = "camelCase", default)]),
        (true, false) => quote!(#[serde(rename_all = "camelCase")]),
        (false, true) => quote!(#[serde(default)]),
        (false, false) => TokenStream::new(),
    };
    let fields = body
        .fields
        .iter()
        .map(|field| emit_field(scope, (def, body), field, serde));
    let unknown = emit_unknown(scope, &body.unknown_fields, serde);
    let defaults = default::emit(scope, def, body);
    let mut derives = vec!["Clone", "Debug"];
    if defaults.derive {
        derives.push("Default");
    }
    derives.push("PartialEq");
    let derives = derive(scope, def, &derives, serde);
    let builder = builder::of_struct(scope, def, body);
    let attributes = attributes::attributes(scope.cx, def);
    let items = &defaults.items;
    quote! {
        #docs
        #derives
        #builder
        #attributes
        #container
        pub struct #name {
            #(#fields)*
            #unknown
        }
        #items
    }
}

/// How a type comes by serde.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Serde {
    /// By a list beside the type.
    Generated,
    /// Derived, with the names of the fields.
    Derived,
    /// Derived, with those names in camel case.
    CamelCase,
}

fn emit_field(
    scope: &FileContext<'_>,
    (def, body): (&TypeDef, &StructDef),
    field: &Field,
    serde: Serde,
) -> TokenStream {
    let name = ident(&field.rust_name);
    let docs = field_docs(scope, body, field);
    let ty = field_type(scope, field);
    let implied = match serde {
        Serde::Generated => None,
        Serde::Derived => Some(field.rust_name.clone()),
        Serde::CamelCase => Some(serde_camel_case(&field.rust_name)),
    };
    let attribute = implied.map(|implied| {
        let function = default::function(def, field);
        let option = scope.imports.prelude_path("::std::option", "Option");
        serde_attribute(field, &implied, function.as_deref(), &option, "codec")
    });
    if serde != Serde::Generated && (uses_codec(field) || may_be_null(field)) {
        scope.imports.codec();
    }
    let unlike_serde = needs_codec(field) || has_number(&field.ty);
    let described = attributes::derives_schema(scope.cx, def) && unlike_serde;
    let schemars = described.then(|| {
        let described = Field {
            ty: with_plain_numbers(&field.ty),
            ..field.clone()
        };
        let with = field_type(scope, &described).to_string();
        quote!(#[schemars(with = #with)])
    });
    let builder = builder::of_field(scope, def, body, field);
    quote!(#docs #attribute #schemars #builder pub #name: #ty,)
}

/// The type with `f64` for the codec's `Number`, which has no schema of its own.
fn with_plain_numbers(ty: &TypeRef) -> TypeRef {
    let boxed = |inner: &TypeRef| Box::new(with_plain_numbers(inner));
    match ty {
        TypeRef::Float => TypeRef::Verbatim("f64".to_owned()),
        TypeRef::List(inner) => TypeRef::List(boxed(inner)),
        TypeRef::Map(inner) => TypeRef::Map(boxed(inner)),
        TypeRef::Optional(inner) => TypeRef::Optional(boxed(inner)),
        TypeRef::Boxed(inner) => TypeRef::Boxed(boxed(inner)),
        _ => ty.clone(),
    }
}

/// The field that keeps what the schema does not name.
fn emit_unknown(scope: &FileContext<'_>, unknown: &UnknownFields, serde: Serde) -> TokenStream {
    let UnknownFields::Kept(value) = unknown else {
        return TokenStream::new();
    };
    let map = type_tokens(scope, &TypeRef::Map(Box::new(value.clone())));
    let flatten = (serde != Serde::Generated).then(|| quote!(#[serde(flatten)]));
    let builder = builder::of_unknown(scope);
    quote! {
        /// Properties that the schema does not name; the API server keeps them.
        #flatten
        #builder
        pub unknown_fields: #map,
    }
}

fn emit_enum(scope: &FileContext<'_>, def: &TypeDef, body: &EnumDef) -> TokenStream {
    let name = ident(&def.name);
    let docs = type_docs(scope, def);
    let default = match (body.default, &body.open) {
        (None, Some(_)) if body.zero_is_empty => None,
        (default, _) => Some(default.unwrap_or(0)),
    };
    // Enums of integers are read and written through `From`: see the macro of that name.
    let serde = match body.values {
        EnumValues::Texts if values::is_listed(scope.cx, def) => Serde::Generated,
        _ => Serde::Derived,
    };
    let variants = body.variants.iter().enumerate().map(|(index, variant)| {
        let name = ident(&variant.name);
        let value = &variant.value;
        let docs = scope.comment(variant_docs(variant));
        let marked = (Some(index) == default).then(|| quote!(#[default]));
        let is_text = serde == Serde::Derived && body.values == EnumValues::Texts;
        let is_renamed = is_text && *value != variant.name;
        let rename = is_renamed.then(|| quote!(#[serde(rename = #value)]));
        quote!(#docs #marked #rename #name,)
    });
    let (through, untagged, other) = match body.values {
        EnumValues::Texts => {
            let string = scope.imports.prelude("::std::string", "String");
            let untagged = (serde == Serde::Derived).then(|| quote!(#[serde(untagged)]));
            (None, untagged, string)
        }
        EnumValues::Integers => (
            Some(quote!(#[serde(from = "i64", into = "i64")])),
            None,
            quote!(i64),
        ),
    };
    let open = body.open.as_ref().map(|open| {
        let open = ident(open);
        quote! {
            /// A value that the schema does not list, such as one of a newer API server.
            #untagged
            #open(#other),
        }
    });
    let derived: &[&str] = match (body.values, default) {
        (EnumValues::Integers, _) => &["Clone", "Copy", "Debug", "Default", "PartialEq", "Eq"],
        (EnumValues::Texts, Some(_)) => &["Clone", "Debug", "Default", "PartialEq", "Eq"],
        (EnumValues::Texts, None) => &["Clone", "Debug", "PartialEq", "Eq"],
    };
    let derives = derive(scope, def, derived, serde);
    let attributes = attributes::attributes(scope.cx, def);
    let empty = default
        .is_none()
        .then(|| emit_empty_default(scope, &name, body));
    quote! {
        #docs
        #derives
        #through
        #attributes
        pub enum #name {
            #(#variants)*
            #open
        }
        #empty
    }
}

/// Go's zero value, the empty text, which is none of the values.
fn emit_empty_default(
    scope: &FileContext<'_>,
    name: &Ident,
    body: &EnumDef,
) -> Option<TokenStream> {
    let open = ident(body.open.as_deref()?);
    let default = scope.imports.prelude("::std::default", "Default");
    let string = scope.imports.prelude("::std::string", "String");
    Some(quote! {
        impl #default for #name {
            fn default() -> Self {
                Self::#open(#string::new())
            }
        }
    })
}

/// The value, unless it is the variant's name, and the docs of a constant, which a schema has none of.
fn variant_docs(variant: &Variant) -> Vec<String> {
    let is_name = variant.value == variant.name;
    let mut lines = Vec::new();
    if !is_name {
        lines.push(format!("`{}`", code(&variant.value)));
    }
    let docs = docs::lines(&variant.docs);
    if !is_name && !docs.is_empty() {
        lines.push(String::new());
    }
    lines.extend(docs);
    lines
}

fn emit_alias(scope: &FileContext<'_>, def: &TypeDef, alias: &Aliasing) -> TokenStream {
    let name = ident(&def.name);
    let docs = type_docs(scope, def);
    let target = match &alias.target {
        // A type of another file of the version.
        TypeRef::Local(target) if def.declared.place().is_none() => {
            let target = ident(target);
            quote!(super::#target)
        }
        target => type_tokens(scope, target),
    };
    quote!(#docs pub type #name = #target;)
}

fn derive(
    scope: &FileContext<'_>,
    def: &TypeDef,
    names: &[&'static str],
    serde: Serde,
) -> TokenStream {
    let mut derives: Vec<TokenStream> = names
        .iter()
        .map(|name| {
            let ident = ident(name);
            quote!(#ident)
        })
        .collect();
    if serde != Serde::Generated {
        derives.push(scope.imports.name("serde", "Serialize"));
        derives.push(scope.imports.name("serde", "Deserialize"));
    }
    let mut own = names.to_vec();
    own.extend(["Serialize", "Deserialize"]);
    if scope.cx.options.schemars {
        derives.push(quote!(::schemars::JsonSchema));
        own.push("JsonSchema");
    }
    if builder::wanted(scope) && matches!(def.kind, TypeKind::Struct(_)) {
        derives.push(quote!(::bon::Builder));
        own.push("Builder");
    }
    derives.extend(attributes::derives(scope.cx, def, &own));
    quote!(#[derive(#(#derives),*)])
}

/// The description, or the path in the API without one.
fn type_docs(scope: &FileContext<'_>, def: &TypeDef) -> TokenStream {
    let mut lines = docs::lines(&def.docs);
    if lines.is_empty() {
        lines.push(format!("`{}`.", code(&def.path)));
    }
    let mut notes = demands::of_type(&def.validation);
    if let TypeKind::Struct(body) = &def.kind {
        notes.extend(together::of_type(body));
    }
    add_notes(&mut lines, notes);
    scope.comment(lines)
}

fn field_docs(scope: &FileContext<'_>, body: &StructDef, field: &Field) -> TokenStream {
    let mut lines = docs::lines(&field.docs);
    let mut notes: Vec<String> = values_note(&field.ty, &field.validation)
        .into_iter()
        .collect();
    notes.extend(demands::of_field(&field.ty, &field.validation));
    notes.extend(together::of_field(body, field));
    notes.extend(default_note(field));
    add_notes(&mut lines, notes);
    scope.comment(lines)
}

/// Adds what the schema demands below a description, as a list; a note that stands alone is a paragraph. Lists of descriptions
/// have another mark, so that Markdown does not take both for one.
fn add_notes(lines: &mut Vec<String>, notes: Vec<String>) {
    if lines.is_empty() && notes.len() == 1 {
        lines.extend(notes);
    } else {
        lines.extend(notes.iter().map(|note| format!("* {note}")));
    }
}

/// The permitted values of a type other than a string enum.
fn values_note(ty: &TypeRef, validation: &Validation) -> Option<String> {
    let plain = matches!(
        ty,
        TypeRef::Bool
            | TypeRef::Int32
            | TypeRef::Int64
            | TypeRef::Float
            | TypeRef::Any
            | TypeRef::Known(KnownType::IntOrString)
    );
    let values: Vec<String> = validation
        .enum_
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| format!("`{}`", code(&value.to_string())))
        .collect();
    (plain && !values.is_empty()).then(|| format!("One of {}.", values.join(", ")))
}

fn default_note(field: &Field) -> Option<String> {
    let default = field.default.as_ref()?;
    Some(format!("Defaults to `{}`.", code(&default.to_string())))
}
