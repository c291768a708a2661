//! What single built-in kinds do on writes beside the common rules.

use serde_json::{Value, json};

use super::namespaces;
use crate::core::Core;
use crate::object::{self, text};
use crate::registry::Served;
use crate::schema::{FieldError, FieldErrorKind};
use crate::types::base64;

fn kind_of(served: &Served) -> (&str, &str) {
    if served.resource.is_custom() {
        return ("", "");
    }
    (&served.resource.group, &served.resource.kind)
}

/// Fills in what a kind's strategy sets on create.
pub(crate) fn prepare_create(core: &Core, served: &Served, object: &mut Value) {
    match kind_of(served) {
        ("", "Namespace") => namespaces::prepare(object),
        ("", "Secret") => secret(object),
        ("apiextensions.k8s.io", _) => super::crd_kind::prepare(core, None, object),
        (group, kind) if !kind.is_empty() => {
            crate::defaults::apply(group, kind, object);
            crate::defaults::initial_status(group, kind, object);
        }
        _ => {}
    }
}

/// Fills in what a kind's strategy keeps or sets on update.
pub(crate) fn prepare_update(
    core: &Core,
    served: &Served,
    subresource: &str,
    old: &Value,
    new: &mut Value,
) {
    match kind_of(served) {
        ("", "Namespace") if subresource.is_empty() => {
            let finalizers = old["spec"].get("finalizers").cloned();
            if let Some(list) = finalizers {
                object::child(object::fields(new), "spec").insert("finalizers".into(), list);
            }
            let name = object::name(new).to_owned();
            let labels = object::child(object::metadata(new), "labels");
            labels.insert("kubernetes.io/metadata.name".into(), json!(name));
        }
        ("apiextensions.k8s.io", _) => super::crd_kind::prepare(core, Some(old), new),
        ("", "Secret") => secret(new),
        (group, kind) if !kind.is_empty() => crate::defaults::apply(group, kind, new),
        _ => {}
    }
}

/// What a kind shows while it is being deleted.
pub(crate) fn prepare_delete(_core: &Core, served: &Served, object: &mut Value) {
    if namespaces::is_namespaces(served) && object::is_deleting(object) {
        object::child(object::fields(object), "status")
            .insert("phase".into(), json!("Terminating"));
    }
}

/// What is wrong with an object of a built-in kind.
pub(crate) fn validate(
    core: &Core,
    served: &Served,
    old: Option<&Value>,
    object: &Value,
) -> Vec<FieldError> {
    match kind_of(served) {
        ("", "") => scale_fields(served, object),
        ("apiextensions.k8s.io", _) => super::crd_kind::validate(core, old, object),
        ("", "Pod") => pod_spec(&object["spec"], "spec"),
        ("coordination.k8s.io", "Lease") => lease(object),
        ("", "ConfigMap" | "Secret") => immutable_data(served, old, object),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") => {
            workload(old, object)
        }
        _ => Vec::new(),
    }
}

/// The text values of a secret join its data.
fn secret(object: &mut Value) {
    let fields = object::fields(object);
    if let Some(Value::Object(texts)) = fields.remove("stringData") {
        let data = object::child(fields, "data");
        for (key, text) in texts {
            let text = text.as_str().unwrap_or_default();
            data.insert(key, json!(base64::encode(text.as_bytes())));
        }
    }
    crate::defaults::apply("", "Secret", object);
}

/// The counts of a custom resource's scale are not negative.
fn scale_fields(served: &Served, object: &Value) -> Vec<FieldError> {
    let Some(scale) = &served.version().scale else {
        return Vec::new();
    };
    [&scale.spec_replicas, &scale.status_replicas]
        .into_iter()
        .filter_map(|path| {
            let keys: Vec<&str> = path.split('.').filter(|k| !k.is_empty()).collect();
            let count = object::at(object, &keys)?.as_i64().filter(|n| *n < 0)?;
            let detail = "should be a non-negative integer";
            Some(FieldError::with_value(
                path.as_str(),
                FieldErrorKind::Invalid,
                json!(count),
                detail,
            ))
        })
        .collect()
}

