//! Enums: named strings with constants, or with values listed in a marker.

use std::collections::BTreeSet;

use serde_json::Value;

use super::cx::Declared;
use crate::{
    model::{
        EnumDef, EnumValues, Validation, Variant,
        names::schema::{OPEN_VARIANT, variant_names},
    },
    read::{
        go::{ConstValue, EnumLiteral, Type},
        markers::{go::EnumMarker, rules::Enum},
    },
};

/// Returns the enum for a named string type, if it has values.
///
/// `ForbidConcurrent ConcurrencyPolicy = "Forbid"` becomes `Forbid`: variants are named after their
/// values, as for CRDs.
pub(super) fn of_type(declared: Declared<'_>) -> Option<EnumDef> {
    if !matches!(declared.decl.ty, Type::Basic("string")) {
        return None;
    }
    let mut values: Vec<(String, String)> = Vec::new();
    let mut known = BTreeSet::new();
    for (value, docs) in constants(declared).chain(listed(declared)) {
        if known.insert(value.clone()) {
            values.push((value, docs));
        }
    }
    if values.iter().all(|(value, _)| value.is_empty()) {
        return None;
    }
    let texts: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
    let names = variant_names(&texts);
    let default = texts.iter().position(|value| value.is_empty());
    let variants = names.into_iter().zip(values);
    Some(EnumDef {
        values: EnumValues::Texts,
        variants: variants
            .map(|(name, (value, docs))| Variant { name, value, docs })
            .collect(),
        open: Some(OPEN_VARIANT.to_owned()),
        default,
        zero_is_empty: true,
    })
}

/// Returns the values of the constants, with their docs.
fn constants(declared: Declared<'_>) -> impl Iterator<Item = (String, String)> {
    let consts = declared.pkg.consts(&declared.decl.name).iter();
    consts.filter_map(|constant| match &constant.value {
        ConstValue::Literal(EnumLiteral::String(value)) => {
            Some((value.clone(), constant.docs.trim_end().to_owned()))
        }
        _ => None,
    })
}

/// Returns the values of `+kubebuilder:validation:Enum` on the type.
fn listed(declared: Declared<'_>) -> impl Iterator<Item = (String, String)> {
    let marker = declared.decl.markers.get::<Enum>();
    let values = marker.map_or_else(Vec::new, |marker| marker.values.value.clone());
    values.into_iter().filter_map(|value| match value {
        Value::String(text) => Some((text, String::new())),
        _ => None,
    })
}

/// Lists the constants in the schema, sorted, as `+k8s:enum` requests; Kubernetes' older `+enum`
/// does not.
pub(super) fn add_values(rules: &mut Validation, declared: Declared<'_>) {
    let markers = &declared.decl.markers;
    let Some(marker) = markers.get::<EnumMarker>() else {
        return;
    };
    let place = marker.place;
    let text = place.text.get(place.range.clone()).unwrap_or_default();
    if !text.starts_with("+k8s:enum") || markers.has::<Enum>() {
        return;
    }
    let mut values: Vec<String> = constants(declared).map(|(value, _)| value).collect();
    values.sort();
    values.dedup();
    if !values.is_empty() {
        rules.enum_ = values.into_iter().map(Value::String).collect();
    }
}
