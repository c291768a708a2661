//! CustomResourceDefinitions: defaults, validation, and the resources they define.

mod condition;
mod conversion;
mod read;
mod validate;
mod version;

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::metadata::object::{at, child, fields, text};
use crate::schema::{self, Structural};
pub(crate) use condition::{Condition, set_condition};
pub(crate) use read::read;
pub(crate) use validate::{validate, validate_update};

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

/// Fills in the defaults.
pub(crate) fn set_defaults(crd: &mut Value) {
    let kind = text(crd, &["spec", "names", "kind"]).to_owned();
    let spec = child(fields(crd), "spec");
    let names = child(spec, "names");
    let default = |names: &mut serde_json::Map<String, Value>, key: &str, value: String| {
        let given = names.get(key).and_then(Value::as_str);
        if given.unwrap_or_default().is_empty() {
            names.insert(key.to_owned(), json!(value));
        }
    };
    default(names, "singular", kind.to_lowercase());
    default(names, "listKind", format!("{kind}List"));
    spec.entry("conversion")
        .or_insert_with(|| json!({"strategy": "None"}));
    let service = spec
        .get_mut("conversion")
        .and_then(|it| it.pointer_mut("/webhook/clientConfig/service"));
    if let Some(Value::Object(service)) = service {
        service.entry("port").or_insert(json!(443));
    }
    if spec.get("preserveUnknownFields") == Some(&json!(false)) {
        spec.remove("preserveUnknownFields");
    }
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

/// Adds the storage version to `status.storedVersions`. Only a write of the status removes a version.
pub(crate) fn record_storage_version(crd: &mut Value) {
    let Some(storage) = storage_version(crd) else {
        return;
    };
    let stored = &mut child(fields(crd), "status")["storedVersions"];
    if let Value::Array(versions) = stored
        && !versions.iter().any(|version| *version == storage)
    {
        versions.push(json!(storage));
    }
}

/// Returns the schema of each version with the path to report its errors at; a schema shared by all versions is reported
/// under `spec.validation`.
fn raw_schemas(crd: &Value) -> impl Iterator<Item = (String, Option<&Value>)> {
    let versions = versions(crd);
    let is_shared = versions
        .windows(2)
        .all(|pair| pair[0].get("schema") == pair[1].get("schema"));
    versions.iter().enumerate().map(move |(index, version)| {
        let path = if is_shared {
            "spec.validation.openAPIV3Schema".to_owned()
        } else {
            format!("spec.versions[{index}].schema.openAPIV3Schema")
        };
        (path, at(version, &["schema", "openAPIV3Schema"]))
    })
}

/// Compiles the schemas of a definition, one per version.
fn schemas(crd: &Value) -> Result<Vec<Option<Structural>>, Vec<FieldError>> {
    let mut schemas = Vec::new();
    let mut errors = Vec::new();
    for (path, schema) in raw_schemas(crd) {
        let compiled = schema.map(|schema| schema::compile(&path, schema));
        match compiled.transpose() {
            Ok(schema) => schemas.push(schema),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(schemas)
    } else {
        Err(errors)
    }
}

/// Returns the errors in the CEL rules of valid schemas; errors shared by versions are reported once.
fn check_rules(crd: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (path, schema) in raw_schemas(crd) {
        for error in schema.map_or_else(Vec::new, |it| Structural::check_rules(&path, it)) {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
    }
    errors
}
