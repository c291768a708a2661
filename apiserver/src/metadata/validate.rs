//! Validation of the metadata of objects and embedded resources.

use serde_json::Value;

use super::object::{self, at, text};
use super::rules::Rules;
use crate::field::{FieldError, FieldErrorKind, Path};
use crate::names::{self, label_key_faults, label_value_faults};

/// The bytes that all annotations' keys and values may take together.
const ANNOTATIONS_LIMIT: usize = 256 << 10;

/// Validates an object's metadata.
pub(crate) fn check(rules: &Rules, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let base = text(object, &["metadata", "generateName"]);
    if !base.is_empty()
        && let Some(fault) = names::generate_name_fault(rules.names, base)
    {
        errors.push(FieldError::invalid("metadata.generateName", base, fault));
    }
    let name = object::name(object);
    if name.is_empty() {
        let detail = "name or generateName is required";
        errors.push(FieldError::required("metadata.name", detail));
    } else if let Some(fault) = names::name_fault(rules.names, name) {
        errors.push(FieldError::invalid("metadata.name", name, fault));
    }
    check_common(&object["metadata"], &Path::root("metadata"), &mut errors);
    if rules.qualified_finalizers {
        for (index, finalizer) in object::finalizers(object).into_iter().enumerate() {
            if label_key_faults(finalizer).is_empty() && !is_qualified(finalizer) {
                errors.push(FieldError::invalid(
                    format!("metadata.finalizers[{index}]"),
                    finalizer,
                    "name is neither a standard finalizer name nor is it fully qualified",
                ));
            }
        }
    }
    errors
}

fn is_qualified(finalizer: &str) -> bool {
    finalizer.contains('/') || matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion")
}

/// Warnings about finalizers that are not qualified, where the kind allows them.
pub(crate) fn finalizer_warnings(object: &Value) -> Vec<String> {
    object::finalizers(object)
        .iter()
        .filter(|name| !is_qualified(name))
        .map(|name| {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            format!("metadata.finalizers: \"{name}\": prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers")
        })
        .collect()
}

/// Validates the changes of an update to metadata.
pub(crate) fn check_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let (before, after) = (at(old, &["metadata", field]), at(new, &["metadata", field]));
        if before != after {
            errors.push(FieldError::invalid(
                format!("metadata.{field}"),
                after.cloned().unwrap_or_default(),
                "field is immutable",
            ));
        }
    }
    if object::is_deleting(old) {
        let before = object::finalizers(old);
        let added: Vec<&str> = object::finalizers(new)
            .into_iter()
            .filter(|f| !before.contains(f))
            .collect();
        if !added.is_empty() {
            let list: Vec<String> = added.iter().map(|f| format!("\"{f}\"")).collect();
            errors.push(FieldError::forbidden(
                "metadata.finalizers",
                format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    list.join(", ")
                ),
            ));
        }
    }
    errors
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
        errors.push(FieldError::invalid(
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
            errors.push(FieldError::invalid(field.clone(), key.as_str(), fault));
        }
        for fault in label_value_faults(value) {
            errors.push(FieldError::invalid(field.clone(), value, fault));
        }
    }
}

fn check_annotations(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field = path.field_of("annotations");
    let mut size = 0;
    for (key, value) in entries(metadata, "annotations") {
        size += key.len() + value.len();
        for fault in label_key_faults(&key.to_lowercase()) {
            errors.push(FieldError::invalid(field.clone(), key.as_str(), fault));
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
            errors.push(FieldError::invalid(here.field_of(name), text(name), detail));
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
            errors.push(FieldError::invalid(here.field(), reference.clone(), detail));
        }
        if reference.get("controller") == Some(&Value::Bool(true)) {
            let current = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(current),
                Some(first) => errors.push(FieldError::invalid(
                    here.field(),
                    references.to_vec(),
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
            errors.push(FieldError::invalid(field.clone(), finalizer, fault));
        }
    }
    let has = |name: &str| list.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(field, list.clone(), detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finalizers_cannot_be_added_to_what_is_being_deleted() {
        let old = json!({"metadata": {"deletionTimestamp": "t", "finalizers": ["a.io/a"]}});
        let new =
            json!({"metadata": {"deletionTimestamp": "t", "finalizers": ["a.io/a", "b.io/b"]}});
        let errors = check_update(&old, &new);
        assert_eq!(
            errors[0].to_string(),
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
finalizers []string{\"b.io/b\"}"
        );
        assert!(check_update(&old, &json!({"metadata": {"deletionTimestamp": "t"}})).is_empty());
    }
}
