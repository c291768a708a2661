//! References to types from outside their version's module.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit,
    context::{ident, path},
};
use crate::model::{ExternalType, KnownType, TypeRef};

/// The type, as written in a file that imports the version's module as `api`.
///
/// Only the input and output types of custom methods get here, which are named types: of the version, of Kubernetes, or of the
/// user's crate.
pub(crate) fn emit(cx: &Emit<'_>, ty: &TypeRef) -> TokenStream {
    match ty {
        TypeRef::Local(name) => {
            let name = ident(name);
            quote!(api::#name)
        }
        // The runtime's type, so that the caller's version of k8s-openapi does not matter.
        TypeRef::Known(KnownType::Scale) => quote!(client::Scale),
        TypeRef::Known(known) => {
            let module = cx.k8s_openapi_module(known.module());
            let name = ident(known.name());
            quote!(#module::#name)
        }
        TypeRef::External(external) => emit_external(cx, external),
        TypeRef::List(item) => {
            let item = emit(cx, item);
            quote!(::std::vec::Vec<#item>)
        }
        _ => quote!(::serde_json::Value),
    }
}

/// The path of an external type, in a file that imports the runtime's `client` and `kube`.
fn emit_external(cx: &Emit<'_>, external: &ExternalType) -> TokenStream {
    const CRATE: &str = "k8s_openapi";
    let ExternalType {
        global, segments, ..
    } = external;
    let written = path(&external.to_string());
    if let Some(below) = external.below(CRATE) {
        let below = below.iter().map(|segment| ident(segment));
        let (k8s_openapi, arguments) = (cx.k8s_openapi(), path(&external.arguments));
        return quote!(#k8s_openapi #(::#below)* #arguments);
    }
    let first = segments.first().map_or("", String::as_str);
    if *global || ["crate", "super", "self", "kube"].contains(&first) {
        written
    } else {
        quote!(::#written)
    }
}
