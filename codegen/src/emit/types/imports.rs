//! Imports of a file: what its items name by one word, as far as no type of the version has that name.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    emit::{
        Emit,
        context::{ident, path},
    },
    model::Version,
};

/// The imports that the items of a file have asked for.
pub(crate) struct Imports<'a> {
    /// Names of the version's own types, which come before any import.
    own: BTreeSet<&'a str>,
    k8s_openapi: String,
    /// Modules with the names taken from each; `k8s_openapi` stands for the crate wherever it is.
    asked: RefCell<BTreeMap<&'static str, BTreeSet<&'static str>>>,
}

impl<'a> Imports<'a> {
    pub(crate) fn new(cx: &Emit<'_>, version: &'a Version) -> Self {
        Self {
            own: version.types.iter().map(|def| def.name.as_str()).collect(),
            k8s_openapi: cx.k8s_openapi_path(),
            asked: RefCell::default(),
        }
    }

    /// A name of the prelude, by its path where the version has a type of that name.
    pub(crate) fn prelude(&self, module: &str, name: &'static str) -> TokenStream {
        let ident = ident(name);
        if self.own.contains(name) {
            let module = path(module);
            quote!(#module::#ident)
        } else {
            quote!(#ident)
        }
    }

    /// A name of a module, imported unless the version has a type of that name.
    pub(crate) fn name(&self, module: &'static str, name: &'static str) -> TokenStream {
        let ident = ident(name);
        if self.own.contains(name) {
            let module = path(&self.full(module));
            return quote!(#module::#ident);
        }
        self.asked
            .borrow_mut()
            .entry(module)
            .or_default()
            .insert(name);
        quote!(#ident)
    }

    fn full(&self, module: &str) -> String {
        match module.strip_prefix("k8s_openapi") {
            Some(rest) => format!("{}{rest}", self.k8s_openapi),
            None => module.to_owned(),
        }
    }

    /// The `use` items, sorted by path.
    pub(crate) fn emit(&self) -> TokenStream {
        let asked = self.asked.borrow();
        let modules: BTreeMap<String, &BTreeSet<&'static str>> = asked
            .iter()
            .map(|(module, names)| (self.full(module), names))
            .collect();
        let uses = modules.into_iter().map(|(module, names)| {
            let module = path(&module);
            let names: Vec<_> = names.iter().map(|name| ident(name)).collect();
            match names.as_slice() {
                [name] => quote!(use #module::#name;),
                _ => quote!(use #module::{#(#names),*};),
            }
        });
        quote!(#(#uses)*)
    }
}
