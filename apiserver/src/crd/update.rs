//! What an update of a definition may change, and its `status.storedVersions`.

use serde_json::Value;

use super::versions;
use crate::field::FieldError;
use crate::metadata::object::text;

/// Validates the changes of an update.
pub(crate) fn validate_update(old: &Value, crd: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (path, keys) in [
        ("spec.group", &["spec", "group"][..]),
        ("spec.scope", &["spec", "scope"]),
        ("spec.names.kind", &["spec", "names", "kind"]),
        ("spec.names.plural", &["spec", "names", "plural"]),
    ] {
        let (before, after) = (text(old, keys), text(crd, keys));
        if before != after {
            errors.push(FieldError::invalid(path, after, "field is immutable"));
        }
    }
    errors
}

/// Validates `status.storedVersions`.
pub(super) fn validate_stored(crd: &Value) -> Vec<FieldError> {
    let stored = crd["status"]["storedVersions"].as_array();
    let stored = stored.map_or(&[][..], Vec::as_slice);
    if stored.is_empty() {
        let detail = "must have at least one stored version";
        return vec![FieldError::invalid(
            "status.storedVersions",
            Value::Null,
            detail,
        )];
    }
    let mut errors = Vec::new();
    for version in versions(crd).iter().filter(|v| v["storage"] == true) {
        if !stored.contains(&version["name"]) {
            let name = text(version, &["name"]);
            errors.push(FieldError::invalid(
                "status.storedVersions",
                stored.to_vec(),
                format!("must have the storage version {name}"),
            ));
        }
    }
    for (index, stored) in stored.iter().enumerate() {
        if versions(crd).iter().any(|v| v["name"] == *stored) {
            continue;
        }
        let name = stored.as_str().unwrap_or_default();
        errors.push(FieldError::invalid(
            format!("status.storedVersions[{index}]"),
            name,
            format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until \
a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            ),
        ));
    }
    errors
}
