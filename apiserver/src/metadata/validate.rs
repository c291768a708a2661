//! Validation of the metadata of objects and embedded resources.

use kube_schema::check_object_metadata;
use serde_json::Value;

use super::object::{self, at};
use super::rules::Rules;
use crate::field::FieldError;

/// Validates an object's metadata.
pub(crate) fn check(rules: &Rules, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let metadata = object.get("metadata").unwrap_or(&Value::Null);
    check_object_metadata(rules.names, metadata, &mut errors);
    if rules.qualified_finalizers {
        for (index, finalizer) in object::finalizers(object).into_iter().enumerate() {
            if !is_qualified(finalizer) {
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

/// Returns warnings about the unqualified finalizers that a write adds, for kinds that allow them.
pub(crate) fn finalizer_warnings(old: Option<&Value>, new: &Value) -> Vec<String> {
    let before = old.map(object::finalizers).unwrap_or_default();
    let mut added = object::finalizers(new);
    added.retain(|&name| !before.contains(&name) && !is_qualified(name));
    added.sort_unstable();
    added.dedup();
    let warnings = added.iter().map(|name| {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        format!("metadata.finalizers: \"{name}\": prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers")
    });
    warnings.collect()
}

/// Validates the changes of an update to the metadata.
pub(crate) fn check_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for field in [
        "name",
        "namespace",
        "uid",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_keeps_its_name() {
        let named = |name: &str| json!({"metadata": {"name": name, "namespace": "n"}});
        let errors = check_update(&named("a"), &named("b"));
        let texts: Vec<String> = errors.iter().map(FieldError::to_string).collect();
        assert_eq!(
            texts,
            ["metadata.name: Invalid value: \"b\": field is immutable"]
        );
    }

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
