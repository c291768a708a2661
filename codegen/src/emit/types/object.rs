//! serde of structs: the list of a struct's fields, for the codec's macro.
//!
//! ```text
//! codec::object! { VirtualMachineSpec; required image; optional run_policy, pod_cidr = "podCIDR" }
//! ```
//!
//! A mode such as `required` precedes the first field it applies to. Fields are listed, and serialized, in the order of the
//! struct.
//!
//! `#[derive(Serialize, Deserialize)]` takes rustc about ten times as long, so it is only used for types that derive
//! `JsonSchema`, which depends on serde attributes.

use proc_macro2::Ident;

use super::{
    FileContext,
    default::{function_ident, has_blank, honoured},
    imports::fill,
};
use crate::{
    emit::{
        context::ident,
        serde_attributes::{Presence, Wire, is_plain_go, may_be_null, uses_codec},
    },
    model::{Field, StructDef, TypeDef, TypeKind, UnknownFields, names},
};

/// The macro call with a struct's fields, formatted.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> Option<String> {
    let TypeKind::Struct(body) = &def.kind else {
        return None;
    };
    if !scope.unit.is_listed(scope.cx, def) {
        return None;
    }
    Some(call(scope, "object", &entries(scope, def, body)))
}

/// A call of one of the codec's macros, formatted; entries include their separators.
pub(super) fn call(scope: &FileContext<'_>, name: &str, entries: &[String]) -> String {
    let codec = scope.imports.codec();
    let mut text = String::new();
    fill(&mut text, &format!("{codec}::{name}! {{"), entries, " }");
    text
}

/// The entries, separated by commas.
pub(super) fn listed(mut entries: Vec<String>) -> Vec<String> {
    if let Some((_, others)) = entries.split_last_mut() {
        others.iter_mut().for_each(|entry| entry.push(','));
    }
    entries
}

/// The struct's name, its fields, and the map of unknown fields.
fn entries(scope: &FileContext<'_>, def: &TypeDef, body: &StructDef) -> Vec<String> {
    let is_root = scope.unit.is_root(def);
    let mut name = ident(&def.name).to_string();
    if is_root {
        name.push_str(" as kind");
    }
    if has_blank(scope.cx, scope.unit, def) {
        name.push_str(" from blank");
    }
    let mut entries = Vec::new();
    let mut last = name;
    let mut before = "";
    for field in &body.fields {
        let mode = match mode(field) {
            // Items of a list may have no metadata.
            "required" if is_root && field.json_name == "metadata" => "defaulted",
            mode => mode,
        };
        let mut entry = names::ident(&field.rust_name);
        if !is_camel_case(&field.json_name, &entry) {
            entry.push_str(&format!(" = {}", literal(&field.json_name)));
        }
        if honoured(field) {
            entry.push_str(&format!(" or {}", function_ident(field)));
        }
        if mode == before {
            entries.push(last + ",");
            last = entry;
        } else {
            entries.push(last + ";");
            last = format!("{mode} {entry}");
            before = mode;
        }
    }
    if let UnknownFields::Kept(_) = body.unknown_fields {
        entries.push(last + ";");
        last = "..unknown_fields".to_owned();
    }
    entries.push(last);
    entries
}

/// A variant or kind, with its JSON name if that differs.
pub(crate) fn named(own: &Ident, in_json: &str) -> String {
    if *own == in_json {
        return in_json.to_owned();
    }
    format!("{own} = {in_json:?}")
}

/// The literal of a property's name. The codec uses U+0000 between names, and before an equals sign within a name.
pub(crate) fn literal(property: &str) -> String {
    format!("{:?}", property.replace('\0', "\0="))
}

/// Whether a property's name is the camel case of its field's name, as computed by the codec.
pub(crate) fn is_camel_case(property: &str, field: &str) -> bool {
    let mut expected = String::new();
    for c in property.chars() {
        match c {
            '_' => return false,
            'A'..='Z' => expected.extend(['_', c.to_ascii_lowercase()]),
            _ => expected.push(c),
        }
    }
    expected == field.trim_start_matches("r#")
}

/// The codec's read and write mode for a field.
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
        // Only occurs for types from Go, which are never sparse.
        Presence::Omittable => ["omittable", "omittable_encoded", "omittable_encoded"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codec decodes them: see `missing_null_unknown_and_repeated_properties_are_as_serde_derives_them` in the runtime.
    #[test]
    fn names_with_what_parts_names_are_told_apart() {
        for (property, expected) in [
            ("a-b", r#""a-b""#),
            ("=", r#""=""#),
            ("\0a\0=b", r#""\0=a\0==b""#),
        ] {
            assert_eq!(literal(property), expected);
        }
    }
}
