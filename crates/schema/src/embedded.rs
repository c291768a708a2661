//! Resources embedded in others (`x-kubernetes-embedded-resource`).

use serde_json::{Map, Value};

use super::node::{Additional, Schema};
use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::{self, DecodeMetadata};

/// Returns the error of decoding type or object metadata of an embedded resource that have the
/// wrong types.
pub(crate) fn decode_error(
    decode: DecodeMetadata,
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
) -> Option<FieldError> {
    match value {
        Value::Object(map) => map.iter().find_map(|(name, value)| {
            if schema.embedded {
                let detail = match name.as_str() {
                    "apiVersion" | "kind" if !value.is_string() => {
                        Some("must be a string".to_owned())
                    }
                    "metadata" => metadata::decode_error(decode, value),
                    _ => None,
                };
                if let Some(detail) = detail {
                    return Some(invalid(path.field_of(name), value.clone(), detail));
                }
            }
            match (schema.properties.get(name), &schema.additional) {
                (Some(property), _) => decode_error(decode, property, &path.child(name), value),
                (None, Additional::Schema(additional)) => {
                    decode_error(decode, additional, &path.key(name), value)
                }
                _ => None,
            }
        }),
        Value::Array(items) => {
            let item_schema = schema.items.as_deref()?;
            items
                .iter()
                .enumerate()
                .find_map(|(i, item)| decode_error(decode, item_schema, &path.index(i), item))
        }
        _ => None,
    }
}

/// Validates every embedded resource below a value.
pub(crate) fn check_embedded(
    decode: DecodeMetadata,
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
    errors: &mut Vec<FieldError>,
) {
    match value {
        Value::Object(map) => {
            if schema.embedded {
                check_resource(decode, path, map, errors);
            }
            for (name, value) in map {
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => {
                        check_embedded(decode, property, &path.child(name), value, errors)
                    }
                    (None, Additional::Schema(additional)) => {
                        check_embedded(decode, additional, &path.key(name), value, errors);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(item_schema) = schema.items.as_deref() {
                for (i, item) in items.iter().enumerate() {
                    check_embedded(decode, item_schema, &path.index(i), item, errors);
                }
            }
        }
        _ => {}
    }
}

fn check_resource(
    decode: DecodeMetadata,
    path: &Path<'_>,
    map: &Map<String, Value>,
    errors: &mut Vec<FieldError>,
) {
    for name in ["apiVersion", "kind"] {
        match map.get(name) {
            None => errors.push(FieldError::new(
                path.field_of(name),
                FieldErrorKind::Required,
                "",
            )),
            Some(Value::String(text)) => {
                if let Some(fault) = type_fault(name, text) {
                    errors.push(invalid(path.field_of(name), text.as_str().into(), fault));
                }
            }
            Some(other) => errors.push(invalid(
                path.field_of(name),
                other.clone(),
                "must be a string",
            )),
        }
    }
    if let Some(metadata) = map.get("metadata") {
        check_embedded_metadata(decode, &path.child("metadata"), metadata, errors);
    }
}

fn type_fault(name: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".to_owned());
    }
    if name == "apiVersion" {
        return (text.matches('/').count() > 1)
            .then(|| format!("unexpected GroupVersion string: {text}"));
    }
    let fault = kube_names::label_1035_fault(&text.to_lowercase())?;
    Some(format!(
        "may have mixed case, but should otherwise match: {fault}"
    ))
}

fn check_embedded_metadata(
    decode: DecodeMetadata,
    path: &Path<'_>,
    metadata: &Value,
    errors: &mut Vec<FieldError>,
) {
    if let Some(fault) = metadata::decode_error(decode, metadata) {
        errors.push(invalid(path.field(), metadata.clone(), fault));
        return;
    }
    for (name, prefix) in [("generateName", true), ("name", false)] {
        let text = metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default();
        for fault in path_segment_faults(text, prefix) {
            errors.push(invalid(path.field_of(name), text.into(), fault));
        }
    }
    let namespace = metadata
        .get("namespace")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !namespace.is_empty()
        && let Some(fault) = kube_names::label_fault(namespace)
    {
        errors.push(invalid(path.field_of("namespace"), namespace.into(), fault));
    }
    metadata::check_metadata(metadata, path, errors);
}

fn path_segment_faults(text: &str, prefix: bool) -> Vec<String> {
    if !prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ['/', '%']
        .into_iter()
        .filter(|c| text.contains(*c))
        .map(|c| format!("may not contain '{c}'"))
        .collect()
}

fn invalid(field: String, value: Value, detail: impl Into<String>) -> FieldError {
    FieldError::with_value(field, FieldErrorKind::Invalid, value, detail)
}
