//! `generated/clientset/`: the clientset, and a module per group and version with its typed clients.

mod methods;
mod scheme;
mod typed;
mod verbs;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    Emit, Files,
    context::{self, api_version, docs, ident, module_docs},
    example, modules,
};
use crate::{
    generator::Generator,
    model::{Group, Resource, Scope, Version, names},
};

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    files.rust("generated/clientset/mod.rs", || emit_clientset(cx));
    files.rust("generated/clientset/scheme.rs", || scheme::emit(cx));
    let dir = "generated/clientset/typed";
    let (example, versions) = (|_: &Emit<'_>| String::new(), cx.client_versions());
    modules::emit(cx, files, dir, "Typed clients", example, versions);
    for (group, version) in cx.client_versions() {
        let dir = format!("{dir}/{}/{}", group.module, version.module);
        files.rust(format!("{dir}/mod.rs"), || emit_version(cx, group, version));
    }
}

/// The resources that have a typed client.
fn clients(version: &Version) -> impl Iterator<Item = &Resource> {
    version.resources.iter().filter(|resource| resource.client)
}

/// The name of the client of a group and version (`CloudnativeV1alpha1Client`); the plural if a kind's client has that name.
fn version_client(group: &Group, version: &Version) -> Ident {
    let camel = names::upper_camel(&version.module);
    let mut name = format!("{}{camel}Client", group.type_prefix);
    while clients(version).any(|resource| resource.client_name == name) {
        name.push('s');
    }
    format_ident!("{name}")
}

/// ```text
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
        let feature = Generator::Fake.definition().feature;
        let feature = feature.map(|feature| feature.name);
        let condition = feature.map(|feature| quote!(#[cfg(feature = #feature)]));
        quote!(#condition pub mod fake;)
    });
    let accessors = cx
        .client_versions()
        .map(|(group, version)| emit_version_accessor(cx, group, version));
    let docs = module_docs(&format!(
        "The clientset: every typed client of this crate's APIs behind one handle.{}",
        example::clientset(cx)
    ));
    quote! {
        #docs
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
            #[inline]
            #[must_use]
            pub fn new(client: #runtime::kube::Client) -> Self {
                Self { client }
            }

            /// A clientset for the cluster in the environment: from the kubeconfig, else the pod's service account.
            ///
            /// # Errors
            ///
            /// No configuration was found, or no client can be built from it.
            #[inline]
            pub async fn try_default() -> Result<Self, #runtime::kube::Error> {
                let client = #runtime::connect::try_default().await?;
                Ok(Self { client })
            }

            /// The client that requests go through.
            #[inline]
            #[must_use]
            pub fn client(&self) -> &#runtime::kube::Client {
                &self.client
            }

            #(#accessors)*
        }

        impl From<#runtime::kube::Client> for Clientset {
            #[inline]
            fn from(client: #runtime::kube::Client) -> Self {
                Self { client }
            }
        }

        impl AsRef<#runtime::kube::Client> for Clientset {
            #[inline]
            fn as_ref(&self) -> &#runtime::kube::Client {
                &self.client
            }
        }
    }
}

fn emit_version_accessor(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let feature = cx
        .version_feature(group, version)
        .or_else(|| cx.feature(group));
    let docs = docs(&format!("Clients for `{}`.", api_version(group, version)));
    let accessor = ident(&cx.api.clientset_method(group, version));
    let (group_module, version_module) = (ident(&group.module), ident(&version.module));
    let client = version_client(group, version);
    quote! {
        #docs
        #feature
        #[inline]
        #[must_use]
        pub fn #accessor(&self) -> typed::#group_module::#version_module::#client {
            typed::#group_module::#version_module::#client::new(self.client.clone())
        }
    }
}

/// ```text
/// #[derive(Clone, Debug)]
/// pub struct CloudnativeV1alpha1Client(kube::Client);
///
/// impl CloudnativeV1alpha1Client {
///     pub fn new(client: kube::Client) -> Self { … }
///     pub fn client(&self) -> &kube::Client { … }
///     pub fn virtual_machines(&self, namespace: &str) -> VirtualMachines { … }
/// }
///
/// pub type VirtualMachines = client::TypedClient<api::VirtualMachine, client::verbs::WithStatus>;
/// ```
fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let api_version = api_version(group, version);
    let module_docs = module_docs(&format!("Typed clients for `{api_version}`."));
    let imports = cx.imports(version, &["client", "kube"]);
    let docs = docs(&format!(
        "Clients for the resources of `{api_version}`. Cloning is cheap."
    ));
    let name = version_client(group, version);
    let accessors = clients(version).map(|resource| {
        let feature = cx.kind_feature(group, version, resource);
        let accessor = emit_resource_accessor(resource);
        quote!(#feature #accessor)
    });
    let mut taken = typed::Taken::of(version, &name);
    let typed = clients(version).map(|resource| {
        let items = typed::emit(cx, version, resource, &mut taken);
        cx.behind_kind(group, version, resource, items)
    });
    quote! {
        #module_docs
        #imports

        #docs
        #[derive(Clone)]
        pub struct #name(kube::Client);

        impl #name {
            /// Clients that send requests through `client`.
            #[inline]
            #[must_use]
            pub fn new(client: kube::Client) -> Self {
                Self(client)
            }

            /// The client that requests go through.
            #[inline]
            #[must_use]
            pub fn client(&self) -> &kube::Client {
                &self.0
            }

            #(#accessors)*
        }

        #(#typed)*
    }
}

/// ```ignore
/// pub fn virtual_machines(&self, namespace: &str) -> VirtualMachines {
///     VirtualMachines::namespaced(self.0.clone(), namespace)
/// }
/// ```
fn emit_resource_accessor(resource: &Resource) -> TokenStream {
    let (accessor, client) = (ident(&resource.accessor), ident(&resource.client_name));
    let (docs, namespace, new) = match resource.scope {
        Scope::Namespaced => (
            format!(
                "The client for `{}` in `namespace`; if empty, in all namespaces.",
                resource.plural
            ),
            Some(quote!(, namespace: &str)),
            quote!(namespaced(self.0.clone(), namespace)),
        ),
        Scope::Cluster => (
            format!("The client for `{}`.", resource.plural),
            None,
            quote!(cluster(self.0.clone())),
        ),
    };
    let docs = context::docs(&docs);
    let value = if typed::is_newtype(resource) {
        quote!(client::TypedClient::#new.into())
    } else {
        quote!(#client::#new)
    };
    quote! {
        #docs
        #[inline]
        #[must_use]
        pub fn #accessor(&self #namespace) -> #client {
            #value
        }
    }
}
