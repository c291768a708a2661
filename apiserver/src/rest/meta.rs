//! The rules of metadata: what the server sets, what a client may not change, what is valid.

use serde_json::{Value, json};

use crate::core::Core;
use crate::names;
use crate::object::{self, at, text};
use crate::registry::Served;
use crate::schema::{FieldError, FieldErrorKind};
use crate::selector;
use crate::status::ApiError;

use super::Call;

fn invalid(field: impl Into<String>, value: &str, detail: impl Into<String>) -> FieldError {
    FieldError::with_value(
        field,
        FieldErrorKind::Invalid,
        Value::String(value.to_owned()),
        detail,
    )
}

/// Takes the namespace of the path into a namespaced object.
///
/// # Errors
/// 400 when the object names another.
pub(crate) fn settle_namespace(call: &Call, object: &mut Value) -> Result<(), ApiError> {
    let given = object::namespace(object);
    if !call.served.resource.namespaced {
        if given.is_empty() {
            object::set_meta(object, "namespace", None);
            return Ok(());
        }
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !given.is_empty() && given != call.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    object::set_meta(object, "namespace", Some(json!(call.namespace)));
    Ok(())
}

/// Sets what the server alone decides about a new object.
pub(crate) fn prepare_create(core: &Core, served: &Served, object: &mut Value) {
    for field in [
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "generation",
    ] {
        object::set_meta(object, field, None);
    }
    object::set_meta(object, "uid", Some(json!(object::new_uid())));
    object::set_meta(
        object,
        "creationTimestamp",
        Some(json!(object::rfc3339(core.now()))),
    );
    if served.resource.rules.generation {
        object::set_meta(object, "generation", Some(json!(1)));
    }
    if served.version().status {
        object::fields(object).remove("status");
    }
}

/// Replaces `generateName` by a name, unless there is one.
pub(crate) fn generate_name(object: &mut Value) {
    let base = text(object, &["metadata", "generateName"]).to_owned();
    if object::name(object).is_empty() && !base.is_empty() {
        // Leaves room for the suffix in a name of 63 bytes.
        let end = base
            .char_indices()
            .map(|(i, c)| i + c.len_utf8())
            .take_while(|end| *end <= 58)
            .last();
        let name = format!(
            "{}{}",
            &base[..end.unwrap_or_default()],
            object::name_suffix()
        );
        object::set_meta(object, "name", Some(json!(name)));
    }
}

/// What is wrong with an object's metadata.
pub(crate) fn validate(served: &Served, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let rule = served.resource.rules.names;
    let base = text(object, &["metadata", "generateName"]);
    if !base.is_empty()
        && let Some(fault) = names::name_fault(rule, base, true)
    {
        errors.push(invalid("metadata.generateName", base, fault));
    }
    let name = object::name(object);
    if name.is_empty() {
        errors.push(FieldError::new(
            "metadata.name",
            FieldErrorKind::Required,
            "name or generateName is required",
        ));
    } else if let Some(fault) = names::name_fault(rule, name, false) {
        errors.push(invalid("metadata.name", name, fault));
    }
    validate_labels(object, &mut errors);
    validate_annotations(object, &mut errors);
    validate_owners(object, &mut errors);
    // Only the kinds of the core API ask for qualified names.
    let lax = served.resource.is_custom() || served.resource.group == "apiextensions.k8s.io";
    for (index, finalizer) in object::finalizers(object).into_iter().enumerate() {
        let path = format!("metadata.finalizers[{index}]");
        if let Some(fault) = selector::qualified_name_fault(finalizer) {
            errors.push(invalid("metadata.finalizers", finalizer, fault));
        } else if !(finalizer.contains('/') || is_standard_finalizer(finalizer) || lax) {
            let fault = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(invalid(path, finalizer, fault));
        }
    }
    errors
}

fn is_standard_finalizer(name: &str) -> bool {
    matches!(name, "kubernetes" | "orphan" | "foregroundDeletion")
}

/// Warnings about finalizers that are not qualified.
pub(crate) fn finalizer_warnings(served: &Served, object: &Value) -> Vec<String> {
    if !served.resource.is_custom() {
        return Vec::new();
    }
    object::finalizers(object)
        .iter()
        .filter(|name| !name.contains('/') && !is_standard_finalizer(name))
        .map(|name| {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            format!("metadata.finalizers: \"{name}\": prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers")
        })
        .collect()
}

fn validate_labels(object: &Value, errors: &mut Vec<FieldError>) {
    let labels = at(object, &["metadata", "labels"]).and_then(Value::as_object);
    for (key, value) in labels.into_iter().flatten() {
        if let Some(fault) = selector::qualified_name_fault(key) {
            errors.push(invalid("metadata.labels", key, fault));
        }
        let value = value.as_str().unwrap_or_default();
        if let Some(fault) = selector::label_value_fault(value) {
            errors.push(invalid("metadata.labels", value, fault));
        }
    }
}

fn validate_annotations(object: &Value, errors: &mut Vec<FieldError>) {
    const LIMIT: usize = 256 * 1024;
    let annotations = at(object, &["metadata", "annotations"]).and_then(Value::as_object);
    let mut size = 0;
    for (key, value) in annotations.into_iter().flatten() {
        if let Some(fault) = selector::qualified_name_fault(&key.to_lowercase()) {
            errors.push(invalid("metadata.annotations", key, fault));
        }
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > LIMIT {
        errors.push(FieldError::new(
            "metadata.annotations",
            FieldErrorKind::TooLong,
            format!("may not be more than {LIMIT} bytes"),
        ));
    }
}

fn validate_owners(object: &Value, errors: &mut Vec<FieldError>) {
    let owners = at(object, &["metadata", "ownerReferences"]).and_then(Value::as_array);
    let mut controllers: Vec<String> = Vec::new();
    for owner in owners.into_iter().flatten() {
        for (field, what) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if text(owner, &[field]).is_empty() {
                errors.push(invalid(
                    format!("metadata.ownerReferences.{field}"),
                    "",
                    what,
                ));
            }
        }
        if owner["controller"] == json!(true) {
            controllers.push(format!(
                "{}/{}",
                text(owner, &["kind"]),
                text(owner, &["name"])
            ));
        }
    }
    if let [first, second, ..] = controllers.as_slice() {
        errors.push(FieldError::with_value(
            "metadata.ownerReferences",
            FieldErrorKind::Invalid,
            at(object, &["metadata", "ownerReferences"])
                .cloned()
                .unwrap_or_default(),
            format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {second}"
            ),
        ));
    }
}

