//! Config maps, secrets and service accounts.

use serde_json::{Value, json};

use super::defaults::set;
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::object::{child, fields, text};
use crate::registry::{Strategy, label_not_supported};
use crate::table::cells::{age, entries, name};
use crate::table::{Printer, col};
use crate::types::base64;

#[derive(Debug)]
pub(super) struct ConfigMap;

impl Strategy for ConfigMap {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = validate_keys(object);
        let texts = object["data"].as_object().into_iter().flatten();
        let size = texts.map(|(_, text)| text.as_str().map_or(0, str::len));
        if size.sum::<usize>() + decoded_size(&object["binaryData"]) > LIMIT {
            errors.push(too_long("[]"));
        }
        errors
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validate_immutable(old, new)
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(&[col("Name"), col("Data"), col("Age")], |o| {
            let count = entries(o, &["data"]) + entries(o, &["binaryData"]);
            vec![name(o), json!(count), age(o)]
        });
        &PRINTER
    }
}

#[derive(Debug)]
pub(super) struct Secret;

impl Strategy for Secret {
    fn set_defaults(&self, object: &mut Value) {
        join_texts(object);
        set(fields(object), "type", "Opaque");
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = validate_keys(object);
        if decoded_size(&object["data"]) > LIMIT {
            errors.push(too_long("data"));
        }
        errors
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = validate_immutable(old, new);
        if old.get("type") != new.get("type") {
            let detail = "field is immutable";
            errors.push(FieldError::invalid("type", new["type"].clone(), detail));
        }
        errors
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer =
            Printer::new(&[col("Name"), col("Type"), col("Data"), col("Age")], |o| {
                vec![
                    name(o),
                    json!(text(o, &["type"])),
                    json!(entries(o, &["data"])),
                    age(o),
                ]
            });
        &PRINTER
    }
}

/// Moves the `stringData` of a secret to its data.
fn join_texts(secret: &mut Value) {
    let fields = fields(secret);
    if let Some(Value::Object(texts)) = fields.remove("stringData") {
        let data = child(fields, "data");
        for (key, text) in texts {
            let text = text.as_str().unwrap_or_default();
            data.insert(key, json!(base64::encode(text.as_bytes())));
        }
    }
}

fn validate_keys(object: &Value) -> Vec<FieldError> {
    const RULE: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    let mut errors = Vec::new();
    for field in ["data", "binaryData"] {
        let map = object[field].as_object();
        for key in map.into_iter().flat_map(|map| map.keys()) {
            let valid = !key.is_empty()
                && key.len() <= 253
                && key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            if !valid {
                let path = format!("{field}[{key}]");
                errors.push(FieldError::invalid(path, key.as_str(), RULE));
            }
        }
    }
    errors
}

/// The maximum total size of the values of a config map or secret, in bytes.
const LIMIT: usize = 1 << 20;

fn too_long(field: &str) -> FieldError {
    let detail = format!("may not be more than {LIMIT} bytes");
    FieldError::new(field, FieldErrorKind::TooLong, detail)
}

/// Returns the total decoded size of base64 values, in bytes.
fn decoded_size(map: &Value) -> usize {
    let values = map.as_object().into_iter().flatten();
    values
        .map(|(_, text)| {
            text.as_str()
                .unwrap_or_default()
                .trim_end_matches('=')
                .len()
                * 3
                / 4
        })
        .sum()
}

/// Checks that an immutable object keeps its data and stays immutable.
fn validate_immutable(old: &Value, new: &Value) -> Vec<FieldError> {
    const RULE: &str = "field is immutable when `immutable` is set";
    if old["immutable"] != json!(true) {
        return Vec::new();
    }
    let mut errors = Vec::new();
    if new["immutable"] != json!(true) {
        errors.push(FieldError::forbidden("immutable", RULE));
    }
    for field in ["data", "binaryData"] {
        if old.get(field) != new.get(field) {
            errors.push(FieldError::forbidden(field, RULE));
        }
    }
    errors
}

#[derive(Debug)]
pub(super) struct ServiceAccount;

impl Strategy for ServiceAccount {
    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer =
            Printer::new(&[col("Name"), col("Age")], |o| vec![name(o), age(o)]);
        &PRINTER
    }
}
