//! CustomResourceDefinitions: defaults, validation, and the resources they define.

mod condition;
mod read;
mod update;

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::metadata;
use crate::metadata::object::{child, fields, text};
use crate::schema::Structural;
pub(crate) use condition::{Condition, set_condition};
use kube_schema::definition;
pub(crate) use read::read;
pub(crate) use update::{validate_stored, validate_update};

fn versions(crd: &Value) -> &[Value] {
    crd["spec"]["versions"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

fn storage_version(crd: &Value) -> Option<String> {
    versions(crd)
        .iter()
        .find(|v| v["storage"] == json!(true))
        .map(|v| text(v, &["name"]).to_owned())
}

/// Fills in the defaults, and updates `status.storedVersions`.
pub(crate) fn set_defaults(old: Option<&Value>, crd: &mut Value) {
    let storage = storage_version(crd);
    child(fields(crd), "spec");
    definition::set_defaults(crd);
    let mut stored: Vec<Value> = old
        .and_then(|old| old["status"]["storedVersions"].as_array().cloned())
        .unwrap_or_default();
    if let Some(storage) = storage.filter(|s| !stored.iter().any(|v| v == s)) {
        stored.push(json!(storage));
    }
    let status = child(fields(crd), "status");
    status
        .entry("acceptedNames")
        .or_insert_with(|| json!({"kind": "", "plural": ""}));
    status.entry("conditions").or_insert(Value::Null);
    status.insert("storedVersions".into(), json!(stored));
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
