//! `generated/clientset/fake.rs`: the clientset over an embedded API server, gated by the crate's feature `fake`.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Emit, Files};
use crate::model::{Group, Resource, ScaleSubresource, Scope, Version};

/// Emits the file.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    files.rust("generated/clientset/fake.rs", || emit_file(cx));
}

fn emit_file(cx: &Emit<'_>) -> TokenStream {
    let runtime = cx.runtime();
    let rows: Vec<_> = cx
        .api
        .versions()
        .flat_map(|(group, version)| {
            version
                .resources
                .iter()
                .map(move |resource| emit_resource(group, version, resource))
        })
        .collect();
    let count = proc_macro2::Literal::usize_unsuffixed(rows.len());
    let clientset = emit_clientset();
    // A static: clippy refuses constants of more than 16 KiB, which 108 resources are.
    quote! {
        //! Fakes of the clientset, over an embedded API server.
        use #runtime::fake;

        #clientset

        /// The resources that the embedded API server serves beside the built-in kinds.
        static RESOURCES: [fake::Resource; #count] = [#(#rows),*];
    }
}

/// ```text
/// pub struct Clientset;
///
/// impl Clientset {
///     pub fn empty() -> (super::Clientset, fake::Tracker) { … }
///     pub fn with_objects(
///         objects: impl IntoIterator<Item = impl Into<fake::Object>>,
///     ) -> (super::Clientset, fake::Tracker) {
///         let (client, tracker) = fake::serve(&RESOURCES, objects);
///         (super::Clientset::new(client), tracker)
///     }
/// }
/// ```
fn emit_clientset() -> TokenStream {
    quote! {
        /// Creates clientsets for tests, each over an API server of its own.
        #[derive(Clone, Copy, Debug)]
        pub struct Clientset;

        impl Clientset {
            /// A clientset over an API server without objects, and the tracker that controls the server.
            ///
            /// # Panics
            ///
            /// Outside of a Tokio runtime.
            #[inline]
            #[must_use]
            pub fn empty() -> (super::Clientset, fake::Tracker) {
                Self::with_objects(::std::iter::empty::<fake::Object>())
            }

            /// A clientset over an API server that holds `objects`, and the tracker that controls the server.
            ///
            /// # Panics
            ///
            /// Outside of a Tokio runtime, and if an object has no name or its kind is not served.
            #[inline]
            #[must_use]
            pub fn with_objects(
                objects: impl IntoIterator<Item = impl Into<fake::Object>>,
            ) -> (super::Clientset, fake::Tracker) {
                let (client, tracker) = fake::serve(&RESOURCES, objects);
                (super::Clientset::new(client), tracker)
            }
        }
    }
}

/// ```ignore
/// fake::Resource {
///     group: "cloudnative.czs",
///     version: "v1alpha1",
///     kind: "VirtualMachine",
///     plural: "virtualmachines",
///     singular: "virtualmachine",
///     scope: fake::Scope::Namespaced,
///     short_names: &["vm"],
///     status: true,
///     scale: None,
/// }
/// ```
fn emit_resource(group: &Group, version: &Version, resource: &Resource) -> TokenStream {
    let (group, version) = (&group.name, &version.name);
    let Resource {
        kind,
        plural,
        singular,
        short_names,
        status_subresource,
        ..
    } = resource;
    let scope = match resource.scope {
        Scope::Namespaced => quote!(Namespaced),
        Scope::Cluster => quote!(Cluster),
    };
    let scale = emit_scale(resource.scale_subresource.as_ref());
    quote! {
        fake::Resource {
            group: #group,
            version: #version,
            kind: #kind,
            plural: #plural,
            singular: #singular,
            scope: fake::Scope::#scope,
            short_names: &[#(#short_names),*],
            status: #status_subresource,
            scale: #scale,
        }
    }
}

fn emit_scale(scale: Option<&ScaleSubresource>) -> TokenStream {
    let Some(scale) = scale else {
        return quote!(None);
    };
    let (spec, status) = (&scale.spec_replicas_path, &scale.status_replicas_path);
    let selector = match &scale.label_selector_path {
        Some(path) => quote!(Some(#path)),
        None => quote!(None),
    };
    quote! {
        Some(fake::Scale {
            spec_replicas: #spec,
            status_replicas: #status,
            label_selector: #selector,
        })
    }
}
