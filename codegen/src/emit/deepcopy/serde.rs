//! Serde of the objects: their fields, with `apiVersion` and `kind` written, and checked where present.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Object, type_path};
use crate::{
    emit::{
        Emit,
        context::{docs, ident, path},
        serde_attributes::{self, needs_codec, uses_codec},
        types::{default_function, has_default},
    },
    model::{Field, StructDef, TypeKind, TypeRef, UnknownFields},
};

/// Everything that the objects of a version need to be read and written, or nothing if their author saw to it.
pub(super) fn emit(cx: &Emit<'_>, objects: &[Object<'_>]) -> TokenStream {
    let impls: Vec<_> = objects.iter().filter_map(Wire::of).collect();
    if impls.is_empty() {
        return TokenStream::new();
    }
    let k8s_openapi = cx.k8s_openapi();
    let check_type = impls
        .iter()
        .any(|wire| wire.deserialize)
        .then(emit_check_type);
    let codec = emit_codec_import(cx, &impls);
    let impls = impls.iter().map(|wire| {
        let shadow = emit_shadow(cx, wire);
        let serialize = wire.serialize.then(|| emit_serialize(wire));
        let deserialize = wire.deserialize.then(|| emit_deserialize(wire));
        let cfg = &wire.object.cfg;
        let impls = serialize.into_iter().chain(deserialize);
        quote!(#cfg #shadow #(#cfg #impls)*)
    });
    quote! {
        #codec
        use #k8s_openapi::Resource as _;

        #check_type
        #(#impls)*
    }
}

/// The functions of the codec that the objects use.
fn emit_codec_import(cx: &Emit<'_>, impls: &[Wire<'_>]) -> TokenStream {
    let mut fields = impls.iter().flat_map(|wire| &wire.fields);
    if fields.any(|field| field.codec) {
        let codec = path(&cx.codec());
        let allow = cx.partly_used();
        quote!(
            #allow
            use #codec::{Decoded, Encoded};
        )
    } else {
        TokenStream::new()
    }
}

/// An object's shape on the wire: a private struct whose type parameters stand for the fields' types, so that it holds them
/// borrowed when written and owned when read, and no type is named twice.
struct Wire<'a> {
    object: &'a Object<'a>,
    name: Ident,
    fields: Vec<WireField<'a>>,
    /// The fields that are not on the wire.
    skipped: Vec<Ident>,
    serialize: bool,
    deserialize: bool,
}

struct WireField<'a> {
    name: Ident,
    json_name: &'a str,
    parameter: Ident,
    form: WireForm,
    /// Whether the value goes through the codec.
    codec: bool,
    /// The function of the root that gives the value when it is missing.
    default: Option<Ident>,
}

/// The form of a field in JSON.
#[derive(Clone, Copy, PartialEq)]
enum WireForm {
    /// Always there.
    Required,
    /// An `Option`, left out when none.
    Optional,
    /// An `Option` of what may be null, left out when none; null is a value.
    OptionalNullable,
    /// Always written, and its type's default when absent.
    Defaulted,
    /// Always written, and a default of its own when absent.
    OwnDefault,
    /// An `Option` that is always written, and has a default of its own when absent; null is a value.
    NullableDefault,
    /// Its own fields are the object's.
    Flattened,
}

impl<'a> Wire<'a> {
    fn of(object: &'a Object<'a>) -> Option<Self> {
        let (serialize, deserialize) = (!object.has("Serialize"), !object.has("Deserialize"));
        let TypeKind::Struct(def) = &object.def.kind else {
            return None;
        };
        (serialize || deserialize).then(|| Self {
            object,
            name: format_ident!("{}Wire", object.def.name.trim_end_matches('_')),
            fields: wire_fields(object, def),
            skipped: skipped(def),
            serialize,
            deserialize,
        })
    }
}

fn wire_fields<'a>(object: &Object<'_>, def: &'a StructDef) -> Vec<WireField<'a>> {
    def.fields
        .iter()
        .filter(|field| !field.skip)
        .enumerate()
        .map(|(index, field)| WireField {
            name: ident(&field.rust_name),
            json_name: &field.json_name,
            parameter: format_ident!("T{index}"),
            form: form(object, field),
            codec: from_crd(object) && needs_codec(field),
            default: (from_crd(object) && has_default(field)).then(|| default_function(field)),
        })
        .chain(unknown_fields(def))
        .collect()
}

fn skipped(def: &StructDef) -> Vec<Ident> {
    let skipped = def.fields.iter().filter(|field| field.skip);
    skipped.map(|field| ident(&field.rust_name)).collect()
}