fn lease(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &object["spec"];
    if let Some(seconds) = spec["leaseDurationSeconds"].as_i64().filter(|n| *n <= 0) {
        let path = "spec.leaseDurationSeconds";
        errors.push(FieldError::with_value(
            path,
            FieldErrorKind::Invalid,
            json!(seconds),
            "must be greater than 0",
        ));
    }
    if let Some(count) = spec["leaseTransitions"].as_i64().filter(|n| *n < 0) {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::with_value(
            "spec.leaseTransitions",
            FieldErrorKind::Invalid,
            json!(count),
            detail,
        ));
    }
    errors
}

/// A pod needs containers, with names and images.
fn pod_spec(spec: &Value, path: &str) -> Vec<FieldError> {
    let containers = spec["containers"].as_array().map_or(&[][..], Vec::as_slice);
    if containers.is_empty() {
        return vec![FieldError::new(
            format!("{path}.containers"),
            FieldErrorKind::Required,
            "",
        )];
    }
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        let name = text(container, &["name"]);
        let here = format!("{path}.containers[{index}]");
        if name.is_empty() {
            errors.push(FieldError::new(
                format!("{here}.name"),
                FieldErrorKind::Required,
                "",
            ));
        } else if let Some(fault) = crate::names::label_fault(name) {
            let path = format!("{here}.name");
            errors.push(FieldError::with_value(
                path,
                FieldErrorKind::Invalid,
                json!(name),
                fault,
            ));
        } else if seen.contains(&name) {
            errors.push(FieldError::with_value(
                format!("{here}.name"),
                FieldErrorKind::Duplicate,
                json!(name),
                "",
            ));
        }
        seen.push(name);
        if text(container, &["image"]).is_empty() && path == "spec" {
            errors.push(FieldError::new(
                format!("{here}.image"),
                FieldErrorKind::Required,
                "",
            ));
        }
    }
    errors
}

/// Config maps and secrets that are marked immutable keep their data.
fn immutable_data(served: &Served, old: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for field in ["data", "binaryData"] {
        for key in object[field]
            .as_object()
            .into_iter()
            .flat_map(|map| map.keys())
        {
            let valid = !key.is_empty()
                && key.len() <= 253
                && key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            if !valid {
                errors.push(FieldError::with_value(
                    format!("{field}[{key}]"),
                    FieldErrorKind::Invalid,
                    json!(key),
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
                ));
            }
        }
    }
    let Some(old) = old else {
        return errors;
    };
    let forbidden =
        |field: &str, detail: &str| FieldError::new(field, FieldErrorKind::Forbidden, detail);
    if old["immutable"] == json!(true) {
        if object["immutable"] != json!(true) {
            errors.push(forbidden(
                "immutable",
                "field is immutable when `immutable` is set",
            ));
        }
        for field in ["data", "binaryData"] {
            if old.get(field) != object.get(field) {
                errors.push(forbidden(
                    field,
                    "field is immutable when `immutable` is set",
                ));
            }
        }
    }
    if served.resource.kind == "Secret" && old.get("type") != object.get("type") {
        errors.push(FieldError::with_value(
            "type",
            FieldErrorKind::Invalid,
            object["type"].clone(),
            "field is immutable",
        ));
    }
    errors
}

/// The selector of a workload must be there, match its template, and stay.
fn workload(old: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let selector = &object["spec"]["selector"];
    if selector.is_null() {
        errors.push(FieldError::new(
            "spec.selector",
            FieldErrorKind::Required,
            "",
        ));
    }
    let labels = &object["spec"]["template"]["metadata"]["labels"];
    let matches = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| labels.get(key) == Some(value));
    if !matches || selector.is_null() {
        errors.push(FieldError::with_value(
            "spec.template.metadata.labels",
            FieldErrorKind::Invalid,
            labels.clone(),
            "`selector` does not match template `labels`",
        ));
    }
    if old.is_none() {
        errors.extend(pod_spec(
            &object["spec"]["template"]["spec"],
            "spec.template.spec",
        ));
    }
    if let Some(replicas) = object["spec"]["replicas"].as_i64().filter(|n| *n < 0) {
        errors.push(FieldError::with_value(
            "spec.replicas",
            FieldErrorKind::Invalid,
            json!(replicas),
            "must be greater than or equal to 0",
        ));
    }
    if old
        .is_some_and(|old| old["spec"]["selector"] != *selector && !text(old, &["kind"]).is_empty())
    {
        errors.push(FieldError::with_value(
            "spec.selector",
            FieldErrorKind::Invalid,
            selector.clone(),
            "field is immutable",
        ));
    }
    errors
}
