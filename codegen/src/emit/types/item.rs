//! One type: struct, enum or alias.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    FileContext, attributes, builder, default,
    refs::{field_type, type_path},
    values,
};
use crate::{
    emit::{
        context::ident,
        docs::{
            self, code, demands,
            together::{self, Views},
        },
        serde_attributes::{
            has_number, is_plain_go, may_be_null, needs_codec, serde_attribute, serde_camel_case,
            uses_codec,
        },
    },
    model::{
        Aliasing, EnumDef, EnumValues, Field, KnownType, Marshals, StructDef, TypeDef, TypeKind,
        TypeRef, UnknownFields, Variant, names,
    },
    output::format::Lines,
};

/// Emits a type with its documentation.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> Lines {
    let mut lines = Lines::new(scope.cx.visibility());
    if let Some(written) = on_wire(def) {
        emit_alias(scope, def, &written, &mut lines);
        return lines;
    }
    match &def.kind {
        TypeKind::Struct(body) => emit_struct(scope, def, body, &mut lines),
        TypeKind::Enum(body) => emit_enum(scope, def, body, &mut lines),
        TypeKind::Alias(alias) => emit_alias(scope, def, alias, &mut lines),
        // Unions only come from annotated Rust, whose types are hand-written.
        TypeKind::Union(_) => {}
    }
    lines
}

/// The JSON form of a Go type with custom marshalling.
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

fn emit_struct(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef, lines: &mut Lines) {
    comment(lines, type_docs(scope, def));
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
    let unknown = match &body.unknown_fields {
        UnknownFields::Kept(value) => {
            Some(type_path(scope, &TypeRef::Map(Box::new(value.clone()))))
        }
        UnknownFields::Pruned => None,
    };
    let defaults = default::emit(scope, def, body);
    let mut derives = vec!["Clone", "Debug"];
    if defaults.derive {
        derives.push("Default");
    }
    derives.push("PartialEq");
    derive(scope, def, &derives, serde, lines);
    lines.attributes(&builder::of_struct(scope, def, body));
    lines.attributes(&attributes::attributes(scope.cx, def));
    lines.attributes(&container);
    lines.start("struct", &names::ident(&def.name));
    for field in &body.fields {
        emit_field(scope, (def, body), field, serde, lines);
    }
    if let Some(map) = unknown {
        lines.comment(
            " Properties that the schema does not specify; the API server preserves them.",
        );
        if serde != Serde::Generated {
            lines.attributes(&quote!(#[serde(flatten)]));
        }
        lines.attributes(&builder::of_unknown(scope));
        lines.field("unknown_fields", &map);
    }
    lines.end();
    lines.after(scope.cx.visible(defaults.items));
}

fn comment(lines: &mut Lines, marker: Option<String>) {
    if let Some(marker) = marker {
        lines.comment(&marker);
    }
}

/// How a type gets its serde implementation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Serde {
    /// From a macro call with the list of its fields.
    Generated,
    /// Derived, with the fields' own names.
    Derived,
    /// Derived, with camel-case names.
    CamelCase,
}

fn emit_field(
    scope: &FileContext<'_>,
    (def, body): (&TypeDef, &StructDef),
    field: &Field,
    serde: Serde,
    lines: &mut Lines,
) {
    comment(lines, field_docs(scope, (def, body), field));
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
            ty: with_schema(&field.ty),
            ..field.clone()
        };
        let with = field_type(scope, &described);
        quote!(#[schemars(with = #with)])
    });
    lines.attributes(&attribute.unwrap_or_default());
    lines.attributes(&schemars.unwrap_or_default());
    lines.attributes(&builder::of_field(scope, def, body, field));
    lines.field(&names::ident(&field.rust_name), &ty);
}

/// The type with `f64` in place of the codec's `Number` and `String` in place of `ByteString`, which have no schemas.
fn with_schema(ty: &TypeRef) -> TypeRef {
    let boxed = |inner: &TypeRef| Box::new(with_schema(inner));
    match ty {
        TypeRef::Float => TypeRef::Verbatim("f64".to_owned()),
        TypeRef::Known(KnownType::ByteString) => TypeRef::String,
        TypeRef::List(inner) => TypeRef::List(boxed(inner)),
        TypeRef::Map(inner) => TypeRef::Map(boxed(inner)),
        TypeRef::Optional(inner) => TypeRef::Optional(boxed(inner)),
        TypeRef::Boxed(inner) => TypeRef::Boxed(boxed(inner)),
        _ => ty.clone(),
    }
}

