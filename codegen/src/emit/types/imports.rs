//! Imports of a file: names that its items use without a path, unless a type of the version has the same name.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    emit::{
        Emit,
        context::{ident, path},
    },
    model::{ExternalType, names},
};

/// The width to which lines are filled, the same as for the documentation of fields.
pub(super) const WIDTH: usize = 128;

/// Placeholder for the codec's module.
pub(crate) const CODEC: &str = "codec";

/// Placeholder for the module itself among the names imported from it.
const SELF: &str = "self";

/// Prelude names that generated types use, which no import may shadow.
const PRELUDE: [&str; 5] = ["Box", "Default", "Option", "String", "Vec"];

/// The module of each type of a version, by type name.
pub(crate) type Homes<'a> = BTreeMap<&'a str, Arc<str>>;

/// The imports that the items of a file have requested.
pub(crate) struct Imports<'a> {
    /// The file's module.
    module: &'a str,
    /// The version's own types, whose names take precedence over imports.
    own: &'a Homes<'a>,
    k8s_openapi: String,
    codec: String,
    /// The names imported from each module; `k8s_openapi` and [`CODEC`] stand for those modules wherever they are.
    asked: RefCell<BTreeMap<String, BTreeSet<String>>>,
    /// Types from other modules of the version.
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

    /// A prelude name, written as a path if the version has a type of that name.
    pub(crate) fn prelude(&self, module: &str, name: &'static str) -> TokenStream {
        path(&self.prelude_path(module, name))
    }

    /// [`prelude`](Self::prelude) as a string.
    pub(crate) fn prelude_path(&self, module: &str, name: &'static str) -> Cow<'static, str> {
        if self.own.contains_key(name) {
            format!("{module}::{name}").into()
        } else {
            name.into()
        }
    }

    /// A name from a module: imported, unless a type of the version or an import from another module has the same name.
    pub(crate) fn name(&self, module: &str, name: &str) -> TokenStream {
        path(&self.name_path(module, name))
    }

    /// [`name`](Self::name) as a string.
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

    /// An external type, imported as by [`name`](Self::name).
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

    /// A type of the version, imported if it is in another module.
    pub(crate) fn own(&self, name: &str) -> Ident {
        self.import_own(name);
        ident(name)
    }

    /// [`own`](Self::own) as a string.
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

    /// The `use` items, formatted and sorted by path.
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

/// Adds as many entries per line as fit, between `opening` and `closing`.
pub(super) fn fill(text: &mut String, opening: &str, entries: &[String], closing: &str) {
    text.push_str(opening);
    let mut width = opening.chars().count();
    for (index, entry) in entries.iter().enumerate() {
        let is_last = index + 1 == entries.len();
        let length = entry.chars().count() + if is_last { closing.len() } else { 0 };
        if index == 0 || width + 1 + length <= WIDTH {
            text.push(' ');
            width += 1 + length;
        } else {
            text.push_str("\n    ");
            width = 4 + length;
        }
        text.push_str(entry);
    }
    text.push_str(closing);
    text.push('\n');
}

/// Adds the `use` item for names of a module, on as few lines as possible; adds nothing without names.
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
