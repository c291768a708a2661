//! CustomResourceDefinitions: defaults, validation, and the resources they define.

mod condition;
mod read;
mod update;

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::metadata;
use crate::metadata::object::{child, fields, list, text};
use crate::schema::Structural;
pub(crate) use condition::{Condition, set_condition};
use kube_schema::definition;
pub(crate) use read::read;
use update::validate_stored;
pub(crate) use update::validate_update;

fn versions(crd: &Value) -> &[Value] {
    list(&crd["spec"]["versions"])
}

fn storage_version(crd: &Value) -> Option<String> {
    versions(crd)
        .iter()
        .find(|v| v["storage"] == json!(true))
        .map(|v| text(v, &["name"]).to_owned())
}

/// Fills in the defaults.
pub(crate) fn set_defaults(crd: &mut Value) {
    child(fields(crd), "spec");
    definition::set_defaults(crd);
    let status = child(fields(crd), "status");
    status
        .entry("acceptedNames")
        .or_insert_with(|| json!({"kind": "", "plural": ""}));
    status.entry("conditions").or_insert(Value::Null);
    let stored = status.get("storedVersions").and_then(Value::as_array);
    if stored.is_none_or(Vec::is_empty) {
        status.insert("storedVersions".into(), json!([]));
        record_storage_version(crd);
    }
}

/// Adds the storage version to `status.storedVersions`. Only a write of the status removes a
/// version.
pub(crate) fn record_storage_version(crd: &mut Value) {
    let Some(storage) = storage_version(crd) else {
        return;
    };
    let status = child(fields(crd), "status");
    let stored = status.entry("storedVersions").or_insert_with(|| json!([]));
    if let Value::Array(versions) = stored
        && !versions.iter().any(|version| *version == storage)
    {
        versions.push(json!(storage));
    }
}

/// Validates a definition.
pub(crate) fn validate(crd: &Value) -> Vec<FieldError> {
    let mut errors = definition::check(crd, metadata::clean);
    errors.extend(validate_stored(crd));
    errors
}

/// Compiles the schemas of a definition, one per version.
fn schemas(crd: &Value) -> Result<Vec<Option<Structural>>, Vec<FieldError>> {
    definition::compile(crd, metadata::clean)
}
