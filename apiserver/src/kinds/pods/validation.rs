//! What is valid in pods.

use serde_json::Value;

use crate::field::FieldError;
use crate::metadata::object::{copy_field, text};

/// A pod needs containers, with names and images.
pub(in crate::kinds) fn pod_spec(spec: &Value, path: &str) -> Vec<FieldError> {
    let containers = spec["containers"].as_array().map_or(&[][..], Vec::as_slice);
    if containers.is_empty() {
        return vec![FieldError::required(format!("{path}.containers"), "")];
    }
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        let name = text(container, &["name"]);
        let here = format!("{path}.containers[{index}]");
        if name.is_empty() {
            errors.push(FieldError::required(format!("{here}.name"), ""));
        } else if let Some(fault) = crate::names::label_fault(name) {
            errors.push(FieldError::invalid(format!("{here}.name"), name, fault));
        } else if seen.contains(&name) {
            errors.push(FieldError::duplicate(format!("{here}.name"), name));
        }
        seen.push(name);
        if text(container, &["image"]).is_empty() && path == "spec" {
            errors.push(FieldError::required(format!("{here}.image"), ""));
        }
    }
    errors
}

/// What an update may change of a pod.
pub(super) fn pod_update(old: &Value, object: &Value) -> Vec<FieldError> {
    let count = |o: &Value| o["spec"]["containers"].as_array().map_or(0, Vec::len);
    if count(old) != count(object) {
        let detail = "pod updates may not add or remove containers";
        return vec![FieldError::forbidden("spec.containers", detail)];
    }
    let mut masked = object["spec"].clone();
    for list in ["containers", "initContainers"] {
        let before = old["spec"][list].as_array().cloned().unwrap_or_default();
        let after = masked.get_mut(list).and_then(Value::as_array_mut);
        for (container, old) in after.into_iter().flatten().zip(&before) {
            copy_field(old, container, "image");
        }
    }
    for field in [
        "activeDeadlineSeconds",
        "tolerations",
        "terminationGracePeriodSeconds",
    ] {
        copy_field(&old["spec"], &mut masked, field);
    }
    if masked == old["spec"] {
        return Vec::new();
    }
    let detail = "pod updates may not change fields other than \
`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
    vec![FieldError::forbidden("spec", detail)]
}
