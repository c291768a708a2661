//! Validates object metadata, which the caller decodes.

use kube_names::{NameRule, generate_name_fault, label_key_faults, label_value_faults, name_fault};
use serde_json::Value;

use crate::field::{FieldError, FieldErrorKind, Path};

/// Decodes object metadata in place and drops fields that `ObjectMeta` does not have. The second
/// argument is the path of the metadata; the result contains the paths of unknown fields below it,
/// or the error of Go's decoder.
///
/// A server passes its decoder for `ObjectMeta` to
/// [`Structural::compile_with`](crate::Structural::compile_with).
pub type DecodeMetadata = fn(&mut Value, &str) -> Result<Vec<String>, String>;

/// Accepts any metadata unchanged.
///
/// # Errors
/// Never fails.
pub fn keep(_: &mut Value, _: &str) -> Result<Vec<String>, String> {
    Ok(Vec::new())
}

/// Returns the error of decoding metadata.
pub(crate) fn decode_error(decode: DecodeMetadata, metadata: &Value) -> Option<String> {
    decode(&mut metadata.clone(), "").err()
}

/// Removes fields that `ObjectMeta` does not have, and appends their paths below `prefix`. Metadata
/// that does not decode stays unchanged.
pub(crate) fn drop_unknown(
    decode: DecodeMetadata,
    metadata: &mut Value,
    prefix: &str,
    dropped: &mut Vec<String>,
) {
    let mut cleaned = metadata.clone();
    if let Ok(unknown) = decode(&mut cleaned, prefix) {
        *metadata = cleaned;
        dropped.extend(unknown);
    }
}

/// The maximum total size in bytes of all annotation keys and values.
const ANNOTATIONS_LIMIT: usize = 256 << 10;

/// Validates the metadata of an object whose name must satisfy `rule`.
pub fn check_object_metadata(rule: NameRule, metadata: &Value, errors: &mut Vec<FieldError>) {
    let text = |name: &str| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let path = Path::root("metadata");
    let base = text("generateName");
    if !base.is_empty()
        && let Some(fault) = generate_name_fault(rule, base)
    {
        errors.push(FieldError::invalid(
            path.field_of("generateName"),
            base,
            fault,
        ));
    }
    let name = text("name");
    if name.is_empty() && base.is_empty() {
        let detail = "name or generateName is required";
        errors.push(FieldError::required(path.field_of("name"), detail));
    } else if let Some(fault) = name_fault(rule, name).filter(|_| !name.is_empty()) {
        errors.push(FieldError::invalid(path.field_of("name"), name, fault));
    }
    check_metadata(metadata, &path, errors);
}

/// Validates labels, annotations, owner references, finalizers and the generation. The rules for
/// names and namespaces depend on the kind.
pub(crate) fn check_metadata(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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
    // The server does not report which of the references is invalid.
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
