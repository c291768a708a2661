//! The types from CRDs and their module files: `apis/mod.rs`, and one for each group and version.
//!
//! For hand-written types, these files belong to the user.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, by_group, ident, module_docs},
    deepcopy, register, types,
};
use crate::{
    generator::{Generator, Home},
    model::{Group, TypePackage, Version, names},
    output::format::{Code, Items},
};

/// Emits the types of every version that comes from CRDs or Go, below their module files.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    emit_modules(cx, files);
    types::emit(cx, files);
}

/// Emits the module files down to the version level.
fn emit_modules<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let groups = by_group(
        cx.api
            .versions()
            .filter(|(_, version)| version.origin.emits_types()),
    );
    if groups.is_empty() {
        return;
    }
    let packages = &cx.api.packages;
    let members: Vec<&Group> = groups.iter().map(|(group, _)| *group).collect();
    files.rust("apis/mod.rs", move || {
        let features = members.iter().map(|group| cx.feature(group));
        let modules = members.iter().map(|group| ident(&group.module));
        let others = packages.iter().map(|package| ident(&package.module));
        let codec = types::has_codec(cx).then(|| {
            quote!(
                mod codec;
            )
        });
        let made = cx.generated_by();
        let version = least_kubernetes_version(cx);
        let allow = types::allow(cx);
        let docs = module_docs(if types::have_open_enum(cx) {
            "Types, by group and version.\n\n`Unrecognized` is a value that a schema does not list, such as one of a newer API server."
        } else {
            "Types, by group and version."
        });
        quote! {
            #allow
            #docs
            #made
            #version
            #codec
            #(#features pub mod #modules;)*
            #(pub mod #others;)*
        }
    });
    for package in packages {
        files.rust(format!("{}/mod.rs", package.dir), || {
            emit_package(cx, package)
        });
    }
    for (group, versions) in groups {
        for &version in &versions {
            files.rust(format!("{}/mod.rs", version.dir), || {
                emit_version(cx, group, version)
            });
        }
        files.rust(format!("apis/{}/mod.rs", group.module), move || {
            let docs = module_docs(&format!("Types of `{}`.", group.name));
            let features = versions
                .iter()
                .map(|version| cx.version_feature(group, version));
            let modules = versions.iter().map(|version| ident(&version.module));
            quote!(#docs #(#features pub mod #modules;)*)
        });
    }
}

/// ```ignore
/// ::k8s_openapi::k8s_if_le_1_35! {
///     compile_error!("…");
/// }
/// ```
///
/// A `compile_error!` for k8s-openapi features older than the configured version. Without it, missing fields would be reported
/// instead.
fn least_kubernetes_version(cx: &Emit<'_>) -> Option<TokenStream> {
    let version = cx.options.kubernetes_version?;
    let earlier = version.previous()?;
    let k8s_openapi = cx.k8s_openapi();
    let condition = ident(&format!("k8s_if_le_{}", &earlier.feature()[1..]));
    let message = format!(
        "these types were generated for Kubernetes {version} and later (kubernetes-version): enable the feature `{}` of k8s-openapi, or that of a later version, instead of an earlier one",
        version.feature()
    );
    Some(quote! {
        #k8s_openapi::#condition! {
            compile_error!(#message);
        }
    })
}

/// Emits the module file of a Go package, whose types are in its submodules.
fn emit_package(cx: &Emit<'_>, package: &TypePackage) -> Code {
    let docs = module_docs(&format!(
        "Types of the Go package `{}`.",
        package.import_path
    ));
    let files = types::modules(types::Unit::of_package(package)).into_keys();
    let files: Vec<String> = files.collect();
    let modules = files.iter().map(|module| ident(module));
    let mut items = Items::default();
    items.push_text(&globs(cx, &files));
    Code {
        tokens: quote!(#docs #(mod #modules;)*),
        items,
        ..Code::default()
    }
}

/// `pub use self::{a::*, b::*};`
fn globs(cx: &Emit<'_>, modules: &[String]) -> String {
    let modules = modules.iter().map(|module| names::ident(module) + "::*");
    let mut text = String::new();
    let exported = format!("{} use self", cx.visibility());
    types::push_use(&mut text, &exported, &modules.collect::<Vec<_>>());
    text
}

/// ```ignore
/// //! Types of `cloudnative.czs/v1alpha1`.
///
/// mod virtual_machine;
/// pub mod zz_generated_register;
///
/// pub use self::{common::*, virtual_machine::*};
/// pub use self::zz_generated_register::{GROUP_NAME, VERSION, add_to_scheme, group_version, kind, resource};
///
/// ::codegen_runtime::codec::kinds! {
///     "cloudnative.czs" / "v1alpha1";
///     VirtualMachine, "virtualmachines", NamespaceResourceScope, pub new(VirtualMachineSpec);
/// }
/// ```
fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> Code {
    let docs = module_docs(&format!("Types of `{}`.", api_version(group, version)));
    let list = deepcopy::kinds(cx, group, version);
    let is_listed = |generator| generator == Generator::Deepcopy && list.is_some();
    let generated = Generator::ALL.into_iter().filter_map(|generator| {
        let Home::Beside { module, public } = generator.definition().home else {
            return None;
        };
        let module = ident(module);
        let public = public.then(|| quote!(pub));
        let has_file = cx.options.emits(generator) && !is_listed(generator);
        has_file.then(|| quote!(#public mod #module;))
    });
    let register = cx
        .options
        .emits(Generator::Register)
        .then(register::reexport);
    let modules = types::modules(types::Unit::of_version(version)).into_keys();
    let modules: Vec<String> = modules.collect();
    let kinds = types::kinds_of_modules(version);
    let features = modules
        .iter()
        .map(|module| cx.kind_feature(group, version, kinds.get(module)?));
    let features: Vec<_> = features.collect();
    let idents: Vec<_> = modules.iter().map(|module| ident(module)).collect();
    let declarations = idents.iter().zip(&features);
    let declarations = declarations.map(|(module, feature)| quote!(#feature mod #module;));
    let tokens = quote! {
        #docs
        #(#declarations)*
        #(#generated)*
    };
    let mut items = Items::default();
    if features.iter().any(Option::is_some) {
        items.push(cx.visible(quote!(#(#features pub use self::#idents::*;)*)));
    } else {
        items.push_text(&globs(cx, &modules));
    }
    items.push(cx.visible(quote!(#register)));
    items.push_text(&list.unwrap_or_default());
    Code {
        tokens,
        items,
        ..Code::default()
    }
}
