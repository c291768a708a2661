//! `generated/clientset/typed/<group>/<version>/<resource>.rs`: the typed client of a resource.

use proc_macro2::TokenStream;
use quote::quote;

use super::{methods, verbs};
use crate::{
    emit::{
        Emit,
        context::{api_version, docs, ident, module_docs},
    },
    model::{Group, Resource, Scope, Verb, Version, names},
};

/// ```ignore
/// use crate::apis::cloudnative::v1alpha1 as api;
/// use ::codegen_runtime::{client, kube};
///
/// pub type VirtualMachineList = kube::api::ObjectList<api::VirtualMachine>;
///
/// #[derive(Clone, Debug)]
/// pub struct VirtualMachines(client::TypedClient<api::VirtualMachine>);
///
/// impl VirtualMachines {
///     pub fn new(client: kube::Client, namespace: &str) -> Self { … }
///     pub fn typed(&self) -> &client::TypedClient<api::VirtualMachine> { … }
///     pub async fn create(&self, …) -> client::Result<api::VirtualMachine> { … }
///     …
/// }
/// ```
pub(super) fn emit(
    cx: &Emit<'_>,
    group: &Group,
    version: &Version,
    resource: &Resource,
) -> TokenStream {
    let module_docs = module_docs(&format!(
        "The client for `{}` of `{}`.",
        resource.plural,
        api_version(group, version)
    ));
    let imports = cx.imports(version, &["client", "kube"]);
    let kind = ident(&resource.root);
    let name = ident(&resource.client_name);
    let list = emit_list(resource);
    let docs = docs(&format!(
        "Client for [`{root}`](api::{root}) objects. Cloning is cheap.",
        root = resource.root
    ));
    let new = emit_new(resource);
    let verbs = verbs::emit(resource);
    let methods = methods::emit(cx, resource);
    quote! {
        #module_docs
        #imports

        #list

        #docs
        #[derive(Clone, Debug)]
        pub struct #name(client::TypedClient<api::#kind>);

        impl #name {
            #new

            /// The client that this one delegates to, for extension traits.
            #[must_use]
            pub fn typed(&self) -> &client::TypedClient<api::#kind> {
                &self.0
            }

            #verbs
            #methods
        }
    }
}

/// ```ignore
/// pub type VirtualMachineList = kube::api::ObjectList<api::VirtualMachine>;
/// ```
fn emit_list(resource: &Resource) -> Option<TokenStream> {
    if resource.list_kind == resource.client_name || !resource.verbs.contains(Verb::List) {
        return None;
    }
    let kind = ident(&resource.root);
    let name = ident(&names::upper_camel(&resource.list_kind));
    let docs = docs(&format!(
        "A list of [`{root}`](api::{root}) objects.",
        root = resource.root
    ));
    Some(quote! {
        #docs
        pub type #name = kube::api::ObjectList<api::#kind>;
    })
}

fn emit_new(resource: &Resource) -> TokenStream {
    match resource.scope {
        Scope::Namespaced => quote! {
            /// A client for `namespace`; the empty one stands for all namespaces.
            #[must_use]
            pub fn new(client: kube::Client, namespace: &str) -> Self {
                Self(client::TypedClient::namespaced(client, namespace))
            }
        },
        Scope::Cluster => quote! {
            /// A client for the cluster.
            #[must_use]
            pub fn new(client: kube::Client) -> Self {
                Self(client::TypedClient::cluster(client))
            }
        },
    }
}