/// Carries over what an update cannot change, or may leave out.
pub(crate) fn prepare_update(old: &Value, new: &mut Value) {
    for field in ["creationTimestamp", "selfLink", "generation"] {
        object::set_meta(new, field, at(old, &["metadata", field]).cloned());
    }
    if object::is_deleting(old) {
        object::set_meta(
            new,
            "deletionTimestamp",
            at(old, &["metadata", "deletionTimestamp"]).cloned(),
        );
    }
    for field in ["uid", "generateName", "deletionGracePeriodSeconds"] {
        if at(new, &["metadata", field]).is_none_or(|v| v.is_null() || v == "") {
            object::set_meta(new, field, at(old, &["metadata", field]).cloned());
        }
    }
}

/// What an update may not do to metadata.
pub(crate) fn validate_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let (before, after) = (at(old, &["metadata", field]), at(new, &["metadata", field]));
        if before != after {
            errors.push(FieldError::with_value(
                format!("metadata.{field}"),
                FieldErrorKind::Invalid,
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
            errors.push(FieldError::new(
                "metadata.finalizers",
                FieldErrorKind::Forbidden,
                format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    list.join(", ")
                ),
            ));
        }
    }
    errors
}

/// Counts the generation up if anything but metadata and status changed.
pub(crate) fn bump_generation(served: &Served, old: &Value, new: &mut Value) {
    if !served.resource.rules.generation {
        return;
    }
    let has_status = served.version().status;
    let strip = |object: &Value| {
        let mut copy = object.clone();
        let fields = object::fields(&mut copy);
        fields.remove("metadata");
        fields.remove("apiVersion");
        if has_status {
            fields.remove("status");
        }
        copy
    };
    let generation = object::generation(old);
    let changed = i64::from(strip(old) != strip(new));
    object::set_meta(new, "generation", Some(json!(generation + changed)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_name_appends_five_characters_to_at_most_fifty_eight() {
        let mut object = json!({"metadata": {"generateName": "x".repeat(70)}});
        generate_name(&mut object);
        assert_eq!(object::name(&object).len(), 63);
        let mut named = json!({"metadata": {"generateName": "x-", "name": "n"}});
        generate_name(&mut named);
        assert_eq!(object::name(&named), "n");
    }

    #[test]
    fn finalizers_cannot_be_added_to_what_is_being_deleted() {
        let old = json!({"metadata": {"deletionTimestamp": "t", "finalizers": ["a.io/a"]}});
        let new =
            json!({"metadata": {"deletionTimestamp": "t", "finalizers": ["a.io/a", "b.io/b"]}});
        let errors = validate_update(&old, &new);
        assert_eq!(
            errors[0].to_string(),
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
finalizers []string{\"b.io/b\"}"
        );
        assert!(validate_update(&old, &json!({"metadata": {"deletionTimestamp": "t"}})).is_empty());
    }
}
