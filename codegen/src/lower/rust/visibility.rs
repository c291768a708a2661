//! Visibility of types to generated code, which is in a module of the version, next to the
//! handwritten ones.

use super::{Cx, at_item, resolve::Resolved};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::RustItem,
    read::{
        markers::{
            Marker,
            object::{DeepCopyGen, ObjectGenerate},
        },
        rust::{Body, Field, Item},
    },
};

/// The traits that are in scope in every module.
#[rustfmt::skip]
const PRELUDE_TRAITS: [&str; 29] = [
    "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Clone", "Copy", "Default",
    "DoubleEndedIterator", "Drop", "Eq", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce",
    "From", "FromIterator", "Into", "IntoIterator", "Iterator", "Ord", "PartialEq", "PartialOrd",
    "Send", "Sized", "Sync", "ToString", "Unpin",
];

impl Cx<'_> {
    /// Returns the modules through which generated code refers to a type: those that contain it, or
    /// none if mod.rs exports it from private modules.
    pub(super) fn seen_module(&self, item: &Item) -> Vec<String> {
        let module = self.module(item);
        if self.private_module(&module).is_some() && self.is_exported(item) {
            Vec::new()
        } else {
            let of_crate = self.package.modules.crate_of(&module).len();
            module.into_iter().skip(of_crate).collect()
        }
    }

    /// Whether the type is visible under its own name in the version's module.
    pub(super) fn is_exported(&self, item: &Item) -> bool {
        let index = self.by_key.get(self.key(item));
        index.is_some_and(|&index| self.resolver.is_exported(index))
    }

    /// Returns the first module on a path that is visible only to its parent. The version's own
    /// module is visible to everything in it.
    fn private_module<'m>(&self, path: &'m [String]) -> Option<&'m [String]> {
        (2..=path.len())
            .map(|depth| &path[..depth])
            .find(|path| !self.is_visible(path))
    }

    fn is_visible(&self, path: &[String]) -> bool {
        let Some((name, parent)) = path.split_last() else {
            return true;
        };
        let modules = &self.package.modules;
        let is_declared = modules.at(parent).any(|module| {
            let mut declared = module.declared.iter();
            declared.any(|d| d.name == *name && d.visible)
        });
        is_declared || modules.at(path).any(|it| !it.from_file && it.visible)
    }

    /// Returns the `cfg` predicates of a type, starting with those of its modules.
    pub(super) fn conditions(&self, item: &Item) -> Vec<String> {
        let path = self.module(item);
        let modules = &self.package.modules;
        let mut found: Vec<String> = Vec::new();
        for depth in 1..=path.len() {
            for parent in modules.at(&path[..depth - 1]) {
                let declared = parent.declared.iter().filter(|d| d.name == path[depth - 1]);
                found.extend(declared.flat_map(|declared| declared.cfg.iter().cloned()));
            }
            let own = modules.at(&path[..depth]);
            found.extend(own.flat_map(|module| module.cfg.iter().cloned()));
        }
        found.extend(item.cfg.iter().cloned());
        found
    }

    /// Checks that generated code can access a type and its fields, and that a root can be cloned.
    pub(super) fn check_access(
        &self,
        item: &Item,
        generated: &RustItem,
        diagnostics: &mut Diagnostics,
    ) {
        let is_alias = matches!(item.body, Body::Alias(_));
        let clone = generated.clone_is_generated();
        if is_alias || generated.kube_derive || !(clone || generated.object) {
            return;
        }
        self.check_has_clone(item, generated, diagnostics);
        let otherwise = if generated.object {
            ""
        } else {
            ", derive Clone, or mark it `+k8s:deepcopy-gen=false`"
        };
        let conditional = used_fields(item, generated).filter(|field| field.conditional);
        let conditional = conditional.map(|field| &field.place);
        let message = format!(
            "parts of `{}` are conditional, so no code can be generated for it",
            item.name
        );
        let help = format!("remove the condition{otherwise}");
        report(
            (message, "under a condition", help),
            conditional.chain(conditional_variants(item, generated)),
            diagnostics,
        );
        if clone {
            self.check_bounds(item, diagnostics);
        }
        if !self.module(item).is_empty() {
            self.check_visible(item, generated, otherwise, diagnostics);
        }
    }

    /// Checks that code in other modules can name a type and its fields; `otherwise` is what else
    /// helps.
    fn check_visible(
        &self,
        item: &Item,
        generated: &RustItem,
        otherwise: &str,
        diagnostics: &mut Diagnostics,
    ) {
        if !item.visible {
            let message = format!(
                "`{}` is private to its module, so no code can be generated for it",
                item.name
            );
            let error = at_item(item, message, "private");
            diagnostics.push(error.help(format!("make it `pub`{otherwise}")));
            return;
        }
        // An unexported root is reported separately, and exports by macros are not visible here.
        let private = self.private_module(&generated.module);
        if let Some(private) = private.filter(|_| !self.is_root(item) && !self.package.has_macros) {
            let message = format!(
                "`{}` is in a private module, so no code can be generated for it",
                item.name
            );
            let private = private.join("::");
            diagnostics.push(
                at_item(item, message, format!("`{private}` is private"))
                    .help(format!("export it from mod.rs with `pub use`{otherwise}")),
            );
        }
        let private = used_fields(item, generated).filter(|field| !field.visible);
        let message = format!(
            "fields of `{}` are private to their module, so no code can be generated for it",
            item.name
        );
        let error = (message, "private", format!("make them `pub`{otherwise}"));
        report(error, private.map(|field| &field.place), diagnostics);
    }

    /// Checks trait bounds, which generated code repeats outside of the module that imports the
    /// traits.
    fn check_bounds(&self, item: &Item, diagnostics: &mut Diagnostics) {
        for bound in item.generics.bounds.iter().filter(|bound| !bound.global) {
            let written = bound.segments.join("::");
            let module = self.module(item);
            let meaning = self.resolver.resolve(item.module, &bound.segments);
            let whole = match meaning {
                Resolved::External(path) if path != bound.segments => Some(path.join("::")),
                _ if self.is_seen_everywhere(&module, &bound.segments) => continue,
                _ => None,
            };
            let whole = whole.filter(|path| !is_relative(path));
            diagnostics.push(
                Diagnostic::error(format!(
                    "generated code cannot see `{written}`, which bounds a parameter of `{}`",
                    item.name
                ))
                .at(bound.place.clone(), "visible only in this module")
                .help(match whole {
                    Some(path) => format!("write `{path}`"),
                    None => "write its full path, starting with `crate::`".to_owned(),
                }),
            );
        }
    }

    /// Whether a path that does not start with an import of the module resolves to the same item in
    /// every module.
    fn is_seen_everywhere(&self, module: &[String], segments: &[String]) -> bool {
        match segments {
            [name] => PRELUDE_TRAITS.contains(&name.as_str()),
            [first, ..] => {
                let mut modules = self.package.modules.iter();
                let is_child = modules.any(|m| m.path.split_last() == Some((first, module)));
                !is_relative(first) && !is_child
            }
            [] => true,
        }
    }

    /// Checks that objects implement `Clone`, which is always needed. If their markers do not
    /// request it, the author must provide it.
    fn check_has_clone(&self, item: &Item, generated: &RustItem, diagnostics: &mut Diagnostics) {
        // The output of macros is not visible here.
        let has_clone = generated.has("Clone") || !generated.clone_if.is_empty();
        if generated.deepcopy || has_clone || self.package.has_macros {
            return;
        }
        let message = format!("`{}` is an API object without Clone", item.name);
        let against =
            |marker: &&Marker| marker.is::<DeepCopyGen>() || marker.is::<ObjectGenerate>();
        let mut missing = at_item(item, message, "an API object");
        if let Some(marker) = item.markers.0.iter().find(against) {
            missing = missing.at(marker.place.clone(), "disables it");
        }
        diagnostics.push(missing.help("remove the marker, or derive Clone"));
    }
}

