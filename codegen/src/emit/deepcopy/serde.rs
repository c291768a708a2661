//! Serde of the objects of annotated Rust: their fields plus `apiVersion` and `kind`, which are checked on input if present.
//! Generated types use field lists instead (`types/object`).

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Object, type_path};
use crate::{
    emit::{
        Emit,
        context::{docs, ident},
    },
    model::{Field, StructDef, TypeKind},
};

/// The serde implementations for the objects of a version; empty if all are hand-written or derived.
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
    let impls = impls.iter().map(|wire| {
        let shadow = emit_shadow(wire);
        let serialize = wire.serialize.then(|| emit_serialize(wire));
        let deserialize = wire.deserialize.then(|| emit_deserialize(wire));
        let cfg = &wire.object.cfg;
        let impls = serialize.into_iter().chain(deserialize);
        quote!(#cfg #shadow #(#cfg #impls)*)
    });
    quote! {
        use #k8s_openapi::Resource as _;

        #check_type
        #(#impls)*
    }
}

/// An object's wire format: a private struct with a type parameter per field. It borrows the fields when serializing and owns
/// them when deserializing, and the field types need not be repeated.
struct Wire<'a> {
    object: &'a Object<'a>,
    name: Ident,
    fields: Vec<WireField<'a>>,
    /// The fields that are not serialized.
    skipped: Vec<Ident>,
    serialize: bool,
    deserialize: bool,
}

struct WireField<'a> {
    name: Ident,
    json_name: &'a str,
    parameter: Ident,
    form: WireForm,
}

/// How a field is serialized.
#[derive(Clone, Copy, PartialEq)]
enum WireForm {
    /// Always present.
    Required,
    /// An `Option`, omitted when `None`.
    Optional,
    /// Always serialized; if absent, the type's default.
    Defaulted,
    /// Its fields are inlined into the object.
    Flattened,
}

impl<'a> Wire<'a> {
    fn of(object: &'a Object<'a>) -> Option<Self> {
        let (serialize, deserialize) = (!object.has("Serialize"), !object.has("Deserialize"));
        object.def.item.as_ref()?;
        let TypeKind::Struct(def) = &object.def.kind else {
            return None;
        };
        (serialize || deserialize).then(|| Self {
            object,
            name: format_ident!("{}Wire", object.def.name.trim_end_matches('_')),
            fields: wire_fields(def),
            skipped: skipped(def),
            serialize,
            deserialize,
        })
    }
}

fn wire_fields(def: &StructDef) -> Vec<WireField<'_>> {
    def.fields
        .iter()
        .filter(|field| !field.skip)
        .enumerate()
        .map(|(index, field)| WireField {
            name: ident(&field.rust_name),
            json_name: &field.json_name,
            parameter: format_ident!("T{index}"),
            form: form(field),
        })
        .collect()
}

fn skipped(def: &StructDef) -> Vec<Ident> {
    let skipped = def.fields.iter().filter(|field| field.skip);
    skipped.map(|field| ident(&field.rust_name)).collect()
}

fn form(field: &Field) -> WireForm {
    let default = field.default.as_ref().filter(|default| !default.is_null());
    if field.flatten {
        WireForm::Flattened
    } else if field.option && !field.required {
        WireForm::Optional
    } else if field.required && default.is_none() && field.json_name != "metadata" {
        WireForm::Required
    } else {
        WireForm::Defaulted
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
        /// Rejects an object of another type. `apiVersion` and `kind` may be absent, as for items of built-in lists.
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
fn emit_shadow(wire: &Wire<'_>) -> TokenStream {
    let derives = [
        wire.serialize.then(|| quote!(::serde::Serialize)),
        wire.deserialize.then(|| quote!(::serde::Deserialize)),
    ];
    let derives = derives.iter().flatten();
    let Wire { name, fields, .. } = wire;
    let parameters = fields.iter().map(|field| &field.parameter);
    let fields = fields.iter().map(|field| emit_shadow_field(wire, field));
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

fn emit_shadow_field(wire: &Wire<'_>, field: &WireField<'_>) -> TokenStream {
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
        WireForm::Defaulted => (
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
/// Fields that are not serialized get their defaults.
fn emit_deserialize(wire: &Wire<'_>) -> TokenStream {
    let path = type_path(wire.object.def);
    let shadow = &wire.name;
    let fields = wire.fields.iter().map(|field| {
        let name = &field.name;
        quote!(#name: wire.#name)
    });
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

/// A field initializer for serialization: `spec: &self.spec`.
fn emit_borrowed(field: &WireField<'_>) -> TokenStream {
    let name = &field.name;
    match field.form {
        WireForm::Optional => quote!(#name: self.#name.as_ref()),
        _ => quote!(#name: &self.#name),
    }
}
