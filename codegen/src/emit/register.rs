//! `zz_generated_register.rs`: the names of a group-version and its registration with a scheme.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::{
    Emit, Files,
    context::{api_version, ident, module_docs},
    manifests,
};
use crate::{
    generator::{Generator, crd_file},
    model::{Group, Resource, RustItem, Version},
};

/// Emits the file beside the types of every version.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    for (group, version) in cx.api.versions() {
        files.rust(format!("{}/zz_generated_register.rs", version.dir), || {
            emit_file(cx, group, version)
        });
        for (resource, crd) in crds(cx, group, version) {
            let file = crd_file(&resource.plural);
            files.json(format!("{}/{file}", version.dir), crd);
        }
    }
}

/// The CRDs of the kinds with manifests, unless kube-derive implements `CustomResourceExt` for them.
fn crds<'a>(
    cx: &'a Emit<'a>,
    group: &'a Group,
    version: &'a Version,
) -> impl Iterator<Item = (&'a Resource, impl FnOnce() -> Value + Send + use<'a>)> {
    let resources = version.resources.iter();
    let written = resources.filter(|resource| !is_derived(version, &resource.root));
    written.filter_map(move |resource| {
        let crd = manifests::crd_of(cx.api, group, &resource.kind, cx.options)?;
        Some((resource, crd))
    })
}

/// Re-exports the file's items from the version's module, the counterpart of Go's `v1alpha1.AddToScheme`.
pub(super) fn reexport() -> TokenStream {
    quote! {
        pub use self::zz_generated_register::{
            GROUP_NAME, VERSION, add_to_scheme, group_version, kind, resource,
        };
    }
}

fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!(
        "Names and registration of `{}`.",
        api_version(group, version)
    ));
    // Of generated types, `apis/mod.rs` says it.
    let is_written = !version.origin.emits_types();
    let made = is_written.then(|| cx.generated_by());
    let names = emit_names(cx, group, version);
    let add_to_scheme = emit_add_to_scheme(cx, group, version);
    let crds = emit_crds(cx, group, version);
    quote!(#docs #made #names #add_to_scheme #crds)
}

/// ```ignore
/// pub const GROUP_NAME: &str = "cloudnative.czs";
/// pub const VERSION: &str = "v1alpha1";
///
/// pub fn group_version() -> ::codegen_runtime::kube::core::GroupVersion {
///     ::codegen_runtime::kube::core::GroupVersion::gv(GROUP_NAME, VERSION)
/// }
///
/// pub fn kind(kind: &str) -> ::codegen_runtime::kube::core::GroupVersionKind {
///     ::codegen_runtime::kube::core::GroupVersionKind::gvk(GROUP_NAME, VERSION, kind)
/// }
///
/// pub fn resource(resource: &str) -> ::codegen_runtime::scheme::GroupResource {
///     ::codegen_runtime::scheme::GroupResource::new(GROUP_NAME, resource)
/// }
/// ```
fn emit_names(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let runtime = cx.runtime();
    let (group_name, version_name) = (&group.name, &version.name);
    quote! {
        use #runtime::{kube, scheme};

        /// The name of the group.
        pub const GROUP_NAME: &str = #group_name;
        /// The name of the version.
        pub const VERSION: &str = #version_name;

        /// The group and version of the kinds in this module.
        #[inline]
        #[must_use]
        pub fn group_version() -> kube::core::GroupVersion {
            kube::core::GroupVersion::gv(GROUP_NAME, VERSION)
        }

        /// A kind of this group and version.
        #[inline]
        #[must_use]
        pub fn kind(kind: &str) -> kube::core::GroupVersionKind {
            kube::core::GroupVersionKind::gvk(GROUP_NAME, VERSION, kind)
        }

        /// A resource of this group, by its plural name.
        #[inline]
        #[must_use]
        pub fn resource(resource: &str) -> scheme::GroupResource {
            scheme::GroupResource::new(GROUP_NAME, resource)
        }
    }
}

/// ```ignore
/// #[inline]
/// pub fn add_to_scheme(scheme: &mut scheme::Scheme) -> Result<(), scheme::SchemeError> {
///     scheme.register::<super::VirtualMachine>()?;
///     Ok(())
/// }
/// ```
fn emit_add_to_scheme(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let registrations = version.resources.iter().map(|resource| {
        let root = ident(&resource.root);
        match cx.kind_feature(group, version, resource) {
            // A `let`, since the formatter does not put an attribute of an expression on its own line.
            Some(feature) => quote!(#feature let _ = scheme.register::<super::#root>()?;),
            None => quote!(scheme.register::<super::#root>()?;),
        }
    });
    let parameter = if version.resources.is_empty() {
        quote!(_scheme)
    } else {
        quote!(scheme)
    };
    quote! {
        /// Registers every kind of this module.
        ///
        /// # Errors
        ///
        /// A kind is already registered with another type.
        #[inline]
        pub fn add_to_scheme(#parameter: &mut scheme::Scheme) -> Result<(), scheme::SchemeError> {
            #(#registrations)*
            Ok(())
        }
    }
}

/// ```text
/// impl kube::core::CustomResourceExt for super::VirtualMachine {
///     fn crd() -> CustomResourceDefinition {
///         static CRD: LazyLock<CustomResourceDefinition> =
///             LazyLock::new(|| scheme::read_crd(include_str!("zz_generated.virtualmachines.json")));
///         CRD.clone()
///     }
///     …
/// }
/// ```
///
/// The CRD is a file of its own, whose lines change as the schema does.
fn emit_crds(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let impls = crds(cx, group, version).map(|(resource, _)| {
        let name = format!("{}.{}", resource.plural, group.name);
        let root = ident(&resource.root);
        let short_names = &resource.short_names;
        let file = crd_file(&resource.plural);
        let implementation = quote! {
            impl kube::core::CustomResourceExt for super::#root {
                fn crd() -> CustomResourceDefinition {
                    static CRD: LazyLock<CustomResourceDefinition> =
                        LazyLock::new(|| scheme::read_crd(include_str!(#file)));
                    CRD.clone()
                }

                fn crd_name() -> &'static str {
                    #name
                }

                fn api_resource() -> kube::core::ApiResource {
                    kube::core::ApiResource::erase::<Self>(&())
                }

                fn shortnames() -> &'static [&'static str] {
                    &[#(#short_names),*]
                }
            }
        };
        cx.behind_kind(group, version, resource, implementation)
    });
    let impls: Vec<TokenStream> = impls.collect();
    if impls.is_empty() {
        return TokenStream::new();
    }
    let runtime = cx.runtime();
    quote! {
        use ::std::sync::LazyLock;

        use #runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

        #(#impls)*
    }
}

/// Whether kube-derive implements the traits of a root type.
fn is_derived(version: &Version, root: &str) -> bool {
    let item = version.type_def(root).and_then(|def| def.item.as_ref());
    item.is_some_and(|item: &RustItem| item.kube_derive)
}

/// Whether a kind implements `CustomResourceExt`, here or by kube-derive.
pub(super) fn has_crd(cx: &Emit<'_>, version: &Version, resource: &Resource) -> bool {
    let writes = cx.options.emits(Generator::Register) && cx.options.writes_crds();
    is_derived(version, &resource.root) || writes
}
