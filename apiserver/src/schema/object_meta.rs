//! `metav1.ObjectMeta` in objects without a Rust type: unknown fields, types and validation.
//!
//! The root object's metadata and that of embedded resources follow the same rules.

use serde_json::{Map, Value};

use super::error::{FieldError, FieldErrorKind};
use super::labels::{label_key_faults, label_value_faults};
use super::path::Path;

/// The bytes that all annotations' keys and values may take together.
const ANNOTATIONS_LIMIT: usize = 256 << 10;

#[derive(Clone, Copy)]
enum Shape {
    Text(&'static str),
    Int,
    Bool,
    Time,
    Texts,
    TextMap,
    Records(&'static str, &'static [(&'static str, Shape)]),
    Any,
}

const OWNER_REFERENCE: &[(&str, Shape)] = &[
    ("apiVersion", Shape::Text("string")),
    ("kind", Shape::Text("string")),
    ("name", Shape::Text("string")),
    ("uid", Shape::Text("types.UID")),
    ("controller", Shape::Bool),
    ("blockOwnerDeletion", Shape::Bool),
];
const MANAGED_FIELDS: &[(&str, Shape)] = &[
    ("manager", Shape::Text("string")),
    ("operation", Shape::Text("v1.ManagedFieldsOperationType")),
    ("apiVersion", Shape::Text("string")),
    ("time", Shape::Time),
    ("fieldsType", Shape::Text("string")),
    ("fieldsV1", Shape::Any),
    ("subresource", Shape::Text("string")),
];
const OBJECT_META: &[(&str, Shape)] = &[
    ("name", Shape::Text("string")),
    ("generateName", Shape::Text("string")),
    ("namespace", Shape::Text("string")),
    ("selfLink", Shape::Text("string")),
    ("uid", Shape::Text("types.UID")),
    ("resourceVersion", Shape::Text("string")),
    ("generation", Shape::Int),
    ("creationTimestamp", Shape::Time),
    ("deletionTimestamp", Shape::Time),
    ("deletionGracePeriodSeconds", Shape::Int),
    ("labels", Shape::TextMap),
    ("annotations", Shape::TextMap),
    (
        "ownerReferences",
        Shape::Records("OwnerReference", OWNER_REFERENCE),
    ),
    ("finalizers", Shape::Texts),
    (
        "managedFields",
        Shape::Records("ManagedFieldsEntry", MANAGED_FIELDS),
    ),
];

/// Removes fields that `ObjectMeta` does not have and appends their paths below `prefix`. Nulls go too, and an
/// empty list or map stays, as after a round trip through Go's type (apart from empty values).
pub(crate) fn drop_unknown(metadata: &mut Value, prefix: &str, dropped: &mut Vec<String>) {
    if let Value::Object(map) = metadata {
        drop_from(map, OBJECT_META, prefix, dropped);
    }
}

fn drop_from(
    map: &mut Map<String, Value>,
    known: &[(&str, Shape)],
    prefix: &str,
    dropped: &mut Vec<String>,
) {
    map.retain(|name, value| {
        let Some((_, shape)) = known.iter().find(|(field, _)| field == name) else {
            dropped.push(format!("{prefix}.{name}"));
            return false;
        };
        if let (Shape::Records(_, fields), Value::Array(items)) = (shape, &mut *value) {
            for (i, item) in items.iter_mut().enumerate() {
                if let Value::Object(item) = item {
                    drop_from(item, fields, &format!("{prefix}.{name}[{i}]"), dropped);
                }
            }
        }
        !value.is_null()
    });
}

/// The error of Go's JSON decoder for metadata of the wrong types.
pub(crate) fn decode_error(metadata: &Value) -> Option<String> {
    match metadata {
        Value::Null => None,
        Value::Object(map) => fields_error(map, "ObjectMeta", "", OBJECT_META),
        other => Some(format!(
            "json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
            go_kind(other)
        )),
    }
}

fn fields_error(
    map: &Map<String, Value>,
    owner: &str,
    prefix: &str,
    known: &[(&str, Shape)],
) -> Option<String> {
    known.iter().find_map(|(name, shape)| {
        let value = map.get(*name).filter(|value| !value.is_null())?;
        field_error(value, *shape, owner, &format!("{prefix}{name}"))
    })
}

fn field_error(value: &Value, shape: Shape, owner: &str, field: &str) -> Option<String> {
    let wrong = |value: &Value, expected: &str| {
        let found = go_kind(value);
        Some(format!(
            "json: cannot unmarshal {found} into Go struct field {owner}.{field} of type {expected}"
        ))
    };
    match (shape, value) {
        (Shape::Any, _) | (Shape::Text(_), Value::String(_)) | (Shape::Bool, Value::Bool(_)) => {
            None
        }
        (Shape::Text(expected), _) => wrong(value, expected),
        (Shape::Bool, _) => wrong(value, "bool"),
        (Shape::Int, Value::Number(number)) if number.is_i64() => None,
        (Shape::Int, Value::Number(number)) => Some(format!(
            "json: cannot unmarshal number {number} into Go struct field {owner}.{field} of type int64"
        )),
        (Shape::Int, _) => wrong(value, "int64"),
        (Shape::Time, Value::String(text)) => time_error(text),
        (Shape::Time, _) => wrong(value, "string"),
        (Shape::Texts, Value::Array(items)) => items
            .iter()
            .filter(|item| !item.is_null())
            .find(|item| !item.is_string())
            .and_then(|i| wrong(i, "string")),
        (Shape::Texts, _) => wrong(value, "[]string"),
        (Shape::TextMap, Value::Object(map)) => map
            .values()
            .filter(|item| !item.is_null())
            .find(|item| !item.is_string())
            .and_then(|i| wrong(i, "string")),
        (Shape::TextMap, _) => wrong(value, "map[string]string"),
        (Shape::Records(item_owner, fields), Value::Array(items)) => {
            items.iter().find_map(|item| match item {
                Value::Object(item) => fields_error(item, item_owner, &format!("{field}."), fields),
                Value::Null => None,
                other => wrong(other, &format!("v1.{item_owner}")),
            })
        }
        (Shape::Records(item_owner, _), _) => wrong(value, &format!("[]v1.{item_owner}")),
    }
}

fn time_error(text: &str) -> Option<String> {
    if super::formats::matches("date-time", text) == Some(true) {
        return None;
    }
    let quoted = super::text::go_quote(text);
    Some(format!(
        "parsing time {quoted} as \"2006-01-02T15:04:05Z07:00\": cannot parse {quoted} as \"2006\""
    ))
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Validates labels, annotations, owner references, finalizers and the generation. Names and namespaces have
/// rules of their own for each kind.
pub(crate) fn check_common(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if metadata
        .get("generation")
        .and_then(Value::as_i64)
        .is_some_and(|generation| generation < 0)
    {
        let value = metadata.get("generation").cloned().unwrap_or_default();
        errors.push(invalid(
            path.field_of("generation"),
            value,
            "must be greater than or equal to 0",
        ));
    }
    check_labels(metadata, path, errors);
    check_annotations(metadata, path, errors);
    check_owner_references(metadata, path, errors);
    check_finalizers(metadata, path, errors);
}

fn invalid(field: String, value: Value, detail: impl Into<String>) -> FieldError {
    FieldError::with_value(field, FieldErrorKind::Invalid, value, detail)
}

fn entries<'a>(metadata: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a str)> {
    metadata
        .get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key, value.as_str().unwrap_or_default()))
}

fn check_labels(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field = path.field_of("labels");
    for (key, value) in entries(metadata, "labels") {
        for fault in label_key_faults(key) {
            errors.push(invalid(field.clone(), key.as_str().into(), fault));
        }
        for fault in label_value_faults(value) {
            errors.push(invalid(field.clone(), value.into(), fault));
        }
    }
}

fn check_annotations(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field = path.field_of("annotations");
    let mut size = 0;
    for (key, value) in entries(metadata, "annotations") {
        size += key.len() + value.len();
        for fault in label_key_faults(&key.to_lowercase()) {
            errors.push(invalid(field.clone(), key.as_str().into(), fault));
        }
    }
    if size > ANNOTATIONS_LIMIT {
        let detail = format!("may not be more than {ANNOTATIONS_LIMIT} bytes");
        errors.push(FieldError::new(field, FieldErrorKind::TooLong, detail));
    }
}

fn check_owner_references(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let references = metadata
        .get("ownerReferences")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    // The server does not say which of the references it means.
    let here = path.child("ownerReferences");
    let mut controller: Option<String> = None;
    for reference in references {
        let text = |name: &str| {
            reference
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let mut refuse = |name: &str, detail: String| {
            errors.push(invalid(here.field_of(name), text(name).into(), detail));
        };
        let version = text("apiVersion");
        if version.matches('/').count() > 1 {
            refuse(
                "apiVersion",
                format!("unexpected GroupVersion string: {version}"),
            );
        }
        if version.is_empty() || version.ends_with('/') || version.matches('/').count() > 1 {
            refuse("apiVersion", "version must not be empty".to_owned());
        }
        for name in ["kind", "name", "uid"] {
            if text(name).is_empty() {
                refuse(name, "must not be empty".to_owned());
            }
        }
        if version == "v1" && text("kind") == "Event" {
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            errors.push(invalid(here.field(), reference.clone(), detail));
        }
        if reference.get("controller") == Some(&Value::Bool(true)) {
            let current = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(current),
                Some(first) => errors.push(invalid(
                    here.field(),
                    references.to_vec().into(),
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} \
                         and {current}"
                    ),
                )),
            }
        }
    }
}

fn check_finalizers(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(list) = metadata.get("finalizers").and_then(Value::as_array) else {
        return;
    };
    let field = path.field_of("finalizers");
    for finalizer in list.iter().filter_map(Value::as_str) {
        for fault in label_key_faults(finalizer) {
            errors.push(invalid(field.clone(), finalizer.into(), fault));
        }
    }
    let has = |name: &str| list.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(invalid(field, list.clone().into(), detail));
    }
}