/// The properties that the schema does not name stand beside those that it does.
fn unknown_fields(def: &StructDef) -> Option<WireField<'_>> {
    matches!(def.unknown_fields, UnknownFields::Kept(_)).then(|| WireField {
        name: ident("unknown_fields"),
        json_name: "",
        parameter: format_ident!("T{}", def.fields.len()),
        form: WireForm::Flattened,
        codec: false,
        default: None,
    })
}

/// Whether the types are the generator's own, which name the codec.
fn from_crd(object: &Object<'_>) -> bool {
    object.def.item.is_none()
}

fn form(object: &Object<'_>, field: &Field) -> WireForm {
    // An `Option` whose value may be null: the field's own, or one in the type.
    let null_counts = uses_codec(field) && (field.nullable || !needs_codec(field));
    let default = field.default.as_ref().filter(|default| !default.is_null());
    if field.go.is_some() {
        return of_go(field);
    }
    if field.flatten {
        WireForm::Flattened
    } else if from_crd(object) && null_counts && !field.required {
        WireForm::OptionalNullable
    } else if from_crd(object) && has_default(field) && field.option {
        WireForm::NullableDefault
    } else if from_crd(object) && has_default(field) {
        WireForm::OwnDefault
    } else if field.option && !field.required {
        WireForm::Optional
    } else if field.required && default.is_none() && field.json_name != "metadata" {
        WireForm::Required
    } else {
        WireForm::Defaulted
    }
}

/// A field of Go's, where what is missing has its zero value.
fn of_go(field: &Field) -> WireForm {
    use serde_attributes::Presence;
    match (Presence::of(field), has_default(field)) {
        (Presence::Optional, _) if field.ty == TypeRef::Any => WireForm::OptionalNullable,
        (Presence::Optional, _) => WireForm::Optional,
        (Presence::OptionalNullable, _) => WireForm::OptionalNullable,
        (Presence::RequiredNullable, true) => WireForm::NullableDefault,
        (Presence::Required | Presence::Omittable, true) => WireForm::OwnDefault,
        (Presence::RequiredNullable | Presence::Required | Presence::Omittable, false) => {
            WireForm::Defaulted
        }
    }
}

/// ```ignore
/// fn check_type<E: ::serde::de::Error>(actual: String, expected: &str) -> Result<(), E> {
///     if actual.is_empty() || actual == expected {
///         return Ok(());
///     }
///     let actual = ::serde::de::Unexpected::Str(&actual);
///     Err(E::invalid_value(actual, &expected))
/// }
/// ```
fn emit_check_type() -> TokenStream {
    quote! {
        /// Refuses an object of another type. The items of a list need not say theirs, as built-in kinds' do not.
        fn check_type<E: ::serde::de::Error>(actual: String, expected: &str) -> Result<(), E> {
            if actual.is_empty() || actual == expected {
                return Ok(());
            }
            let actual = ::serde::de::Unexpected::Str(&actual);
            Err(E::invalid_value(actual, &expected))
        }
    }
}

/// ```ignore
/// #[derive(::serde::Serialize, ::serde::Deserialize)]
/// struct VirtualMachineWire<S, T0, T1, T2> {
///     #[serde(rename = "apiVersion", default)]
///     api_version: S,
///     #[serde(default)]
///     kind: S,
///     #[serde(default)]
///     metadata: T0,
///     spec: T1,
///     #[serde(skip_serializing_if = "Option::is_none")]
///     status: Option<T2>,
/// }
/// ```
fn emit_shadow(cx: &Emit<'_>, wire: &Wire<'_>) -> TokenStream {
    let derives = [
        wire.serialize.then(|| quote!(::serde::Serialize)),
        wire.deserialize.then(|| quote!(::serde::Deserialize)),
    ];
    let derives = derives.iter().flatten();
    let Wire { name, fields, .. } = wire;
    let parameters = fields.iter().map(|field| &field.parameter);
    let fields = fields
        .iter()
        .map(|field| emit_shadow_field(cx, wire, field));
    let docs = docs(&format!("`{}` on the wire.", wire.object.def.name));
    quote! {
        #docs
        #[derive(#(#derives),*)]
        struct #name<S, #(#parameters),*> {
            #[serde(rename = "apiVersion", default)]
            api_version: S,
            #[serde(default)]
            kind: S,
            #(#fields),*
        }
    }
}

