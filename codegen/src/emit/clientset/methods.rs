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
fn emit_method(method: &Method<'_>) -> TokenStream {
    let Call {
        does,
        parameters,
        returns,
        call,
    } = match method.subresource {
        Some(subresource) => subresource_call(method, subresource),
        None => verb_call(method),
    };
    let (name, docs) = (&method.name, method.docs(does));
    let generics =
        (method.verb == Verb::Patch).then(|| quote!(<P: ::serde::Serialize + ::std::fmt::Debug>));
    quote! {
        #docs
        #[inline]
        pub async fn #name #generics(&self, #parameters) -> client::Result<#returns> {
            #call.await
        }
    }
}

/// What the body of a method does: the verb of its docs, its parameters and result, and the call.
struct Call {
    does: &'static str,
    parameters: TokenStream,
    returns: TokenStream,
    call: TokenStream,
}

/// ```ignore
/// let patch = kube::api::Patch::Apply(input);
/// self.0.patch_subresource(name, "scale", params, &patch)
/// ```
fn subresource_call(method: &Method<'_>, subresource: &str) -> Call {
    let Method { input, result, .. } = method;
    let (does, parameters, call) = match method.verb {
        Verb::Create => (
            "Posts to",
            quote!(name: &str, input: &#input, params: &kube::api::PostParams),
            quote!(self.0.create_subresource(name, #subresource, input, params)),
        ),
        Verb::Update | Verb::UpdateStatus => (
            "Replaces",
            quote!(name: &str, input: &#input, params: &kube::api::PostParams),
            quote!(self.0.update_subresource(name, #subresource, input, params)),
        ),
        Verb::Patch => (
            "Patches",
            quote!(name: &str, params: &kube::api::PatchParams, patch: &kube::api::Patch<P>),
            quote!(self.0.patch_subresource(name, #subresource, params, patch)),
        ),
        Verb::Apply | Verb::ApplyStatus => (
            "Applies, on the server's side,",
            quote!(name: &str, input: &#input, params: &kube::api::PatchParams),
            quote! {
                let patch = kube::api::Patch::Apply(input);
                self.0.patch_subresource(name, #subresource, params, &patch)
            },
        ),
        Verb::List | Verb::Get | Verb::Watch | Verb::Delete | Verb::DeleteCollection => (
            if method.verb == Verb::List {
                "Lists"
            } else {
                "Reads"
            },
            quote!(name: &str),
            quote!(self.0.get_subresource(name, #subresource)),
        ),
    };
    Call {
        does,
        parameters,
        returns: match method.verb {
            Verb::List => quote!(kube::api::ObjectList<#result>),
            _ => quote!(#result),
        },
        call,
    }
}

/// A method without a subresource is a verb under another name. Only `create` may have other types, for kinds that are requests,
/// such as reviews.
///
/// ```ignore
/// self.0.unrestricted().create(input, params)
/// ```
fn verb_call(method: &Method<'_>) -> Call {
    let Method { input, result, .. } = method;
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
    Call {
        does,
        parameters,
        returns,
        call: quote!(self.0.unrestricted().#call),
    }
}
