//! Checks of the sizes that a schema allows.

use super::walk::{Field, properties, required};

pub(super) fn bounds(field: &Field<'_>) -> Option<String> {
    let has = |keyword| field.has(keyword);
    let missing = match field.ty() {
        "string" if !has("maxLength") && !has("enum") && !has("format") => "maxLength",
        "array" if !has("maxItems") => "maxItems",
        "object" if has("additionalProperties") && !has("maxProperties") => "maxProperties",
        _ => return None,
    };
    Some(format!(
        "there is no `{missing}`: nothing but the size of a request limits it"
    ))
}

pub(super) fn least_sizes(field: &Field<'_>) -> Option<String> {
    let has = |keyword| field.has(keyword);
    let is_object = || {
        let has_fields = properties(field.schema).next().is_some();
        has("additionalProperties") || has_fields && required(field.schema).next().is_none()
    };
    let missing = match field.ty() {
        "string" if !has("minLength") && !has("enum") && !has("format") => "minLength",
        "array" if !has("minItems") => "minItems",
        "object" if !has("minProperties") && is_object() => "minProperties",
        _ => return None,
    };
    Some(format!(
        "there is no `{missing}`: empty and absent are two values"
    ))
}
