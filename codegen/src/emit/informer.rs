//! `generated/informers/`: the shared informer factory, and an informer for each resource.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    Emit, Files,
    context::{api_version, by_group, docs, ident, kind_ident, module_docs, path},
    example,
    lister::lister_name,
    modules::inception,
};
use crate::{
    generator::Generator,
    model::{Group, Resource, Version, names},
};

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let dir = "generated/informers";
    let groups = by_group(cx.informer_versions());
    for (group, versions) in groups.clone() {
        let dir = format!("{dir}/{}", group.module);
        for &version in &versions {
            let dir = format!("{dir}/{}", version.module);
            files.rust(format!("{dir}/mod.rs"), || emit_version(cx, group, version));
        }
        files.rust(format!("{dir}/mod.rs"), move || {
            emit_group(cx, group, &versions)
        });
    }
    files.rust(format!("{dir}/mod.rs"), move || emit_factory(cx, &groups));
}

/// The resources that have informers.
fn informers(version: &Version) -> impl Iterator<Item = &Resource> {
    version
        .resources
        .iter()
        .filter(|resource| resource.has_informer())
}

/// The name of a group's informers (`CloudnativeInformers`).
fn group_name(group: &Group) -> Ident {
    format_ident!("{}Informers", group.type_prefix)
}

/// The name of a version's informers (`V1alpha1Informers`).
fn version_name(version: &Version) -> Ident {
    format_ident!("{}Informers", names::upper_camel(&version.module))
}

