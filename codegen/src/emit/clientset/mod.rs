//! `generated/clientset/`: the clientset, a client for each group and version, and a typed client for each resource.

mod methods;
mod scheme;
mod typed;
mod verbs;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    Emit, Files,
    context::{api_version, docs, ident, module_docs},
    modules,
    table::{Definition, Generator, Home},
};
use crate::model::{Group, Resource, Scope, Version, names};

pub(crate) const GENERATOR: Definition = Definition {
    includes: &[Generator::Fake],
    ..Definition::new("client", Home::Generated("clientset"), emit)
};

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    files.rust("generated/clientset/mod.rs", || emit_clientset(cx));
    files.rust("generated/clientset/scheme.rs", || scheme::emit(cx));
    let dir = "generated/clientset/typed";
    modules::emit(cx, files, dir, "Typed clients", cx.client_versions());
    for (group, version) in cx.client_versions() {
        let dir = format!("{dir}/{}/{}", group.module, version.module);
        files.rust(format!("{dir}/mod.rs"), || emit_version(cx, group, version));
        for resource in clients(version) {
            files.rust(format!("{dir}/{}.rs", resource.accessor), || {
                typed::emit(cx, group, version, resource)
            });
        }
    }
}

/// The resources that have a typed client.
fn clients(version: &Version) -> impl Iterator<Item = &Resource> {
    version.resources.iter().filter(|resource| resource.client)
}

/// The client of a group and version (`CloudnativeV1alpha1Client`).
fn version_client(group: &Group, version: &Version) -> Ident {
    let version = names::upper_camel(&version.module);
    format_ident!("{}{version}Client", group.type_prefix)
}

/// ```ignore
/// #[derive(Clone)]
/// pub struct Clientset { client: Client }
///
/// impl Clientset {
///     pub fn new(client: Client) -> Self { … }
///     pub async fn try_default() -> Result<Self, Error> { … }
///     pub fn client(&self) -> &Client { … }
///     pub fn cloudnative_v1alpha1(&self) -> typed::cloudnative::v1alpha1::CloudnativeV1alpha1Client { … }
/// }
/// ```
fn emit_clientset(cx: &Emit<'_>) -> TokenStream {
    let runtime = cx.runtime();
    let fake = cx.options.emits(Generator::Fake).then(|| {
        quote! {
            #[cfg(feature = "fake")]
            pub mod fake;
        }
    });
    let accessors = cx
        .client_versions()
        .map(|(group, version)| emit_version_accessor(cx, group, version));
    quote! {
        //! The clientset: every typed client of this crate's APIs behind one handle.
        #fake
        pub mod scheme;
        pub mod typed;

        /// Clients for every group and version. Cloning is cheap.
        #[derive(Clone)]
        pub struct Clientset {
            client: #runtime::kube::Client,
        }

        impl Clientset {
            /// A clientset that sends requests through `client`.
            #[must_use]
            pub fn new(client: #runtime::kube::Client) -> Self {
                Self { client }
            }

            /// A clientset for the cluster that the environment names: the kubeconfig, else the pod's service account.
            ///
            /// # Errors
            ///
            /// No configuration is found, or no client can be built from it.
            pub async fn try_default() -> Result<Self, #runtime::kube::Error> {
                let client = #runtime::kube::Client::try_default().await?;
                Ok(Self { client })
            }

            /// The client that requests go through.
            #[must_use]
            pub fn client(&self) -> &#runtime::kube::Client {
                &self.client
            }

            #(#accessors)*
        }

        impl From<#runtime::kube::Client> for Clientset {
            fn from(client: #runtime::kube::Client) -> Self {
                Self { client }
            }
        }

        impl AsRef<#runtime::kube::Client> for Clientset {
            fn as_ref(&self) -> &#runtime::kube::Client {
                &self.client
            }
        }
    }
}

fn emit_version_accessor(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let feature = cx.feature(group);
    let docs = docs(&format!("Clients for `{}`.", api_version(group, version)));
    let accessor = ident(&format!("{}_{}", group.module, version.module));
    let (group_module, version_module) = (ident(&group.module), ident(&version.module));
    let client = version_client(group, version);
    quote! {
        #docs
        #feature
        #[must_use]
        pub fn #accessor(&self) -> typed::#group_module::#version_module::#client {
            typed::#group_module::#version_module::#client::new(self.client.clone())
        }
    }
}

/// ```ignore
/// mod virtual_machines;
///
/// pub use self::virtual_machines::*;
///
/// #[derive(Clone)]
/// pub struct CloudnativeV1alpha1Client { client: ::codegen_runtime::kube::Client }
///
/// impl CloudnativeV1alpha1Client {
///     pub fn new(client: ::codegen_runtime::kube::Client) -> Self { … }
///     pub fn virtual_machines(&self, namespace: &str) -> VirtualMachines { … }
/// }
/// ```
fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let api_version = api_version(group, version);
    let module_docs = module_docs(&format!("Typed clients for `{api_version}`."));
    let docs = docs(&format!(
        "Clients for the resources of `{api_version}`. Cloning is cheap."
    ));
    let runtime = cx.runtime();
    let name = version_client(group, version);
    let modules: Vec<_> = clients(version)
        .map(|resource| ident(&resource.accessor))
        .collect();
    let accessors = clients(version).map(emit_resource_accessor);
    quote! {
        #module_docs
        #(pub mod #modules;)*

        #docs
        #[derive(Clone)]
        pub struct #name {
            client: #runtime::kube::Client,
        }

        impl #name {
            /// Clients that send requests through `client`.
            #[must_use]
            pub fn new(client: #runtime::kube::Client) -> Self {
                Self { client }
            }

            /// The client that requests go through.
            #[must_use]
            pub fn client(&self) -> &#runtime::kube::Client {
                &self.client
            }

            #(#accessors)*
        }
    }
}

fn emit_resource_accessor(resource: &Resource) -> TokenStream {
    let accessor = ident(&resource.accessor);
    let client = ident(&resource.client_name);
    match resource.scope {
        Scope::Namespaced => {
            let docs = docs(&format!(
                "The client for `{}` in `namespace`; the empty one stands for all namespaces.",
                resource.plural
            ));
            quote! {
                #docs
                #[must_use]
                pub fn #accessor(&self, namespace: &str) -> #accessor::#client {
                    #accessor::#client::new(self.client.clone(), namespace)
                }
            }
        }
        Scope::Cluster => {
            let docs = docs(&format!("The client for `{}`.", resource.plural));
            quote! {
                #docs
                #[must_use]
                pub fn #accessor(&self) -> #accessor::#client {
                    #accessor::#client::new(self.client.clone())
                }
            }
        }
    }
}
