//! The typed client of a resource, in its version's module: an alias of the runtime's client with the resource's verbs.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{methods, verbs, verbs::Verbs};
use crate::{
    emit::{
        Emit,
        context::{docs, ident, kind_ident},
    },
    model::{CustomMethod, Resource, Verb, Version, names},
};

/// The names in use in a version's module. Client names are reserved; conflicting other items are renamed or left out.
pub(super) struct Taken(BTreeSet<Ident>);

impl Taken {
    pub(super) fn of(version: &Version, version_client: &Ident) -> Self {
        let clients = super::clients(version).map(|resource| ident(&resource.client_name));
        Self(clients.chain([version_client.clone()]).collect())
    }

    /// The name, if it is free.
    fn free(&mut self, name: Ident) -> Option<Ident> {
        self.0.insert(name.clone()).then_some(name)
    }
}

/// Emits all items of a resource.
pub(super) fn emit(
    cx: &Emit<'_>,
    version: &Version,
    resource: &Resource,
    taken: &mut Taken,
) -> TokenStream {
    let verbs = Verbs::of(resource);
    let (set, own) = match verbs {
        Verbs::All => (None, None),
        Verbs::Runtime(name) => {
            let name = ident(name);
            (Some(quote!(client::verbs::#name)), None)
        }
        Verbs::Own => {
            let name = own_verbs(version, resource, taken);
            let own = verbs::emit(&name, resource);
            (Some(quote!(#name)), Some(own))
        }
    };
    let kind = ident(&resource.root);
    let set = set.map(|set| quote!(, #set));
    let client = quote!(client::TypedClient<api::#kind #set>);
    let methods: Vec<_> = custom_methods(resource).collect();
    let client = if methods.is_empty() {
        emit_name(resource, &client)
    } else {
        emit_newtype(cx, resource, &client, &methods)
    };
    let list = emit_list(resource, taken);
    quote!(#client #list #own)
}

/// Whether the resource's client is a newtype around the runtime's.
pub(super) fn is_newtype(resource: &Resource) -> bool {
    custom_methods(resource).next().is_some()
}

/// The methods that the runtime's client lacks.
fn custom_methods(resource: &Resource) -> impl Iterator<Item = &CustomMethod> {
    let known = if verbs::has_scale(resource) {
        CustomMethod::of_scale()
    } else {
        Vec::new()
    };
    let methods = resource.methods.iter();
    methods.filter(move |method| !known.contains(method))
}

/// `VirtualMachineVerbs`, with underscores appended while the name is taken.
fn own_verbs(version: &Version, resource: &Resource, taken: &mut Taken) -> Ident {
    let mut suffix = "Verbs".to_owned();
    loop {
        if let Some(name) = taken.free(kind_ident(version, resource, &suffix)) {
            return name;
        }
        suffix.push('X');
    }
}

/// ```ignore
/// /// Verbs, as methods of [`TypedClient`](client::TypedClient): …
/// pub type VirtualMachines = client::TypedClient<api::VirtualMachine, client::verbs::WithStatus>;
/// ```
fn emit_name(resource: &Resource, client: &TokenStream) -> TokenStream {
    let (docs, name) = (client_docs(resource), ident(&resource.client_name));
    quote! {
        #docs
        pub type #name = #client;
    }
}

fn client_docs(resource: &Resource) -> TokenStream {
    let about = format!(
        "Client for [`{root}`](api::{root}) objects. Cloning is cheap.",
        root = resource.root
    );
    let methods = verbs::methods(resource);
    if methods.is_empty() {
        return docs(&about);
    }
    docs(&format!(
        "{about}\n\nVerbs, as methods of [`TypedClient`](client::TypedClient):\n`{}`.",
        methods.join("`, `")
    ))
}

/// ```text
/// #[derive(Clone, Debug)]
/// pub struct VirtualMachines(client::TypedClient<api::VirtualMachine, client::verbs::WithStatus>);
///
/// impl VirtualMachines {
///     pub async fn restart(&self, …) -> client::Result<api::VirtualMachine> { … }
/// }
///
/// impl From<client::TypedClient<…>> for VirtualMachines { … }
///
/// impl Deref for VirtualMachines {
///     type Target = client::TypedClient<…>;
/// }
/// ```
fn emit_newtype(
    cx: &Emit<'_>,
    resource: &Resource,
    client: &TokenStream,
    methods: &[&CustomMethod],
) -> TokenStream {
    let (docs, name) = (client_docs(resource), ident(&resource.client_name));
    let methods = methods::emit(cx, resource, methods);
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name(#client);

        impl #name {
            #methods
        }

        impl ::core::convert::From<#client> for #name {
            #[inline]
            fn from(client: #client) -> Self {
                Self(client)
            }
        }

        impl ::core::ops::Deref for #name {
            type Target = #client;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    }
}

/// ```ignore
/// pub type VirtualMachineList = kube::api::ObjectList<api::VirtualMachine>;
/// ```
fn emit_list(resource: &Resource, taken: &mut Taken) -> Option<TokenStream> {
    if !resource.verbs.contains(Verb::List) {
        return None;
    }
    let name = taken.free(ident(&names::upper_camel(&resource.list_kind)))?;
    let kind = ident(&resource.root);
    let docs = docs(&format!(
        "A list of [`{root}`](api::{root}) objects.",
        root = resource.root
    ));
    Some(quote! {
        #docs
        pub type #name = kube::api::ObjectList<api::#kind>;
    })
}
