//! `generated/listers/`: reads from an informer's cache.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, docs, ident, kind_ident, module_docs},
    modules,
    table::{Definition, Home},
};
use crate::model::{Group, Resource, Scope, Version};

pub(crate) const GENERATOR: Definition =
    Definition::new("lister", Home::Generated("listers"), emit);

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    modules::emit(
        cx,
        files,
        "generated/listers",
        "Listers",
        cx.informer_versions(),
    );
    for (group, version) in cx.informer_versions() {
        let dir = format!("generated/listers/{}/{}", group.module, version.module);
        files.rust(format!("{dir}/mod.rs"), || emit_version(group, version));
        for resource in informers(version) {
            files.rust(format!("{dir}/{}.rs", resource.accessor), || {
                emit_file(cx, group, version, resource)
            });
        }
    }
}

fn emit_version(group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!("Listers for `{}`.", api_version(group, version)));
    let modules = informers(version).map(|resource| ident(&resource.accessor));
    quote!(#docs #(pub mod #modules;)*)
}

/// The resources that have a lister.
fn informers(version: &Version) -> impl Iterator<Item = &Resource> {
    version
        .resources
        .iter()
        .filter(|resource| resource.has_informer())
}

/// The lister of a resource (`VirtualMachineLister`).
pub(crate) fn lister_name(resource: &Resource) -> Ident {
    kind_ident(resource, "Lister")
}

fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version, resource: &Resource) -> TokenStream {
    let module_docs = module_docs(&format!(
        "Listers for `{}` of `{}`.",
        resource.plural,
        api_version(group, version)
    ));
    let imports = cx.imports(version, &["kube", "lister"]);
    let lister = emit_lister(resource);
    let namespace_lister =
        (resource.scope == Scope::Namespaced).then(|| emit_namespace_lister(resource));
    quote!(#module_docs #imports #lister #namespace_lister)
}

/// ```ignore
/// #[derive(Clone, Debug)]
/// pub struct VirtualMachineLister(lister::Lister<api::VirtualMachine>);
///
/// impl VirtualMachineLister {
///     pub fn new(lister: lister::Lister<api::VirtualMachine>) -> Self { … }
///     pub fn list(&self, selector: &kube::core::Selector) -> Vec<::std::sync::Arc<api::VirtualMachine>> { … }
///     pub fn virtual_machines(&self, namespace: &str) -> VirtualMachineNamespaceLister { … }
///     pub fn lister(&self) -> &lister::Lister<api::VirtualMachine> { … }
/// }
/// ```
fn emit_lister(resource: &Resource) -> TokenStream {
    let kind = ident(&resource.root);
    let name = lister_name(resource);
    let docs = docs(&format!(
        "Reads [`{root}`](api::{root}) objects from a cache. Cloning is cheap.",
        root = resource.root
    ));
    let reads = match resource.scope {
        Scope::Namespaced => emit_namespace_accessor(resource),
        Scope::Cluster => emit_get(&kind),
    };
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name(lister::Lister<api::#kind>);

        impl #name {
            /// A lister over the same cache.
            #[must_use]
            pub fn new(lister: lister::Lister<api::#kind>) -> Self {
                Self(lister)
            }

            /// The objects that `selector` selects, in no particular order.
            #[must_use]
            pub fn list(&self, selector: &kube::core::Selector) -> Vec<::std::sync::Arc<api::#kind>> {
                self.0.list(selector)
            }

            #reads

            /// The lister that this one delegates to, for extension traits.
            #[must_use]
            pub fn lister(&self) -> &lister::Lister<api::#kind> {
                &self.0
            }
        }
    }
}

fn emit_namespace_accessor(resource: &Resource) -> TokenStream {
    let accessor = ident(&resource.accessor);
    let name = kind_ident(resource, "NamespaceLister");
    quote! {
        /// Reads the objects of one namespace.
        #[must_use]
        pub fn #accessor(&self, namespace: &str) -> #name {
            #name(self.0.namespace(namespace))
        }
    }
}

fn emit_get(kind: &Ident) -> TokenStream {
    quote! {
        /// The object of that name.
        ///
        /// # Errors
        ///
        /// The cache does not have it.
        pub fn get(&self, name: &str) -> Result<::std::sync::Arc<api::#kind>, lister::NotFound> {
            self.0.get(name)
        }
    }
}

/// ```ignore
/// #[derive(Clone, Debug)]
/// pub struct VirtualMachineNamespaceLister(lister::NamespaceLister<api::VirtualMachine>);
///
/// impl VirtualMachineNamespaceLister {
///     pub fn list(&self, selector: &kube::core::Selector) -> Vec<::std::sync::Arc<api::VirtualMachine>> { … }
///     pub fn get(&self, name: &str) -> Result<::std::sync::Arc<api::VirtualMachine>, lister::NotFound> { … }
/// }
/// ```
fn emit_namespace_lister(resource: &Resource) -> TokenStream {
    let kind = ident(&resource.root);
    let name = kind_ident(resource, "NamespaceLister");
    let docs = docs(&format!(
        "Reads the [`{root}`](api::{root}) objects of one namespace from a cache.",
        root = resource.root
    ));
    let get = emit_get(&kind);
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name(lister::NamespaceLister<api::#kind>);

        impl #name {
            /// The objects of the namespace that `selector` selects, in no particular order.
            #[must_use]
            pub fn list(&self, selector: &kube::core::Selector) -> Vec<::std::sync::Arc<api::#kind>> {
                self.0.list(selector)
            }

            #get
        }
    }
}
