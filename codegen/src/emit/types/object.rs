//! serde of structs: the list of a struct's fields, for the codec's macro.
//!
//! ```text
//! codec::object! {
//!     VirtualMachineSpec, required image, optional resource, optional run_policy = "runPolicy"
//! }
//! ```
//!
//! `#[derive(Serialize, Deserialize)]` costs rustc about ten times as much, and is left to types that derive `JsonSchema`, which
//! reads serde's attributes.

use std::iter;

use proc_macro2::Ident;

use super::{
    FileContext,
    default::{function_ident, has_blank, honoured},
};
use crate::{
    emit::{
        context::ident,
        serde_attributes::{Presence, Wire, is_plain_go, may_be_null, uses_codec},
    },
    model::{Field, StructDef, TypeDef, TypeKind, UnknownFields},
};

/// The width that lines are filled to.
const WIDTH: usize = 100;

/// The list of a struct's fields, laid out.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> Option<String> {
    let TypeKind::Struct(body) = &def.kind else {
        return None;
    };
    if !scope.unit.is_listed(scope.cx, def) {
        return None;
    }
    Some(call(scope, "object", &entries(scope, def, body)))
}

/// The call of a macro of the codec, laid out.
pub(super) fn call(scope: &FileContext<'_>, name: &str, entries: &[String]) -> String {
    let codec = scope.imports.codec();
    let line = format!("{codec}::{name}! {{ {} }}\n", entries.join(", "));
    if line.chars().count() <= WIDTH + 1 {
        return line;
    }
    let mut text = format!("{codec}::{name}! {{\n");
    fill(&mut text, entries);
    text.push_str("}\n");
    text
}

/// The struct's name, its fields, and the map of what it does not name.
fn entries(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef) -> Vec<String> {
    let is_root = scope.unit.is_root(def);
    let fields = body.fields.iter().map(|field| {
        let mode = match mode(field) {
            // The items of a list may come without.
            "required" if is_root && field.json_name == "metadata" => "defaulted",
            mode => mode,
        };
        let name = ident(&field.rust_name);
        let mut entry = format!("{mode} {}", named(&name, &field.json_name));
        if honoured(field) {
            entry.push_str(&format!(" or {}", function_ident(field)));
        }
        entry
    });
    let unknown = match body.unknown_fields {
        UnknownFields::Kept(_) => Some("..unknown_fields".to_owned()),
        UnknownFields::Pruned => None,
    };
    let mut name = ident(&def.name).to_string();
    if is_root {
        name.push_str(" as kind");
    }
    if has_blank(scope.cx, scope.unit, def) {
        name.push_str(" from blank");
    }
    iter::once(name).chain(fields).chain(unknown).collect()
}

/// A field or variant with its name in JSON, unless that is its own.
pub(crate) fn named(own: &Ident, in_json: &str) -> String {
    if *own == in_json {
        return in_json.to_owned();
    }
    format!("{own} = {in_json:?}")
}

/// Lines of as many entries as fit.
fn fill(text: &mut String, entries: &[String]) {
    let mut width = 0;
    for (index, entry) in entries.iter().enumerate() {
        let length = entry.chars().count() + 1;
        let is_first = index == 0;
        if !is_first && width + 1 + length <= WIDTH {
            text.push(' ');
            width += 1 + length;
        } else {
            text.push_str(if is_first { "    " } else { "\n    " });
            width = 4 + length;
        }
        text.push_str(entry);
        if index + 1 < entries.len() {
            text.push(',');
        }
    }
    text.push('\n');
}

/// The method of the codec's reader and writer for a field.
fn mode(field: &Field) -> &'static str {
    let missing_is_default = honoured(field) || is_plain_go(field);
    let of_wire = |[serde, encoded, sparse]: [&'static str; 3]| match Wire::of(field) {
        Wire::Serde => serde,
        Wire::Encoded => encoded,
        Wire::Sparse => sparse,
    };
    of_wire(match Presence::of(field) {
        Presence::Required if may_be_null(field) => ["filled"; 3],
        Presence::Required if !missing_is_default => {
            ["required", "required_encoded", "required_sparse"]
        }
        Presence::Required | Presence::RequiredNullable => {
            ["defaulted", "defaulted_encoded", "defaulted_sparse"]
        }
        Presence::Optional => {
            let serde = if uses_codec(field) {
                "nullable"
            } else {
                "optional"
            };
            [serde, "optional_encoded", "optional_sparse"]
        }
        Presence::OptionalNullable => ["nullable", "nullable_encoded", "nullable_sparse"],
        // Go's alone, whose types are never sparse.
        Presence::Omittable => ["omittable", "omittable_encoded", "omittable_encoded"],
    })
}