/// ```text
/// pub use ::codegen_runtime::informer::{Deleted, EventHandler, HandlerFuncs, HandlerRegistration};
///
/// pub mod cloudnative;
///
/// #[derive(Clone, Debug)]
/// pub struct SharedInformerFactory(::codegen_runtime::informer::SharedInformerFactory);
///
/// impl SharedInformerFactory {
///     pub fn builder(
///         client: impl Into<…Client>,
///     ) -> ::codegen_runtime::informer::FactoryBuilder<Self> { … }
///     pub fn cloudnative(&self) -> cloudnative::CloudnativeInformers { … }
/// }
/// ```
fn emit_factory(cx: &Emit<'_>, groups: &[(&Group, Vec<&Version>)]) -> TokenStream {
    let runtime = cx.runtime();
    let features = groups.iter().map(|(group, _)| cx.feature(group));
    let modules = groups.iter().map(|(group, _)| ident(&group.module));
    let accessors = groups.iter().map(|(group, _)| {
        let docs = docs(&format!("The informers of `{}`.", group.name));
        let (module, name) = (ident(&group.module), group_name(group));
        let feature = cx.feature(group);
        let accessor = ident(&cx.api.factory_method(group));
        quote! {
            #docs
            #feature
            #[inline]
            #[must_use]
            pub fn #accessor(&self) -> #module::#name {
                #module::#name::new(self.0.clone())
            }
        }
    });
    let builder = emit_builder(cx);
    let docs = module_docs(&format!(
        "Informers: one cache per type, shared by all users.{}",
        example::informer(cx)
    ));
    quote! {
        #docs
        pub use #runtime::informer::{Deleted, EventHandler, HandlerFuncs, HandlerRegistration};

        #(#features pub mod #modules;)*

        /// Provides the informers of this crate's APIs, one per type, and runs them together. Cloning is cheap.
        #[derive(Clone, Debug)]
        pub struct SharedInformerFactory(#runtime::informer::SharedInformerFactory);

        impl SharedInformerFactory {
            #builder
            #(#accessors)*
        }

        impl From<#runtime::informer::SharedInformerFactory> for SharedInformerFactory {
            #[inline]
            fn from(factory: #runtime::informer::SharedInformerFactory) -> Self {
                Self(factory)
            }
        }

        impl ::std::ops::Deref for SharedInformerFactory {
            type Target = #runtime::informer::SharedInformerFactory;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    }
}

/// ```ignore
/// pub fn builder(
///     clientset: super::clientset::Clientset,
/// ) -> ::codegen_runtime::informer::FactoryBuilder<Self> {
///     ::codegen_runtime::informer::FactoryBuilder::new(clientset.client().clone())
/// }
/// ```
///
/// If no clientset is generated, the builder takes kube's client.
fn emit_builder(cx: &Emit<'_>) -> TokenStream {
    let runtime = cx.runtime();
    let (parameter, ty, client) = if cx.options.emits(Generator::Client) {
        let generated = path(&cx.generated());
        (
            quote!(clientset),
            quote!(#generated::clientset::Clientset),
            quote!(clientset.client().clone()),
        )
    } else {
        (
            quote!(client),
            quote!(#runtime::kube::Client),
            quote!(client),
        )
    };
    quote! {
        /// Configures a factory whose informers watch one API server.
        #[inline]
        #[must_use]
        pub fn builder(#parameter: #ty) -> #runtime::informer::FactoryBuilder<Self> {
            #runtime::informer::FactoryBuilder::new(#client)
        }
    }
}

/// ```text
/// pub mod v1alpha1;
///
/// #[derive(Clone, Debug)]
/// pub struct CloudnativeInformers(informer::SharedInformerFactory);
///
/// impl CloudnativeInformers {
///     pub fn v1alpha1(&self) -> v1alpha1::V1alpha1Informers { … }
/// }
/// ```
fn emit_group(cx: &Emit<'_>, group: &Group, versions: &[&Version]) -> TokenStream {
    let features = versions
        .iter()
        .map(|version| cx.version_feature(group, version));
    let modules = versions.iter().map(|version| ident(&version.module));
    let accessors = versions.iter().map(|version| {
        let feature = cx.version_feature(group, version);
        let docs = docs(&format!(
            "The informers of `{}`.",
            api_version(group, version)
        ));
        let (module, name) = (ident(&version.module), version_name(version));
        let accessor = ident(&group.informers_method(version));
        quote! {
            #docs
            #feature
            #[inline]
            #[must_use]
            pub fn #accessor(&self) -> #module::#name {
                #module::#name::new(self.0.clone())
            }
        }
    });
    let allowed = versions.iter().map(|version| inception(group, version));
    let what = format!("Informers for `{}`.", group.name);
    let runtime = cx.runtime();
    let holder = emit_holder(&group_name(group), &what, quote!(#(#accessors)*));
    let module_docs = module_docs(&what);
    quote!(#module_docs #(#features #allowed pub mod #modules;)* use #runtime::informer; #holder)
}

/// ```text
/// #[derive(Clone, Debug)]
/// pub struct V1alpha1Informers(informer::SharedInformerFactory);
///
/// impl V1alpha1Informers {
///     pub fn virtual_machines(&self) -> VirtualMachineInformer { … }
/// }
///
/// pub type VirtualMachineInformer = informer::TypedInformer<api::VirtualMachine, listers::VirtualMachineLister>;
/// ```
fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let what = format!("Informers for `{}`.", api_version(group, version));
    let module_docs = module_docs(&what);
    let listers = cx
        .options
        .emits(Generator::Lister)
        .then(|| listers_import(cx, group, version));
    let imports = cx.imports_with(version, &["informer"], listers.as_slice());
    let accessors = informers(version).map(|resource| {
        let docs = docs(&format!("The informer for `{}`.", resource.plural));
        let (accessor, name) = (
            ident(&resource.accessor),
            kind_ident(version, resource, "Informer"),
        );
        let feature = cx.kind_feature(group, version, resource);
        quote! {
            #docs
            #feature
            #[inline]
            #[must_use]
            pub fn #accessor(&self) -> #name {
                #name::new(self.0.clone())
            }
        }
    });
    let holder = emit_holder(&version_name(version), &what, quote!(#(#accessors)*));
    let informers = informers(version).map(|resource| {
        let informer = emit_informer(cx, version, resource);
        cx.behind_kind(group, version, resource, informer)
    });
    quote!(#module_docs #imports #holder #(#informers)*)
}

/// A newtype around the runtime's factory with `methods`, in a file that imports `informer`.
fn emit_holder(name: &Ident, what: &str, methods: TokenStream) -> TokenStream {
    let docs = docs(what);
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name(informer::SharedInformerFactory);

        impl #name {
            /// The informers that `factory` holds.
            #[inline]
            #[must_use]
            pub fn new(factory: informer::SharedInformerFactory) -> Self {
                Self(factory)
            }

            #methods
        }
    }
}

/// ```ignore
/// pub type VirtualMachineInformer = informer::TypedInformer<api::VirtualMachine, listers::VirtualMachineLister>;
/// ```
///
/// If no listers are generated, the informer uses the runtime's lister.
fn emit_informer(cx: &Emit<'_>, version: &Version, resource: &Resource) -> TokenStream {
    let (kind, name) = (
        ident(&resource.root),
        kind_ident(version, resource, "Informer"),
    );
    let docs = docs(&format!(
        "The factory's informer for [`{root}`](api::{root}) objects, and its lister. Cloning is cheap.",
        root = resource.root
    ));
    let lister = cx.options.emits(Generator::Lister).then(|| {
        let lister = lister_name(version, resource);
        quote!(, listers::#lister)
    });
    quote! {
        #docs
        pub type #name = informer::TypedInformer<api::#kind #lister>;
    }
}

/// The import of the version's listers as `listers`.
fn listers_import(cx: &Emit<'_>, group: &Group, version: &Version) -> (String, &'static str) {
    let generated = cx.generated();
    let (group, version) = (ident(&group.module), ident(&version.module));
    (
        format!("{generated}::listers::{group}::{version}"),
        "listers",
    )
}