fn emit_enum(scope: &FileContext<'_>, def: &TypeDef, body: &EnumDef, lines: &mut Lines) {
    comment(lines, type_docs(scope, def));
    let default = values::default(body);
    // Integer enums are converted by `From`, see the macro of that name.
    let serde = match body.values {
        EnumValues::Texts if values::is_listed(scope.cx, def) => Serde::Generated,
        _ => Serde::Derived,
    };
    let is_derived_text = serde == Serde::Derived && body.values == EnumValues::Texts;
    // The macro for string enums implements `Default`.
    let derived: &[&str] = match (body.values, default) {
        (EnumValues::Integers, _) => &["Clone", "Copy", "Debug", "Default", "PartialEq", "Eq"],
        (EnumValues::Texts, Some(_)) if serde == Serde::Derived => {
            &["Clone", "Debug", "Default", "PartialEq", "Eq"]
        }
        (EnumValues::Texts, _) => &["Clone", "Debug", "PartialEq", "Eq"],
    };
    derive(scope, def, derived, serde, lines);
    if body.values == EnumValues::Integers {
        lines.attributes(&quote!(#[serde(from = "i64", into = "i64")]));
    }
    lines.attributes(&attributes::attributes(scope.cx, def));
    lines.start("enum", &names::ident(&def.name));
    for (index, variant) in body.variants.iter().enumerate() {
        let value = &variant.value;
        comment(lines, scope.marker(variant_docs(variant)));
        if Some(index) == default && derived.contains(&"Default") {
            lines.default();
        }
        if is_derived_text && *value != variant.name {
            lines.attributes(&quote!(#[serde(rename = #value)]));
        }
        lines.variant(&names::ident(&variant.name), None);
    }
    if let Some(open) = &body.open {
        if is_derived_text {
            lines.attributes(&quote!(#[serde(untagged)]));
        }
        let other = match body.values {
            EnumValues::Texts => scope.imports.prelude_path("::std::string", "String"),
            EnumValues::Integers => "i64".into(),
        };
        lines.variant(&names::ident(open), Some(&other));
    }
    lines.end();
    if default.is_none()
        && let Some(empty) = emit_empty_default(scope, &ident(&def.name), body)
    {
        lines.after(empty);
    }
}

/// Go's zero value is the empty string, which is not among the listed values.
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

/// Documentation of a variant: its value unless that equals the variant's name, and the docs of a Go constant. Schemas have no
/// such docs.
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

fn emit_alias(scope: &FileContext<'_>, def: &TypeDef, alias: &Aliasing, lines: &mut Lines) {
    comment(lines, type_docs(scope, def));
    let target = match &alias.target {
        // A type from another file of the version.
        TypeRef::Local(target) if def.declared.place().is_none() => {
            format!("super::{}", names::ident(target))
        }
        target => type_path(scope, target),
    };
    lines.alias(&names::ident(&def.name), &target);
}

fn derive(
    scope: &FileContext<'_>,
    def: &TypeDef,
    names: &[&'static str],
    serde: Serde,
    lines: &mut Lines,
) {
    let mut derives = Vec::new();
    if serde != Serde::Generated {
        derives.push(scope.imports.name("serde", "Serialize"));
        derives.push(scope.imports.name("serde", "Deserialize"));
    }
    let mut own = names.to_vec();
    own.extend(["Default", "Serialize", "Deserialize"]);
    if scope.cx.options.schemars {
        derives.push(quote!(::schemars::JsonSchema));
        own.push("JsonSchema");
    }
    if builder::wanted(scope) && matches!(def.kind, TypeKind::Struct(_)) {
        derives.push(quote!(::bon::Builder));
        own.push("Builder");
    }
    derives.extend(attributes::derives(scope.cx, def, &own));
    if derives.is_empty() {
        lines.derive(names);
    } else {
        let names = names.iter().map(|name| ident(name));
        lines.attributes(&quote!(#[derive(#(#names,)* #(#derives),*)]));
    }
}

/// The documentation of a type: its description or, without one, its path in the API.
fn type_docs(scope: &FileContext<'_>, def: &TypeDef) -> Option<String> {
    let mut lines = docs::lines(&def.docs);
    if lines.is_empty() {
        lines.push(format!("`{}`.", code(&def.path)));
    }
    let mut notes = demands::of_type(&def.validation, scope.unit.origin);
    if let TypeKind::Struct(body) = &def.kind {
        notes.extend(together::of_type(body, Views::Linked));
    }
    demands::add(&mut lines, notes);
    scope.marker(lines)
}

/// The documentation of a field: its description, or only the first sentence if its type has the same one, followed by the
/// schema's constraints.
fn field_docs(
    scope: &FileContext<'_>,
    (def, body): (&TypeDef, &StructDef),
    field: &Field,
) -> Option<String> {
    let mut lines = docs::of_field(&field.docs);
    // A derived schema takes the fields' descriptions from here.
    let may_be_short = lines.len() > 1 && !attributes::derives_schema(scope.cx, def);
    let named = field.ty.local().and_then(|name| scope.unit.type_def(name));
    let is_described = |named: &TypeDef| named.docs.trim() == field.docs.trim();
    if may_be_short && named.is_some_and(is_described) {
        lines = docs::summary(&field.docs);
    }
    let mut notes = demands::of_field(&field.ty, &field.validation, demands::said_by(named));
    notes.extend(together::of_field(body, field, Views::Linked));
    notes.extend(demands::default(field));
    demands::add(&mut lines, notes);
    scope.marker(lines)
}
