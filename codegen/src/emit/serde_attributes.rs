//! serde attributes of fields, chosen so that every property round-trips.
//!
//! A property that may be missing is an `Option`; one that may also be null is an `Option<Option<_>>`; a required nullable one is
//! an `Option` that serializes as null. Times, bytes, int-or-strings, quantities and Kubernetes types with numbers go through the
//! codec, which preserves values that k8s-openapi's own serde would round, reject or change.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    builtin::is_exact_by_codec,
    model::{Field, Omission, TypeRef},
};

/// How a field is stored, by requiredness and nullability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always present: `T`.
    Required,
    /// Always present, may be null: `Option<T>`, serialized as null.
    RequiredNullable,
    /// May be missing: `Option<T>`.
    Optional,
    /// May be missing or null: `Option<Option<T>>`.
    OptionalNullable,
    /// A string, list or map that is omitted when empty, like Go's `omitempty`: `T`.
    Omittable,
}

impl Presence {
    /// The presence of a field.
    pub(crate) fn of(field: &Field) -> Self {
        if let Some(go) = &field.go {
            return Self::of_go(field, go.omits != Omission::Never);
        }
        // A `Value` can hold null itself.
        let nullable = field.nullable && field.ty != TypeRef::Any;
        match (field.required, nullable) {
            (true, false) => Self::Required,
            (true, true) => Self::RequiredNullable,
            (false, false) => Self::Optional,
            (false, true) => Self::OptionalNullable,
        }
    }

    /// As Go's encoder writes the field: its `omitempty` counts too, not just the schema.
    fn of_go(field: &Field, omits: bool) -> Self {
        let may_be_missing = omits || !field.required;
        match (field.option, may_be_missing) {
            (true, true) if field.nullable && field.ty != TypeRef::Any => Self::OptionalNullable,
            (true, true) => Self::Optional,
            (true, false) => Self::RequiredNullable,
            (false, _) if omits && empties(&field.ty).is_some() => Self::Omittable,
            (false, _) => Self::Required,
        }
    }

    /// Whether the field is an `Option` that is omitted when `None`.
    pub(crate) const fn is_optional(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalNullable)
    }
}

/// Whether values of the field's type go through `codec`. Go types have their own form of quantities (strings) and times
/// (seconds). Hash maps are only ordered by the codec.
pub(crate) fn needs_codec(field: &Field) -> bool {
    field.sparse
        || field.hashed
        || field.ty.is_encoded()
        || (field.go.is_none() && is_exact_by_codec(&field.ty))
}

/// How a field's values are serialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// By their type's own serde.
    Serde,
    /// By the codec.
    Encoded,
    /// By the codec, omitting empty strings.
    Sparse,
}

impl Wire {
    /// How a field's values are serialized.
    pub(crate) fn of(field: &Field) -> Self {
        if field.sparse {
            Self::Sparse
        } else if needs_codec(field) {
            Self::Encoded
        } else {
            Self::Serde
        }
    }
}

/// Whether the field comes from Go and is not an `Option`: if missing, it gets its zero value, as in Go's decoder.
pub(crate) fn is_plain_go(field: &Field) -> bool {
    field.go.is_some()
        && matches!(
            Presence::of(field),
            Presence::Required | Presence::Omittable
        )
}

/// Whether the type contains the codec's `Number`.
pub(crate) fn has_number(ty: &TypeRef) -> bool {
    *ty.element() == TypeRef::Float
}

/// The function that checks whether a string, list or map is empty.
fn empties(ty: &TypeRef) -> Option<&'static str> {
    match ty {
        TypeRef::String => Some("::std::string::String::is_empty"),
        TypeRef::List(_) => Some("::std::vec::Vec::is_empty"),
        TypeRef::Map(_) => Some("::std::collections::BTreeMap::is_empty"),
        _ => None,
    }
}

/// Whether Go may write null for the field: a nil slice or map, which decodes as an empty one.
pub(crate) fn may_be_null(field: &Field) -> bool {
    let is_nil = matches!(field.ty, TypeRef::List(_) | TypeRef::Map(_));
    is_nil && field.go.is_some() && !field.option && !needs_codec(field)
}

/// Whether the field goes through `codec`.
pub(crate) fn uses_codec(field: &Field) -> bool {
    needs_codec(field)
        || Presence::of(field) == Presence::OptionalNullable
        || null_is_a_value(field)
}

/// An optional `Value`: null is a value, which serde's own `Option` would decode as missing.
fn null_is_a_value(field: &Field) -> bool {
    field.ty == TypeRef::Any && Presence::of(field) == Presence::Optional
}

/// The `#[serde(…)]` attribute of a field; `None` if serde's default is right. `implied_name` is the serialized name under the
/// container's `rename_all`; `default` is the function for the default value; `option` and `codec` are the paths of the type and
/// the module.
pub(crate) fn serde_attribute(
    field: &Field,
    implied_name: &str,
    default: Option<&str>,
    option: &str,
    codec: &str,
) -> TokenStream {
    let mut parts: Vec<TokenStream> = Vec::new();
    if implied_name != field.json_name {
        let name = Literal::string(&field.json_name);
        parts.push(quote!(rename = #name));
    }
    let presence = Presence::of(field);
    let optional = presence.is_optional();
    let codec_used = uses_codec(field);
    match default.filter(|_| !optional) {
        Some(function) => parts.push(quote!(default = #function)),
        // With a custom function, serde no longer treats a missing `Option` as `None`.
        None if codec_used && !matches!(presence, Presence::Required | Presence::Omittable) => {
            parts.push(quote!(default));
        }
        None => {}
    }
    if codec_used {
        let nullable = presence == Presence::OptionalNullable;
        let module = match Wire::of(field) {
            Wire::Serde if nullable || null_is_a_value(field) => format!("{codec}::present"),
            Wire::Encoded if nullable => format!("{codec}::nullable"),
            Wire::Serde | Wire::Encoded => codec.to_owned(),
            Wire::Sparse if nullable => format!("{codec}::sparse::nullable"),
            Wire::Sparse => format!("{codec}::sparse"),
        };
        if needs_codec(field) {
            parts.push(quote!(with = #module));
        } else {
            let function = format!("{module}::deserialize");
            parts.push(quote!(deserialize_with = #function));
        }
    }
    if !codec_used && may_be_null(field) {
        let function = format!("{codec}::filled::deserialize");
        parts.push(quote!(deserialize_with = #function));
    }
    if presence == Presence::Omittable {
        parts.extend(empties(&field.ty).map(|function| quote!(skip_serializing_if = #function)));
    }
    if optional {
        let is_none = format!("{option}::is_none");
        parts.push(quote!(skip_serializing_if = #is_none));
    }
    if parts.is_empty() {
        TokenStream::new()
    } else {
        quote!(#[serde(#(#parts),*)])
    }
}

/// The name of a field under serde's `rename_all = "camelCase"`.
pub(crate) fn serde_camel_case(rust_name: &str) -> String {
    let mut camel = String::with_capacity(rust_name.len());
    let mut capitalize = false;
    for c in rust_name.chars() {
        if c == '_' {
            capitalize = true;
        } else if capitalize && !camel.is_empty() {
            camel.push(c.to_ascii_uppercase());
            capitalize = false;
        } else {
            camel.push(c);
            capitalize = false;
        }
    }
    camel
}
