//! `zz_generated_validate.rs`: schema validation of objects, gated by the crate's feature `validate`.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, docs, ident, json_literal, module_docs},
    manifests, register,
};
use crate::model::{Group, Resource, Version, names};

/// Emits the file beside the types of every version.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    for (group, version) in cx.api.versions() {
        files.rust(format!("{}/zz_generated_validate.rs", version.dir), || {
            emit_file(cx, group, version)
        });
    }
}

/// ```ignore
/// impl validation::Validate for super::VirtualMachine {
///     fn validator() -> &'static validation::Validator {
///         static VALIDATOR: LazyLock<validation::Validator> =
///             LazyLock::new(|| validation::of_crd::<super::VirtualMachine>("v1alpha1"));
///         &VALIDATOR
///     }
/// }
/// ```
fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!(
        "Validation of objects of `{}`.",
        api_version(group, version)
    ));
    let resources = version.resources.iter();
    let impls = resources.filter_map(|resource| {
        let root = ident(&resource.root);
        let validator = emit_validator(cx, group, version, resource)?;
        if version.is_elsewhere(resource) {
            return Some(emit_function(resource, &validator));
        }
        let implementation = quote! {
            impl validation::Validate for super::#root {
                fn validator() -> &'static validation::Validator {
                    static VALIDATOR: LazyLock<validation::Validator> = LazyLock::new(|| #validator);
                    &VALIDATOR
                }
            }
        };
        Some(cx.behind_kind(group, version, resource, implementation))
    });
    let impls: Vec<TokenStream> = impls.collect();
    let imports = (!impls.is_empty()).then(|| {
        let runtime = cx.runtime();
        quote! {
            use ::std::sync::LazyLock;

            use #runtime::validation;
        }
    });
    quote! {
        #docs
        #![cfg(feature = "validate")]
        #imports
        #(#impls)*
    }
}

/// Whether the crate has functions that return validators.
pub(super) fn has_functions(version: &Version) -> bool {
    let mut resources = version.resources.iter();
    resources.any(|resource| version.is_elsewhere(resource))
}

/// ```ignore
/// /// The validator of [`VirtualMachine`](super::VirtualMachine), a type of another crate.
/// pub fn virtual_machine_validator() -> &'static validation::Validator {
///     static VALIDATOR: LazyLock<validation::Validator> =
///         LazyLock::new(|| validation::of_crd::<super::VirtualMachine>("v1alpha1"));
///     &VALIDATOR
/// }
/// ```
fn emit_function(resource: &Resource, validator: &TokenStream) -> TokenStream {
    let root = &resource.root;
    let docs = docs(&format!(
        "The validator of [`{root}`](super::{root}), a type of another crate."
    ));
    let name = ident(&format!("{}_validator", names::snake_case(root)));
    quote! {
        #docs
        #[must_use]
        pub fn #name() -> &'static validation::Validator {
            static VALIDATOR: LazyLock<validation::Validator> = LazyLock::new(|| #validator);
            &VALIDATOR
        }
    }
}

/// The validator: built from the kind's CRD if it implements `CustomResourceExt`, else from its schema
/// (`validation::of_version(r#"{…}"#)`).
fn emit_validator(
    cx: &Emit<'_>,
    group: &Group,
    version: &Version,
    resource: &Resource,
) -> Option<TokenStream> {
    if register::has_crd(cx, version, resource) {
        let (root, name) = (ident(&resource.root), &version.name);
        return Some(quote!(validation::of_crd::<super::#root>(#name)));
    }
    let schema = manifests::version_of(cx.api, group, version, resource, cx.options)?;
    let json = json_literal(&schema);
    Some(quote!(validation::of_version(#json)))
}
