//! Additional derives and attributes from the options.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;

use super::units;
use crate::{
    diag::{Diagnostic, Diagnostics},
    emit::{Emit, context::path},
    model::{ApiSet, TypeDef, TypeKind},
    options::{Options, TypeAttributes},
    suggest::closest,
};

/// Whether a type can have derives and attributes; aliases cannot.
fn takes_attributes(def: &TypeDef) -> bool {
    !matches!(def.kind, TypeKind::Alias(_)) && def.marshals.is_none()
}

/// The derives and attributes that the options specify for a type.
fn wanted<'a>(cx: &Emit<'a>, def: &TypeDef) -> impl Iterator<Item = &'a TypeAttributes> {
    let all = cx.options.types.attributes.iter();
    all.filter(move |attributes| takes_attributes(def) && attributes.types.matches(&def.name))
}

/// The additional derives of a type, without those in `own` and without duplicates.
pub(super) fn derives(cx: &Emit<'_>, def: &TypeDef, own: &[&str]) -> Vec<TokenStream> {
    let mut known: BTreeSet<&str> = own.iter().copied().collect();
    wanted(cx, def)
        .flat_map(|attributes| &attributes.derives)
        .filter(|derive| known.insert(last(derive)))
        .map(|derive| path(derive))
        .collect()
}

/// The additional attributes of a type.
pub(super) fn attributes(cx: &Emit<'_>, def: &TypeDef) -> TokenStream {
    wanted(cx, def)
        .flat_map(|attributes| &attributes.attributes)
        .map(|attribute| path(attribute))
        .collect()
}

/// Whether the type derives `schemars::JsonSchema`, which depends on serde attributes.
pub(super) fn derives_schema(cx: &Emit<'_>, def: &TypeDef) -> bool {
    let mut derives = wanted(cx, def).flat_map(|attributes| &attributes.derives);
    cx.options.schemars || derives.any(|derive| last(derive) == "JsonSchema")
}

/// The last segment of a path.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// Warns about patterns that match no type, and suggests the nearest name.
pub(crate) fn warn(api: &ApiSet, options: &Options, warnings: &mut Diagnostics) {
    let cx = Emit { api, options };
    let names: BTreeSet<&str> = units(&cx)
        .flat_map(|unit| unit.types)
        .filter(|def| takes_attributes(def))
        .map(|def| def.name.as_str())
        .collect();
    for attributes in &options.types.attributes {
        let pattern = &attributes.types;
        if names.iter().any(|name| pattern.matches(name)) {
            continue;
        }
        let message = format!("no generated type has the name `{pattern}`");
        let help = match closest(&pattern.stem(), names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`kube-codegen inspect` lists the types".to_owned(),
        };
        let mut warning = Diagnostic::warning(message).help(help);
        if let Some(place) = attributes.declared.place() {
            warning = warning.at(place.clone(), "");
        }
        warnings.push(warning);
    }
}
