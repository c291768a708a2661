//! `new` of a kind: an object of a name, with what its schema requires.
//!
//! ```text
//! impl Certificate {
//!     /// A certificate of this name, with this spec.
//!     pub fn new(name: impl Into<String>, spec: CertificateSpec) -> Self { … }
//! }
//! ```

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Scope,
    default::{honoured, initial},
    item::{field_type, type_tokens},
};
use crate::{
    emit::{context::ident, fields::Presence},
    model::{Field, KnownType, StructDef, TypeDef, UnknownFields},
};

/// The number of arguments from which clippy calls them too many.
const MAX_ARGUMENTS: usize = 7;

/// Emits `new`, where arguments can say what the kind needs.
pub(super) fn emit(scope: &Scope<'_>, def: &TypeDef, body: &StructDef) -> TokenStream {
    let arguments: Vec<&Field> = body.fields.iter().filter(|field| is_given(field)).collect();
    let clashes = arguments.iter().any(|field| field.rust_name == "name");
    if clashes || arguments.len() >= MAX_ARGUMENTS {
        return TokenStream::new();
    }
    let name = ident(&def.name);
    let docs = scope.comment(vec![format!("`{}` of the given name.", def.name)]);
    let parameters = arguments.iter().map(|field| {
        let name = ident(&field.rust_name);
        let ty = match Presence::of(field) {
            Presence::Required | Presence::RequiredNullable => field_type(scope, field),
            Presence::Optional | Presence::OptionalNullable => type_tokens(scope, &field.ty),
        };
        quote!(#name: #ty)
    });
    let fields = body.fields.iter().map(|field| {
        let name = ident(&field.rust_name);
        let value = value(scope, field);
        value.map_or_else(|| quote!(#name,), |value| quote!(#name: #value,))
    });
    let unknown = matches!(body.unknown_fields, UnknownFields::Kept(_)).then(|| {
        let map = scope.imports.name("std::collections", "BTreeMap");
        quote!(unknown_fields: #map::new(),)
    });
    let imports = &scope.imports;
    let string = imports.prelude("::std::string", "String");
    let into = imports.prelude("::std::convert", "Into");
    quote! {
        impl #name {
            #docs
            #[must_use]
            pub fn new(name: impl #into<#string>, #(#parameters),*) -> Self {
                Self {
                    #(#fields)*
                    #unknown
                }
            }
        }
    }
}

/// Whether `new` takes the field: what is wanted of the object, and whatever has to be there.
fn is_given(field: &Field) -> bool {
    let required = field.required && !honoured(field);
    field.json_name != "metadata" && (field.json_name == "spec" || required)
}

/// The value of a field; none for that of the argument of its name.
fn value(scope: &Scope<'_>, field: &Field) -> Option<TokenStream> {
    let imports = &scope.imports;
    let some = imports.prelude("::std::option::Option", "Some");
    if field.json_name == "metadata" {
        let meta = imports.name(KnownType::ObjectMeta.module(), KnownType::ObjectMeta.name());
        return Some(quote!(#meta { name: #some(name.into()), ..#meta::default() }));
    }
    let presence = Presence::of(field);
    if is_given(field) {
        let name = ident(&field.rust_name);
        return match presence {
            Presence::Required | Presence::RequiredNullable => None,
            Presence::Optional => Some(quote!(#some(#name))),
            Presence::OptionalNullable => Some(quote!(#some(#some(#name)))),
        };
    }
    Some(match presence {
        Presence::Optional | Presence::OptionalNullable => {
            imports.prelude("::std::option::Option", "None")
        }
        Presence::Required | Presence::RequiredNullable => initial(scope, field),
    })
}
