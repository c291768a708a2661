//! What makes objects of single kinds invalid.

mod cron;
pub(crate) mod rbac;

use serde_json::{Value, json};

use crate::object::{self, text};
use crate::registry::Served;
use crate::schema::{FieldError, FieldErrorKind};

/// The counts of a custom resource's scale are not negative.
pub(crate) fn scale_fields(served: &Served, object: &Value) -> Vec<FieldError> {
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

pub(crate) fn lease(object: &Value) -> Vec<FieldError> {
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
pub(crate) fn pod_spec(spec: &Value, path: &str) -> Vec<FieldError> {
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
pub(crate) fn immutable_data(
    served: &Served,
    old: Option<&Value>,
    object: &Value,
) -> Vec<FieldError> {
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
pub(crate) fn workload(old: Option<&Value>, object: &Value) -> Vec<FieldError> {
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

/// What an update may change of a pod.
pub(crate) fn pod_update(old: &Value, object: &Value) -> Vec<FieldError> {
    let count = |o: &Value| o["spec"]["containers"].as_array().map_or(0, Vec::len);
    if count(old) != count(object) {
        let detail = "pod updates may not add or remove containers";
        return vec![FieldError::new(
            "spec.containers",
            FieldErrorKind::Forbidden,
            detail,
        )];
    }
    let mut masked = object["spec"].clone();
    for list in ["containers", "initContainers"] {
        let before = old["spec"][list].as_array().cloned().unwrap_or_default();
        let after = masked.get_mut(list).and_then(Value::as_array_mut);
        for (container, old) in after.into_iter().flatten().zip(&before) {
            object::copy_field(old, container, "image");
        }
    }
    for field in [
        "activeDeadlineSeconds",
        "tolerations",
        "terminationGracePeriodSeconds",
    ] {
        object::copy_field(&old["spec"], &mut masked, field);
    }
    if masked == old["spec"] {
        return Vec::new();
    }
    let detail = "pod updates may not change fields other than \
`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
    vec![FieldError::new("spec", FieldErrorKind::Forbidden, detail)]
}

/// A job says when its pods restart, and keeps its template.
pub(crate) fn job(old: Option<&Value>, object: &Value, path: &str) -> Vec<FieldError> {
    let pod = &object["template"]["spec"];
    let mut errors = Vec::new();
    if old.is_none() {
        errors.extend(pod_spec(pod, &format!("{path}.template.spec")));
    }
    if old.is_some_and(|old| old["template"] != object["template"]) {
        let template = object["template"].clone();
        let path = format!("{path}.template");
        errors.push(FieldError::with_value(
            path,
            FieldErrorKind::Invalid,
            template,
            "field is immutable",
        ));
    }
    let policy_path = format!("{path}.template.spec.restartPolicy");
    match text(pod, &["restartPolicy"]) {
        "OnFailure" | "Never" => {}
        "" => {
            let detail = "valid values: \"OnFailure\", \"Never\"";
            errors.push(FieldError::new(
                policy_path,
                FieldErrorKind::Required,
                detail,
            ));
        }
        other => {
            let detail = "supported values: \"OnFailure\", \"Never\"";
            errors.push(FieldError::with_value(
                policy_path,
                FieldErrorKind::NotSupported,
                json!(other),
                detail,
            ));
        }
    }
    errors
}

/// A service needs ports, and keeps its address.
pub(crate) fn service(old: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (kind, address) = (
        text(object, &["spec", "type"]),
        text(object, &["spec", "clusterIP"]),
    );
    let ports = object["spec"]["ports"].as_array().map_or(0, Vec::len);
    if ports == 0 && kind != "ExternalName" && address != "None" {
        errors.push(FieldError::new("spec.ports", FieldErrorKind::Required, ""));
    }
    let before = old.map_or("", |old| text(old, &["spec", "clusterIP"]));
    if !before.is_empty() && before != address && kind != "ExternalName" {
        errors.push(FieldError::with_value(
            "spec.clusterIPs[0]",
            FieldErrorKind::Invalid,
            json!([address]),
            "may not change once set",
        ));
    }
    errors
}

/// A cron job's schedule parses, and its jobs are valid.
pub(crate) fn cron_job(old: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let schedule = text(object, &["spec", "schedule"]);
    let mut errors = Vec::new();
    if schedule.is_empty() {
        errors.push(FieldError::new(
            "spec.schedule",
            FieldErrorKind::Required,
            "",
        ));
    } else if let Some(fault) = cron::schedule_fault(schedule) {
        errors.push(FieldError::with_value(
            "spec.schedule",
            FieldErrorKind::Invalid,
            json!(schedule),
            fault,
        ));
    }
    let template = &object["spec"]["jobTemplate"]["spec"];
    // Only a job of its own has a template that cannot change.
    let old = old.map(|_| template);
    errors.extend(job(old, template, "spec.jobTemplate.spec"));
    errors
}

/// An event lies in the namespace of its object.
pub(crate) fn event(object: &Value) -> Vec<FieldError> {
    let (field, about) = match object.get("regarding") {
        Some(about) => ("regarding.namespace", about),
        None => ("involvedObject.namespace", &object["involvedObject"]),
    };
    let namespace = text(about, &["namespace"]);
    let expected = match object::namespace(object) {
        // Objects of the whole cluster have their events in the default namespace.
        "default" if namespace.is_empty() => return Vec::new(),
        expected => expected,
    };
    if namespace == expected {
        return Vec::new();
    }
    let detail = "does not match event.namespace";
    vec![FieldError::with_value(
        field,
        FieldErrorKind::Invalid,
        json!(namespace),
        detail,
    )]
}

/// What an update may change of a stateful set.
pub(crate) fn stateful_set_update(old: &Value, object: &Value) -> Vec<FieldError> {
    let mut masked = object["spec"].clone();
    for field in [
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ] {
        object::copy_field(&old["spec"], &mut masked, field);
    }
    if masked == old["spec"] {
        return Vec::new();
    }
    let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    vec![FieldError::new("spec", FieldErrorKind::Forbidden, detail)]
}