/// Whether a path is relative to its module.
fn is_relative(path: &str) -> bool {
    matches!(path.split("::").next(), Some("self" | "super"))
}

/// Returns the fields that generated code reads or sets; those of an enum belong to its variants.
fn used_fields<'a>(item: &'a Item, generated: &RustItem) -> impl Iterator<Item = &'a Field> {
    let fields = match &item.body {
        Body::Struct(fields) => fields.fields.as_slice(),
        _ => &[],
    };
    // Cloning a `Copy` type does not access its fields.
    let cloned = generated.clone_is_generated() && !generated.has("Copy");
    let on_wire = generated.object && !(generated.has("Serialize") && generated.has("Deserialize"));
    let is_used = move |field: &&Field| cloned || on_wire || field.name == "metadata";
    fields.iter().filter(is_used)
}

/// Returns the conditional variants, and conditional fields of variants, that generated code refers
/// to.
fn conditional_variants<'a>(
    item: &'a Item,
    generated: &RustItem,
) -> impl Iterator<Item = &'a Place> {
    let variants = match &item.body {
        Body::Enum(variants) if !generated.has("Copy") => variants.as_slice(),
        _ => &[],
    };
    variants.iter().flat_map(|variant| {
        let fields = variant.fields.fields.iter();
        let fields = fields.filter(|field| field.conditional).map(|f| &f.place);
        let own = variant.conditional.then_some(&variant.place);
        own.into_iter().chain(fields)
    })
}

/// Reports places that generated code cannot access, if any.
fn report<'a>(
    (message, label, help): (String, &str, String),
    places: impl Iterator<Item = &'a Place>,
    diagnostics: &mut Diagnostics,
) {
    let mut places = places.peekable();
    if places.peek().is_some() {
        let error = Diagnostic::error(message).help(help);
        diagnostics.push(places.fold(error, |error, place| error.at(place.clone(), label)));
    }
}
