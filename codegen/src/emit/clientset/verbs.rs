//! The methods of a typed client: one or two for each verb that its resource allows.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    emit::context::{docs, ident},
    model::{Resource, Verb},
};

/// Every method, in the order of [`Verb::ALL`].
pub(super) fn emit(resource: &Resource) -> TokenStream {
    let kind = ident(&resource.root);
    let verbs = Verb::ALL
        .into_iter()
        .filter(|&verb| resource.verbs.contains(verb))
        .map(|verb| match verb {
            Verb::Create | Verb::Update | Verb::UpdateStatus => emit_write(verb, &kind),
            Verb::Delete => emit_delete(&kind),
            Verb::DeleteCollection => emit_delete_collection(&kind),
            Verb::Get => emit_get(&kind),
            Verb::List => emit_list(&kind),
            Verb::Watch => emit_watch(&kind),
            Verb::Patch => emit_patch(resource, &kind),
            // Apply takes an apply configuration, which only the generator of those can name.
            Verb::Apply | Verb::ApplyStatus => TokenStream::new(),
        });
    quote!(#(#verbs)*)
}

/// ```ignore
/// pub async fn create(
///     &self,
///     object: &api::VirtualMachine,
///     params: &kube::api::PostParams,
/// ) -> client::Result<api::VirtualMachine> {
///     self.0.create(object, params).await
/// }
/// ```
fn emit_write(verb: Verb, kind: &Ident) -> TokenStream {
    let (method, docs) = match verb {
        Verb::Create => (
            quote!(create),
            docs("Creates the object and returns it as stored."),
        ),
        Verb::UpdateStatus => (
            quote!(update_status),
            docs("Replaces the status of the object of the same name; nothing else changes."),
        ),
        _ => (
            quote!(update),
            docs(
                "Replaces the object of the same name.\n\nWith a `resourceVersion` other than the stored one it is a conflict.",
            ),
        ),
    };
    quote! {
        #docs
        pub async fn #method(
            &self,
            object: &api::#kind,
            params: &kube::api::PostParams,
        ) -> client::Result<api::#kind> {
            self.0.#method(object, params).await
        }
    }
}

/// ```ignore
/// pub async fn delete(
///     &self,
///     name: &str,
///     params: &kube::api::DeleteParams,
/// ) -> client::Result<client::Either<api::VirtualMachine, kube::core::Status>> {
///     self.0.delete(name, params).await
/// }
/// ```
fn emit_delete(kind: &Ident) -> TokenStream {
    quote! {
        /// Deletes the object: the answer is the object while something holds it, such as a finalizer, else a status.
        pub async fn delete(
            &self,
            name: &str,
            params: &kube::api::DeleteParams,
        ) -> client::Result<client::Either<api::#kind, kube::core::Status>> {
            self.0.delete(name, params).await
        }
    }
}

/// ```ignore
/// pub async fn delete_collection(
///     &self,
///     params: &kube::api::DeleteParams,
///     list_params: &kube::api::ListParams,
/// ) -> client::Result<client::Either<kube::api::ObjectList<api::VirtualMachine>, kube::core::Status>> {
///     self.0.delete_collection(params, list_params).await
/// }
/// ```
fn emit_delete_collection(kind: &Ident) -> TokenStream {
    quote! {
        /// Deletes all objects that `list_params` selects.
        pub async fn delete_collection(
            &self,
            params: &kube::api::DeleteParams,
            list_params: &kube::api::ListParams,
        ) -> client::Result<client::Either<kube::api::ObjectList<api::#kind>, kube::core::Status>> {
            self.0.delete_collection(params, list_params).await
        }
    }
}

/// ```ignore
/// pub async fn get(&self, name: &str) -> client::Result<api::VirtualMachine> {
///     self.0.get(name).await
/// }
///
/// pub async fn get_opt(&self, name: &str) -> client::Result<Option<api::VirtualMachine>> {
///     self.0.get_opt(name).await
/// }
/// ```
fn emit_get(kind: &Ident) -> TokenStream {
    quote! {
        /// Reads the object; a missing one is an error.
        pub async fn get(&self, name: &str) -> client::Result<api::#kind> {
            self.0.get(name).await
        }

        /// Reads the object; a missing one is none.
        pub async fn get_opt(&self, name: &str) -> client::Result<Option<api::#kind>> {
            self.0.get_opt(name).await
        }
    }
}

/// ```ignore
/// pub async fn list(
///     &self,
///     params: &kube::api::ListParams,
/// ) -> client::Result<kube::api::ObjectList<api::VirtualMachine>> {
///     self.0.list(params).await
/// }
/// ```
fn emit_list(kind: &Ident) -> TokenStream {
    quote! {
        /// Lists objects: one page if `params` sets a limit, else everything.
        pub async fn list(
            &self,
            params: &kube::api::ListParams,
        ) -> client::Result<kube::api::ObjectList<api::#kind>> {
            self.0.list(params).await
        }
    }
}

/// ```ignore
/// pub async fn watch(
///     &self,
///     params: &kube::api::WatchParams,
///     resource_version: &str,
/// ) -> client::Result<client::WatchStream<api::VirtualMachine>> {
///     self.0.watch(params, resource_version).await
/// }
/// ```
fn emit_watch(kind: &Ident) -> TokenStream {
    quote! {
        /// Watches for changes after `resource_version`; the stream ends when the server ends it.
        pub async fn watch(
            &self,
            params: &kube::api::WatchParams,
            resource_version: &str,
        ) -> client::Result<client::WatchStream<api::#kind>> {
            self.0.watch(params, resource_version).await
        }
    }
}

/// ```ignore
/// pub async fn patch<P: ::serde::Serialize + ::std::fmt::Debug>(
///     &self,
///     name: &str,
///     params: &kube::api::PatchParams,
///     patch: &kube::api::Patch<P>,
/// ) -> client::Result<api::VirtualMachine> {
///     self.0.patch(name, params, patch).await
/// }
/// ```
///
/// And `patch_status` alike where the status may be updated.
fn emit_patch(resource: &Resource, kind: &Ident) -> TokenStream {
    let emit = |method: TokenStream, docs: TokenStream| {
        quote! {
            #docs
            pub async fn #method<P: ::serde::Serialize + ::std::fmt::Debug>(
                &self,
                name: &str,
                params: &kube::api::PatchParams,
                patch: &kube::api::Patch<P>,
            ) -> client::Result<api::#kind> {
                self.0.#method(name, params, patch).await
            }
        }
    };
    let patch = emit(
        quote!(patch),
        docs("Patches the object: a JSON patch, a merge patch or server-side apply."),
    );
    let patch_status = resource
        .verbs
        .contains(Verb::UpdateStatus)
        .then(|| emit(quote!(patch_status), docs("Patches the object's status.")));
    quote!(#patch #patch_status)
}
