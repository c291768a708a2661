//! References to types from outside their version's module.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit,
    context::{ident, path},
};
use crate::model::TypeRef;

/// The type as a file that imports the version's module as `api` names it.
///
/// Only what custom methods send and return comes here, which is a named type: of the version, of Kubernetes, or of the
/// user's crate.
pub(crate) fn emit(cx: &Emit<'_>, ty: &TypeRef) -> TokenStream {
    match ty {
        TypeRef::Local(name) => {
            let name = ident(name);
            quote!(api::#name)
        }
        TypeRef::External(name) => emit_external(cx, name),
        TypeRef::List(item) => {
            let item = emit(cx, item);
            quote!(::std::vec::Vec<#item>)
        }
        _ => quote!(::serde_json::Value),
    }
}

/// A path from elsewhere, in a file that imports the runtime's `client`. What k8s-openapi defines comes through the runtime, whose version it must share.
fn emit_external(cx: &Emit<'_>, name: &str) -> TokenStream {
    if name.ends_with("autoscaling::v1::Scale") {
        return quote!(client::Scale);
    }
    if let Some((_, rest)) = name.split_once("k8s_openapi::") {
        let k8s_openapi = cx.k8s_openapi();
        let rest = path(rest);
        return quote!(#k8s_openapi::#rest);
    }
    // `kube` is imported beside `client`.
    let own = ["::", "crate::", "super::", "self::", "kube::"];
    if own.iter().any(|prefix| name.starts_with(prefix)) {
        path(name)
    } else {
        path(&format!("::{name}"))
    }
}
