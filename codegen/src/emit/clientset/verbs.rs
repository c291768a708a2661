//! The verbs of a typed client: one of the runtime's sets if it fits, else a set for the resource.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    emit::context::docs,
    model::{CustomMethod, Resource, Verb, VerbSet},
};

/// The methods of a typed client: the second parameter of `client::TypedClient`.
pub(super) enum Verbs {
    /// Every verb, with status and scale: the default.
    All,
    /// A predefined set of the runtime's.
    Runtime(&'static str),
    /// A set generated for this resource.
    Own,
}

impl Verbs {
    /// The verbs of a resource, including those of its scale subresource.
    pub(super) fn of(resource: &Resource) -> Self {
        let is = |verbs: VerbSet| resource.verbs == verbs;
        let read_only = BTreeSet::from([Verb::Get, Verb::List, Verb::Watch]);
        match has_scale(resource) {
            true if is(VerbSet::all()) => Self::All,
            false if is(VerbSet::all()) => Self::Runtime("WithStatus"),
            false if is(VerbSet::without_status()) => Self::Runtime("NoStatus"),
            false if is(VerbSet(read_only)) => Self::Runtime("ReadOnly"),
            false if resource.verbs.0.is_empty() => Self::Runtime("NoVerbs"),
            _ => Self::Own,
        }
    }
}

/// ```ignore
/// #[derive(Clone, Copy, Debug)]
/// pub enum VirtualMachineVerbs {}
///
/// impl client::verbs::Create for VirtualMachineVerbs {}
/// impl client::verbs::Get for VirtualMachineVerbs {}
/// ```
pub(super) fn emit(name: &Ident, resource: &Resource) -> TokenStream {
    let verbs = resource.verbs.0.iter();
    let words: Vec<&str> = verbs.clone().map(|verb| verb.marker_name()).collect();
    let docs = docs(&format!(
        "The verbs of [`{}`]: {}.",
        resource.client_name,
        words.join(", ")
    ));
    let capabilities = verbs
        .map(|&verb| capability(verb))
        .chain(has_scale(resource).then(|| quote!(Scale)));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub enum #name {}

        #(impl client::verbs::#capabilities for #name {})*
    }
}

/// Whether the client has the runtime's methods for the scale subresource.
pub(super) fn has_scale(resource: &Resource) -> bool {
    let scale = CustomMethod::of_scale();
    scale.iter().all(|method| resource.methods.contains(method))
}

/// The methods of the runtime's client that the resource's verbs enable, in the order of the verbs.
pub(super) fn methods(resource: &Resource) -> Vec<&'static str> {
    let verbs = resource.verbs.0.iter().flat_map(|verb| match verb {
        Verb::Create => &["create"][..],
        Verb::Update => &["update"],
        Verb::UpdateStatus if resource.verbs.contains(Verb::Patch) => {
            &["update_status", "patch_status"]
        }
        Verb::UpdateStatus => &["update_status"],
        Verb::Delete => &["delete"],
        Verb::DeleteCollection => &["delete_collection"],
        Verb::Get => &["get", "get_opt"],
        Verb::List => &["list"],
        Verb::Watch => &["watch"],
        Verb::Patch => &["patch"],
        Verb::Apply => &["apply"],
        Verb::ApplyStatus => &["apply_status"],
    });
    let scale = has_scale(resource).then_some(["get_scale", "update_scale", "patch_scale"]);
    verbs.copied().chain(scale.into_iter().flatten()).collect()
}

/// The runtime trait that a set of verbs implements for the verb.
fn capability(verb: Verb) -> TokenStream {
    match verb {
        Verb::Create => quote!(Create),
        Verb::Update => quote!(Update),
        Verb::UpdateStatus => quote!(UpdateStatus),
        Verb::Delete => quote!(Delete),
        Verb::DeleteCollection => quote!(DeleteCollection),
        Verb::Get => quote!(Get),
        Verb::List => quote!(List),
        Verb::Watch => quote!(Watch),
        Verb::Patch => quote!(Patch),
        Verb::Apply => quote!(Apply),
        Verb::ApplyStatus => quote!(ApplyStatus),
    }
}