fn emit_shadow_field(cx: &Emit<'_>, wire: &Wire<'_>, field: &WireField<'_>) -> TokenStream {
    let WireField {
        name,
        json_name,
        parameter,
        form,
        ..
    } = field;
    let rename = (name != json_name && *form != WireForm::Flattened)
        .then(|| quote!(#[serde(rename = #json_name)]));
    let (attribute, ty) = match form {
        WireForm::Required => (None, quote!(#parameter)),
        WireForm::Optional => (
            wire.serialize
                .then(|| quote!(#[serde(skip_serializing_if = "Option::is_none")])),
            quote!(Option<#parameter>),
        ),
        // Without the function serde would take null for a missing value.
        WireForm::OptionalNullable | WireForm::NullableDefault => {
            let bound = format!("{parameter}: ::serde::Deserialize<'de>");
            let present = format!("{}::present::deserialize", cx.codec());
            let skip = (*form == WireForm::OptionalNullable)
                .then(|| quote!(, skip_serializing_if = "Option::is_none"));
            // A plain `default` would ask for a default of what is in the `Option`.
            let attribute = quote! {
                #[serde(default = "Option::default" #skip)]
                #[serde(deserialize_with = #present)]
                #[serde(bound(deserialize = #bound))]
            };
            (Some(attribute), quote!(Option<#parameter>))
        }
        // A field with a default of its own is read as an `Option` and written as the value.
        WireForm::Defaulted | WireForm::OwnDefault => (
            wire.deserialize.then(|| quote!(#[serde(default)])),
            quote!(#parameter),
        ),
        WireForm::Flattened => (Some(quote!(#[serde(flatten)])), quote!(#parameter)),
    };
    quote!(#rename #attribute #name: #ty)
}

/// ```ignore
/// impl ::serde::Serialize for super::types::VirtualMachine {
///     fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
///         let wire = VirtualMachineWire {
///             api_version: Self::API_VERSION,
///             kind: Self::KIND,
///             metadata: &self.metadata,
///             spec: &self.spec,
///             status: self.status.as_ref(),
///         };
///         ::serde::Serialize::serialize(&wire, serializer)
///     }
/// }
/// ```
fn emit_serialize(wire: &Wire<'_>) -> TokenStream {
    let path = type_path(wire.object.def);
    let shadow = &wire.name;
    let fields = wire.fields.iter().map(emit_borrowed);
    quote! {
        impl ::serde::Serialize for #path {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let wire = #shadow {
                    api_version: Self::API_VERSION,
                    kind: Self::KIND,
                    #(#fields),*
                };
                ::serde::Serialize::serialize(&wire, serializer)
            }
        }
    }
}

/// ```ignore
/// impl<'de> ::serde::Deserialize<'de> for super::types::VirtualMachine {
///     fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
///         let wire = VirtualMachineWire::deserialize(deserializer)?;
///         check_type(wire.api_version, Self::API_VERSION)?;
///         check_type(wire.kind, Self::KIND)?;
///         Ok(Self {
///             metadata: wire.metadata,
///             spec: wire.spec,
///             status: wire.status,
///         })
///     }
/// }
/// ```
///
/// Fields that are not on the wire have their default.
fn emit_deserialize(wire: &Wire<'_>) -> TokenStream {
    let path = type_path(wire.object.def);
    let shadow = &wire.name;
    let fields = wire.fields.iter().map(emit_owned);
    let skipped = &wire.skipped;
    let fields = fields.chain(
        skipped
            .iter()
            .map(|name| quote!(#name: ::core::default::Default::default())),
    );
    quote! {
        impl<'de> ::serde::Deserialize<'de> for #path {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let wire = #shadow::deserialize(deserializer)?;
                check_type(wire.api_version, Self::API_VERSION)?;
                check_type(wire.kind, Self::KIND)?;
                Ok(Self { #(#fields),* })
            }
        }
    }
}

/// A field as written: `spec: &self.spec`.
fn emit_borrowed(field: &WireField<'_>) -> TokenStream {
    let name = &field.name;
    let value = match (field.form, field.codec) {
        (WireForm::Optional | WireForm::OptionalNullable, false) => quote!(self.#name.as_ref()),
        (WireForm::Optional | WireForm::OptionalNullable, true) => {
            quote!(self.#name.as_ref().map(Encoded))
        }
        (WireForm::NullableDefault, false) => quote!(Some(&self.#name)),
        (WireForm::NullableDefault, true) => quote!(Encoded::some(&self.#name)),
        (_, false) => quote!(&self.#name),
        (_, true) => quote!(Encoded(&self.#name)),
    };
    quote!(#name: #value)
}

/// A field as it was read: `spec: wire.spec`.
fn emit_owned(field: &WireField<'_>) -> TokenStream {
    let name = &field.name;
    let option = matches!(field.form, WireForm::Optional | WireForm::OptionalNullable);
    let value = match (&field.default, field.codec) {
        (Some(default), false) => quote!(Option::unwrap_or_else(wire.#name, Self::#default)),
        (Some(default), true) => {
            quote!(Option::map_or_else(wire.#name, Self::#default, Decoded::value))
        }
        (None, false) => quote!(wire.#name),
        (None, true) if option => quote!(wire.#name.map(Decoded::value)),
        (None, true) => quote!(Decoded::value(wire.#name)),
    };
    quote!(#name: #value)
}
