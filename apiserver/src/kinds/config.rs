//! Config maps, secrets and service accounts.

use serde_json::{Value, json};

use super::defaults::set;
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::object::{child, fields, text};
use crate::registry::{Strategy, label_not_supported};
use crate::table::cells::{age, entries, name};
use crate::table::{Printer, col, columns};
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
        columns! { |o|
            col("Name") => name(o),
            col("Data") => entries(o, &["data"]) + entries(o, &["binaryData"]),
            col("Age") => age(o),
        }
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
        validate_type(object, &mut errors);
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
        columns! { |o|
            col("Name") => name(o),
            col("Type") => text(o, &["type"]),
            col("Data") => entries(o, &["data"]),
            col("Age") => age(o),
        }
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
    let mut errors = Vec::new();
    for field in ["data", "binaryData"] {
        let map = object[field].as_object();
        for key in map.into_iter().flat_map(|map| map.keys()) {
            let path = format!("{field}[{key}]");
            let faults = key_faults(key).into_iter();
            errors.extend(faults.map(|fault| FieldError::invalid(&path, key.as_str(), fault)));
            if field == "data" && object["binaryData"].get(key).is_some() {
                let detail = "duplicate of key present in binaryData";
                errors.push(FieldError::invalid(path, key.as_str(), detail));
            }
        }
    }
    errors
}

/// Returns what is wrong with the key of a config map or secret, which is the name of a file in a
/// volume.
fn key_faults(key: &str) -> Vec<&'static str> {
    const RULE: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut faults = Vec::new();
    if key.len() > 253 {
        faults.push("must be no more than 253 characters");
    }
    if key.is_empty() || !key.chars().all(is_allowed) {
        faults.push(RULE);
    }
    match key {
        "." => faults.push("must not be '.'"),
        ".." => faults.push("must not be '..'"),
        key if key.starts_with("..") => faults.push("must not start with '..'"),
        _ => {}
    }
    faults
}

/// Checks that a secret has what its type requires.
fn validate_type(secret: &Value, errors: &mut Vec<FieldError>) {
    let data = &secret["data"];
    let has = |key: &str| data.get(key).is_some();
    let mut require = |path: String| errors.push(FieldError::required(path, ""));
    match text(secret, &["type"]) {
        "kubernetes.io/service-account-token" => {
            const ACCOUNT: &str = "kubernetes.io/service-account.name";
            if text(secret, &["metadata", "annotations", ACCOUNT]).is_empty() {
                require(format!("metadata.annotations[{ACCOUNT}]"));
            }
        }
        "kubernetes.io/dockercfg" => validate_registries(data, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => validate_registries(data, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            require("data[username]".to_owned());
            require("data[password]".to_owned());
        }
        "kubernetes.io/ssh-auth" if text(data, &["ssh-privatekey"]).is_empty() => {
            require("data[ssh-privatekey]".to_owned());
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"].into_iter().filter(|key| !has(key)) {
                require(format!("data[{key}]"));
            }
        }
        _ => {}
    }
}

/// Checks that the credentials of image registries are a JSON object.
fn validate_registries(data: &Value, key: &str, errors: &mut Vec<FieldError>) {
    let path = format!("data[{key}]");
    let Some(encoded) = data[key].as_str() else {
        errors.push(FieldError::required(path, ""));
        return;
    };
    let decoded = base64::decode(encoded).unwrap_or_default();
    let fault = match serde_json::from_slice(&decoded) {
        Ok(Value::Object(_) | Value::Null) => return,
        Ok(_) => "expected a JSON object".to_owned(),
        Err(error) => error.to_string(),
    };
    let shown = "<secret contents redacted>";
    errors.push(FieldError::invalid(path, shown, fault));
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
        columns! { |o|
            col("Name") => name(o),
            col("Age") => age(o),
        }
    }
}
