//! `generated/listers/`: typed read access to an informer's cache.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, docs, ident, kind_ident, module_docs},
    example, modules,
};
use crate::model::{Group, Resource, Scope, Version};

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let (dir, versions) = ("generated/listers", cx.informer_versions());
    modules::emit(cx, files, dir, "Listers", example::lister, versions);
    for (group, version) in cx.informer_versions() {
        let path = format!("{dir}/{}/{}/mod.rs", group.module, version.module);
        files.rust(path, || emit_version(cx, group, version));
    }
}

/// The resources that have listers.
fn listed(version: &Version) -> impl Iterator<Item = &Resource> {
    version
        .resources
        .iter()
        .filter(|resource| resource.has_informer())
}

/// The name of a resource's lister (`VirtualMachineLister`).
pub(crate) fn lister_name(version: &Version, resource: &Resource) -> Ident {
    kind_ident(version, resource, "Lister")
}

fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!("Listers for `{}`.", api_version(group, version)));
    let imports = cx.imports(version, &["lister"]);
    let names = listed(version).map(|resource| lister_name(version, resource));
    let mut taken: BTreeSet<Ident> = names.collect();
    let listers = listed(version).map(|resource| {
        let items = match resource.scope {
            Scope::Namespaced => emit_namespaced(version, resource, &mut taken),
            Scope::Cluster => emit_cluster(version, resource),
        };
        cx.behind_kind(group, version, resource, items)
    });
    quote!(#docs #imports #(#listers)*)
}

fn lister_docs(resource: &Resource) -> TokenStream {
    docs(&format!(
        "Reads [`{root}`](api::{root}) objects from a cache. Cloning is cheap.",
        root = resource.root
    ))
}

/// ```ignore
/// pub type NodeLister = lister::Lister<api::Node>;
/// ```
fn emit_cluster(version: &Version, resource: &Resource) -> TokenStream {
    let (kind, name) = (ident(&resource.root), lister_name(version, resource));
    let docs = lister_docs(resource);
    quote! {
        #docs
        pub type #name = lister::Lister<api::#kind>;
    }
}

/// ```text
/// #[derive(Clone, Debug)]
/// pub struct VirtualMachineLister(lister::Lister<api::VirtualMachine>);
///
/// impl VirtualMachineLister {
///     pub fn virtual_machines(&self, namespace: &str) -> VirtualMachineNamespaceLister { … }
/// }
///
/// impl From<lister::Lister<api::VirtualMachine>> for VirtualMachineLister { … }
///
/// impl Deref for VirtualMachineLister {
///     type Target = lister::Lister<api::VirtualMachine>;
/// }
///
/// pub type VirtualMachineNamespaceLister = lister::NamespaceLister<api::VirtualMachine>;
/// ```
fn emit_namespaced(
    version: &Version,
    resource: &Resource,
    taken: &mut BTreeSet<Ident>,
) -> TokenStream {
    let (kind, name) = (ident(&resource.root), lister_name(version, resource));
    let accessor = ident(&resource.accessor);
    let docs = lister_docs(resource);
    let lister = quote!(lister::Lister<api::#kind>);
    // If there is a kind `FooNamespace` beside `Foo`, this name belongs to its lister.
    let namespace_name = kind_ident(version, resource, "NamespaceLister");
    let (namespace_lister, alias) = if taken.insert(namespace_name.clone()) {
        let alias = emit_namespace_lister(resource, &namespace_name);
        (quote!(#namespace_name), Some(alias))
    } else {
        (quote!(lister::NamespaceLister<api::#kind>), None)
    };
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name(#lister);

        impl #name {
            /// Reads the objects of one namespace.
            #[inline]
            #[must_use]
            pub fn #accessor(&self, namespace: &str) -> #namespace_lister {
                self.0.namespace(namespace)
            }
        }

        impl ::core::convert::From<#lister> for #name {
            #[inline]
            fn from(lister: #lister) -> Self {
                Self(lister)
            }
        }

        impl ::core::ops::Deref for #name {
            type Target = #lister;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        #alias
    }
}

fn emit_namespace_lister(resource: &Resource, name: &Ident) -> TokenStream {
    let kind = ident(&resource.root);
    let docs = docs(&format!(
        "Reads the [`{root}`](api::{root}) objects of one namespace from a cache. Cloning is cheap.",
        root = resource.root
    ));
    quote! {
        #docs
        pub type #name = lister::NamespaceLister<api::#kind>;
    }
}
