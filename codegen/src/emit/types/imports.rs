//! Imports of a file: what its items name by one word, as far as no type of the version has that name.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::object::{WIDTH, fill};
use crate::{
    emit::{
        Emit,
        context::{ident, path},
    },
    model::{ExternalType, names},
};

/// Stands for the codec's module.
pub(crate) const CODEC: &str = "codec";

/// Stands for a module itself among the names that are imported from it.
const SELF: &str = "self";

/// Names of the prelude that types are written with, which no import may hide.
const PRELUDE: [&str; 5] = ["Box", "Default", "Option", "String", "Vec"];

/// The module of each type of a version.
pub(crate) type Homes<'a> = BTreeMap<&'a str, Arc<str>>;

/// The imports that the items of a file have asked for.
pub(crate) struct Imports<'a> {
    /// The module that the file is.
    module: &'a str,
    /// The version's own types, whose names come before any import.
    own: &'a Homes<'a>,
    k8s_openapi: String,
    codec: String,
    /// Modules with the names taken from each; `k8s_openapi` and [`CODEC`] stand for what they name wherever it is.
    asked: RefCell<BTreeMap<String, BTreeSet<String>>>,
    /// Types of the version's other modules.
    beside: RefCell<BTreeSet<String>>,
}

impl<'a> Imports<'a> {
    pub(crate) fn new(cx: &Emit<'_>, module: &'a str, own: &'a Homes<'a>) -> Self {
        Self {
            module,
            own,
            k8s_openapi: cx.k8s_openapi_path(),
            codec: cx.codec(),
            asked: RefCell::default(),
            beside: RefCell::default(),
        }
    }

    /// A name of the prelude, by its path where the version has a type of that name.
    pub(crate) fn prelude(&self, module: &str, name: &'static str) -> TokenStream {
        path(&self.prelude_path(module, name))
    }

    /// [`prelude`](Self::prelude) as text.
    pub(crate) fn prelude_path(&self, module: &str, name: &'static str) -> Cow<'static, str> {
        if self.own.contains_key(name) {
            format!("{module}::{name}").into()
        } else {
            name.into()
        }
    }

    /// A name of a module, imported unless the version has a type of that name, or another module's is imported.
    pub(crate) fn name(&self, module: &str, name: &str) -> TokenStream {
        path(&self.name_path(module, name))
    }

    /// [`name`](Self::name) as text.
    pub(crate) fn name_path(&self, module: &str, name: &str) -> String {
        let ident = names::ident(name);
        let mut asked = self.asked.borrow_mut();
        let is_imported = asked.get(module).is_some_and(|names| names.contains(name));
        if is_imported {
            return ident;
        }
        let mut others = asked.iter().filter(|(other, _)| *other != module);
        let is_taken = others.any(|(_, names)| names.contains(name));
        if is_taken || self.own.contains_key(name) || PRELUDE.contains(&name) {
            return format!("{}::{ident}", self.full(module));
        }
        let names = asked.entry(module.to_owned()).or_default();
        names.insert(name.to_owned());
        ident
    }

    /// A type from elsewhere, imported as [`name`](Self::name) does.
    pub(crate) fn external(&self, external: &ExternalType) -> String {
        let Some((name, module)) = external.segments.split_last() else {
            return String::new();
        };
        if module.is_empty() || !external.arguments.is_empty() {
            return external.to_string();
        }
        let module: Vec<&str> = module.iter().map(String::as_str).collect();
        let module = module.join("::");
        let global = if external.global { "::" } else { "" };
        self.name_path(&format!("{global}{module}"), name)
    }

    /// A type of the version, imported where another module has it.
    pub(crate) fn own(&self, name: &str) -> Ident {
        self.import_own(name);
        ident(name)
    }

    /// [`own`](Self::own) as text.
    pub(crate) fn own_path(&self, name: &str) -> String {
        self.import_own(name);
        names::ident(name)
    }

    fn import_own(&self, name: &str) {
        let home = self.own.get(name);
        let is_beside = home.is_some_and(|home| **home != *self.module);
        if is_beside && !self.beside.borrow().contains(name) {
            self.beside.borrow_mut().insert(name.to_owned());
        }
    }

    /// The codec's module, imported.
    pub(crate) fn codec(&self) -> TokenStream {
        self.asked
            .borrow_mut()
            .entry(CODEC.to_owned())
            .or_default()
            .insert(SELF.to_owned());
        quote!(codec)
    }

    fn full(&self, module: &str) -> String {
        match module.strip_prefix("k8s_openapi") {
            Some(rest) => format!("{}{rest}", self.k8s_openapi),
            None if module == CODEC => self.codec.clone(),
            None => module.to_owned(),
        }
    }

    /// The `use` items, sorted by path, laid out.
    pub(crate) fn emit(&self) -> String {
        let asked = self.asked.borrow();
        let modules: BTreeMap<String, &BTreeSet<String>> = asked
            .iter()
            .map(|(module, names)| (self.full(module), names))
            .collect();
        let mut text = String::new();
        for (module, names) in modules {
            let own = names.get(SELF).cloned();
            let others = names.iter().filter(|name| *name != SELF);
            let others = others.map(|name| names::ident(name));
            let names: Vec<String> = own.into_iter().chain(others).collect();
            match names.as_slice() {
                [name] if name == SELF => text.push_str(&format!("use {module};\n")),
                names => push_use(&mut text, &format!("use {module}"), names),
            }
        }
        let beside = self.beside.borrow();
        let beside: Vec<String> = beside.iter().map(|name| names::ident(name)).collect();
        push_use(&mut text, "use super", &beside);
        text
    }
}

/// Adds the `use` of names of a module, in as few lines as they take; nothing without names.
pub(crate) fn push_use(text: &mut String, module: &str, names: &[String]) {
    match names {
        [] => {}
        [name] => text.push_str(&format!("{module}::{name};\n")),
        names => {
            let line = format!("{module}::{{{}}};\n", names.join(", "));
            if line.trim_end().chars().count() <= WIDTH {
                text.push_str(&line);
            } else {
                text.push_str(&format!("{module}::{{\n"));
                let names = names.iter().map(|name| format!("{name},"));
                fill(text, "   ", &names.collect::<Vec<_>>(), "");
                text.push_str("};\n");
            }
        }
    }
}
