//! The traits that describe an object to kube and the runtime: its names, scope and metadata.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Object, Role, type_path};
use crate::{
    emit::{
        Emit,
        context::{api_version, ident},
    },
    model::{Group, Scope, Version},
};

/// ```ignore
/// impl ::codegen_runtime::k8s_openapi::Resource for super::types::VirtualMachine {
///     const API_VERSION: &'static str = "cloudnative.czs/v1alpha1";
///     const GROUP: &'static str = "cloudnative.czs";
///     const KIND: &'static str = "VirtualMachine";
///     const VERSION: &'static str = "v1alpha1";
///     const URL_PATH_SEGMENT: &'static str = "virtualmachines";
///     type Scope = ::codegen_runtime::k8s_openapi::NamespaceResourceScope;
/// }
/// ```
pub(super) fn emit(
    cx: &Emit<'_>,
    group: &Group,
    version: &Version,
    object: &Object<'_>,
) -> TokenStream {
    let path = type_path(object.def);
    let k8s_openapi = cx.k8s_openapi();
    let (resource, plural) = match object.role {
        Role::Root(resource) => (resource, resource.plural.as_str()),
        Role::List(resource) => (resource, ""),
    };
    let api_version = api_version(group, version);
    let (group_name, version_name, kind) = (&group.name, &version.name, object.kind());
    let scope = match resource.scope {
        Scope::Namespaced => quote!(NamespaceResourceScope),
        Scope::Cluster => quote!(ClusterResourceScope),
    };
    let listable = emit_listable(cx, object);
    let metadata = emit_metadata(cx, object);
    let cfg = &object.cfg;
    quote! {
        #cfg
        impl #k8s_openapi::Resource for #path {
            const API_VERSION: &'static str = #api_version;
            const GROUP: &'static str = #group_name;
            const KIND: &'static str = #kind;
            const VERSION: &'static str = #version_name;
            const URL_PATH_SEGMENT: &'static str = #plural;
            type Scope = #k8s_openapi::#scope;
        }
        #listable
        #metadata
    }
}

/// ```ignore
/// impl ::codegen_runtime::k8s_openapi::ListableResource for super::types::VirtualMachine {
///     const LIST_KIND: &'static str = "VirtualMachineList";
/// }
/// ```
///
/// It makes `k8s_openapi::List<VirtualMachine>` usable for lists.
fn emit_listable(cx: &Emit<'_>, object: &Object<'_>) -> TokenStream {
    let Role::Root(resource) = object.role else {
        return TokenStream::new();
    };
    let path = type_path(object.def);
    let k8s_openapi = cx.k8s_openapi();
    let list_kind = &resource.list_kind;
    let cfg = &object.cfg;
    quote! {
        #cfg
        impl #k8s_openapi::ListableResource for #path {
            const LIST_KIND: &'static str = #list_kind;
        }
    }
}

/// ```ignore
/// impl ::codegen_runtime::k8s_openapi::Metadata for super::types::VirtualMachine {
///     type Ty = ::codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
///
///     fn metadata(&self) -> &Self::Ty {
///         &self.metadata
///     }
///
///     fn metadata_mut(&mut self) -> &mut Self::Ty {
///         &mut self.metadata
///     }
/// }
/// ```
fn emit_metadata(cx: &Emit<'_>, object: &Object<'_>) -> TokenStream {
    let metadata = object
        .fields()
        .iter()
        .find(|field| field.json_name == "metadata");
    let Some(field) = metadata.map(|field| ident(&field.rust_name)) else {
        return TokenStream::new();
    };
    let path = type_path(object.def);
    let k8s_openapi = cx.k8s_openapi();
    let ty = match object.role {
        Role::Root(_) => quote!(ObjectMeta),
        Role::List(_) => quote!(ListMeta),
    };
    let cfg = &object.cfg;
    quote! {
        #cfg
        impl #k8s_openapi::Metadata for #path {
            type Ty = #k8s_openapi::apimachinery::pkg::apis::meta::v1::#ty;

            fn metadata(&self) -> &Self::Ty {
                &self.#field
            }

            fn metadata_mut(&mut self) -> &mut Self::Ty {
                &mut self.#field
            }
        }
    }
}
