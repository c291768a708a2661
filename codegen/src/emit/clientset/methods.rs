//! Methods of a typed client in addition to the runtime's: `+genclient:method=…`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    emit::{
        Emit,
        context::{docs, ident},
        reference,
    },
    model::{CustomMethod, Resource, TypeRef, Verb},
};

/// The methods, in declaration order.
pub(super) fn emit(cx: &Emit<'_>, resource: &Resource, methods: &[&CustomMethod]) -> TokenStream {
    let methods = methods
        .iter()
        .map(|method| emit_method(&Method::of(cx, resource, method)));
    quote!(#(#methods)*)
}

/// A custom method with its types rendered; types that it does not specify are the resource's own.
struct Method<'a> {
    name: Ident,
    verb: Verb,
    subresource: Option<&'a str>,
    /// Whether both input and result are the resource itself.
    is_of_own_type: bool,
    input: TokenStream,
    result: TokenStream,
}

impl<'a> Method<'a> {
    fn of(cx: &Emit<'_>, resource: &Resource, method: &'a CustomMethod) -> Self {
        let ty = |ty: &Option<TypeRef>| match ty {
            Some(ty) => reference::emit(cx, ty),
            None => {
                let kind = ident(&resource.root);
                quote!(api::#kind)
            }
        };
        Self {
            name: ident(&method.name),
            verb: method.verb,
            subresource: method.subresource.as_deref(),
            is_of_own_type: method.input.is_none() && method.result.is_none(),
            input: ty(&method.input),
            result: ty(&method.result),
        }
    }

    fn docs(&self, does: &str) -> TokenStream {
        docs(&match self.subresource {
            Some(subresource) => format!("{does} `{subresource}` of the object."),
            None if matches!(self.verb, Verb::List | Verb::Watch) => {
                format!("{does} objects, as the verb of the same name does.")
            }
            None if !self.is_of_own_type => {
                format!("{does} what the input asks for, and returns the server's answer.")
            }
            None => format!("{does} the object itself, as the verb of the same name does."),
        })
    }
}

fn emit_method(method: &Method<'_>) -> TokenStream {
    let result = &method.result;
    if method.subresource.is_none() {
        return emit_verb(method);
    }
    match method.verb {
        Verb::Create => emit_send(
            method,
            &method.docs("Posts to"),
            &quote!(create_subresource),
        ),
        Verb::Update | Verb::UpdateStatus => emit_send(
            method,
            &method.docs("Replaces"),
            &quote!(update_subresource),
        ),
        Verb::Patch => emit_patch(method),
        Verb::Apply | Verb::ApplyStatus => emit_apply(method),
        Verb::List => emit_read(
            method,
            &method.docs("Lists"),
            &quote!(kube::api::ObjectList<#result>),
        ),
        Verb::Get | Verb::Watch | Verb::Delete | Verb::DeleteCollection => {
            emit_read(method, &method.docs("Reads"), result)
        }
    }
}

/// A method without a subresource is a verb under another name. Only `create` may have other types, for kinds that are requests,
/// such as reviews.
///
/// ```ignore
/// #[inline]
/// pub async fn register(
///     &self,
///     input: &api::VirtualMachine,
///     params: &kube::api::PostParams,
/// ) -> client::Result<api::VirtualMachine> {
///     self.0.unrestricted().create(input, params).await
/// }
/// ```
fn emit_verb(method: &Method<'_>) -> TokenStream {
    let Method {
        name,
        input,
        result,
        ..
    } = method;
    let generics =
        (method.verb == Verb::Patch).then(|| quote!(<P: ::serde::Serialize + ::std::fmt::Debug>));
    let (does, parameters, returns, call) = match method.verb {
        Verb::Create => (
            "Creates",
            quote!(input: &#input, params: &kube::api::PostParams),
            quote!(#result),
            if method.is_of_own_type {
                quote!(create(input, params))
            } else {
                quote!(create_as(input, params))
            },
        ),
        Verb::Update | Verb::UpdateStatus => (
            "Replaces",
            quote!(input: &#input, params: &kube::api::PostParams),
            quote!(#result),
            quote!(update(input, params)),
        ),
        Verb::Apply | Verb::ApplyStatus => (
            "Applies, on the server's side,",
            quote!(name: &str, input: &#input, params: &kube::api::PatchParams),
            quote!(#result),
            quote!(patch(name, params, &kube::api::Patch::Apply(input))),
        ),
        Verb::Patch => (
            "Patches",
            quote!(name: &str, params: &kube::api::PatchParams, patch: &kube::api::Patch<P>),
            quote!(#result),
            quote!(patch(name, params, patch)),
        ),
        Verb::List => (
            "Lists",
            quote!(params: &kube::api::ListParams),
            quote!(kube::api::ObjectList<#result>),
            quote!(list(params)),
        ),
        Verb::Watch => (
            "Watches",
            quote!(params: &kube::api::WatchParams, resource_version: &str),
            quote!(client::WatchStream<#result>),
            quote!(watch(params, resource_version)),
        ),
        Verb::Delete | Verb::DeleteCollection => (
            "Deletes",
            quote!(name: &str, params: &kube::api::DeleteParams),
            quote!(client::Either<#result, kube::core::Status>),
            quote!(delete(name, params)),
        ),
        Verb::Get => (
            "Reads",
            quote!(name: &str),
            quote!(#result),
            quote!(get(name)),
        ),
    };
    let docs = method.docs(does);
    quote! {
        #docs
        #[inline]
        pub async fn #name #generics(&self, #parameters) -> client::Result<#returns> {
            self.0.unrestricted().#call.await
        }
    }
}

/// ```ignore
/// #[inline]
/// pub async fn get_scale(&self, name: &str) -> client::Result<client::Scale> {
///     self.0.get_subresource(name, "scale").await
/// }
/// ```
fn emit_read(method: &Method<'_>, docs: &TokenStream, result: &TokenStream) -> TokenStream {
    let Method {
        name, subresource, ..
    } = method;
    quote! {
        #docs
        #[inline]
        pub async fn #name(&self, name: &str) -> client::Result<#result> {
            self.0.get_subresource(name, #subresource).await
        }
    }
}

/// ```ignore
/// #[inline]
/// pub async fn update_scale(
///     &self,
///     name: &str,
///     input: &client::Scale,
///     params: &kube::api::PostParams,
/// ) -> client::Result<client::Scale> {
///     self.0.update_subresource(name, "scale", input, params).await
/// }
/// ```
fn emit_send(method: &Method<'_>, docs: &TokenStream, delegate: &TokenStream) -> TokenStream {
    let Method {
        name,
        subresource,
        input,
        result,
        ..
    } = method;
    quote! {
        #docs
        #[inline]
        pub async fn #name(
            &self,
            name: &str,
            input: &#input,
            params: &kube::api::PostParams,
        ) -> client::Result<#result> {
            self.0.#delegate(name, #subresource, input, params).await
        }
    }
}

/// ```ignore
/// #[inline]
/// pub async fn patch_scale<P: ::serde::Serialize + ::std::fmt::Debug>(
///     &self,
///     name: &str,
///     params: &kube::api::PatchParams,
///     patch: &kube::api::Patch<P>,
/// ) -> client::Result<client::Scale> {
///     self.0.patch_subresource(name, "scale", params, patch).await
/// }
/// ```
fn emit_patch(method: &Method<'_>) -> TokenStream {
    let docs = method.docs("Patches");
    let Method {
        name,
        subresource,
        result,
        ..
    } = method;
    quote! {
        #docs
        #[inline]
        pub async fn #name<P: ::serde::Serialize + ::std::fmt::Debug>(
            &self,
            name: &str,
            params: &kube::api::PatchParams,
            patch: &kube::api::Patch<P>,
        ) -> client::Result<#result> {
            self.0.patch_subresource(name, #subresource, params, patch).await
        }
    }
}

/// ```ignore
/// #[inline]
/// pub async fn apply_scale(
///     &self,
///     name: &str,
///     input: &client::Scale,
///     params: &kube::api::PatchParams,
/// ) -> client::Result<client::Scale> {
///     let patch = kube::api::Patch::Apply(input);
///     self.0.patch_subresource(name, "scale", params, &patch).await
/// }
/// ```
fn emit_apply(method: &Method<'_>) -> TokenStream {
    let docs = method.docs("Applies, on the server's side,");
    let Method {
        name,
        subresource,
        input,
        result,
        ..
    } = method;
    quote! {
        #docs
        #[inline]
        pub async fn #name(
            &self,
            name: &str,
            input: &#input,
            params: &kube::api::PatchParams,
        ) -> client::Result<#result> {
            let patch = kube::api::Patch::Apply(input);
            self.0.patch_subresource(name, #subresource, params, &patch).await
        }
    }
}
