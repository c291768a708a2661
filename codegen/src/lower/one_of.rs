//! Checks `+kubebuilder:validation:ExactlyOneOf` and related markers: their fields must exist and
//! be optional.

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{Field, StructDef, TypeKind},
    read::markers::{
        At, MarkerSet,
        rules::{AtLeastOneOf, AtMostOneOf, ExactlyOneOf},
    },
    suggest,
};

/// Checks that the fields listed in a struct's markers are its own and optional.
pub(super) fn check(markers: &MarkerSet, kind: &TypeKind, diagnostics: &mut Diagnostics) {
    let TypeKind::Struct(def) = kind else {
        return;
    };
    for list in lists(markers) {
        for name in &list.value {
            if let Some(error) = check_member(def, name, &list) {
                diagnostics.push(error);
            }
        }
    }
}

fn lists(markers: &MarkerSet) -> impl Iterator<Item = At<Vec<String>>> {
    let most = markers
        .all::<AtMostOneOf>()
        .map(|found| found.marker.fields);
    let exactly = markers
        .all::<ExactlyOneOf>()
        .map(|found| found.marker.fields);
    let least = markers
        .all::<AtLeastOneOf>()
        .map(|found| found.marker.fields);
    most.chain(exactly).chain(least)
}

fn check_member(def: &StructDef, name: &str, list: &At<Vec<String>>) -> Option<Diagnostic> {
    let error = |message: String, label: &str| {
        Diagnostic::error(message).at(list.part(name), label.to_owned())
    };
    if name.contains('.') {
        let message = format!("invalid field `{name}`: expected a field of this struct");
        let help = "put the marker above the struct that has the fields";
        return Some(error(message, "a path").help(help));
    }
    let on_wire = || def.fields.iter().filter(|field| !field.skip);
    let Some(field) = on_wire().find(|field| !field.flatten && field.json_name == name) else {
        return unknown(on_wire, name, error);
    };
    field.required.then(|| {
        error(format!("the field `{name}` is required"), "always set")
            .help("make it optional, or remove it from the list")
    })
}

/// Reports an unknown field name; does nothing if a flattened type may have the field.
fn unknown<'a, I: Iterator<Item = &'a Field>>(
    on_wire: impl Fn() -> I,
    name: &str,
    error: impl Fn(String, &str) -> Diagnostic,
) -> Option<Diagnostic> {
    if on_wire().any(|field| field.flatten) {
        return None;
    }
    let unknown = error(
        format!("unknown field `{name}`"),
        "not a field of this struct",
    );
    let names = on_wire().map(|field| field.json_name.as_str());
    Some(match suggest::closest(name, names) {
        Some(near) => unknown.help(format!("did you mean `{near}`?")),
        None => unknown.help("write the field's JSON name"),
    })
}
