//! Ephemeral containers, which are added to an existing pod through a subresource.

use serde_json::Value;

use super::container::{named, trimmed_image, validate_container};
use crate::field::FieldError;
use crate::metadata::object::text;
use crate::table::cells::items;

/// The annotation of mirror pods, which a kubelet creates for static pods.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The fields that ephemeral containers cannot have, because they are only meaningful for services,
/// in the order of the Go type.
const FORBIDDEN: &[&str] = &[
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

const NOT_HERE: &str = "cannot be set for an Ephemeral Container";

/// Validates the ephemeral containers of a pod; `others` are the names of its other containers.
pub(super) fn validate(
    spec: &Value,
    path: &str,
    volumes: &[&str],
    others: &[&str],
    errors: &mut Vec<FieldError>,
) {
    let mut seen = others.to_vec();
    for (index, container) in items(spec, &["ephemeralContainers"]).iter().enumerate() {
        let here = format!("{path}.ephemeralContainers[{index}]");
        let name = text(container, &["name"]);
        named(&here, name, &seen, errors);
        seen.push(name);
        validate_container(&here, container, volumes, errors);
        trimmed_image(&here, container, errors);
        let target = text(container, &["targetContainerName"]);
        if !target.is_empty() && !others.contains(&target) {
            let path = format!("{here}.targetContainerName");
            errors.push(FieldError::not_found(path, target));
        }
        for field in FORBIDDEN {
            if is_set(&container[*field]) {
                errors.push(FieldError::forbidden(format!("{here}.{field}"), NOT_HERE));
            }
        }
        for (index, mount) in items(container, &["volumeMounts"]).iter().enumerate() {
            for field in ["subPath", "subPathExpr"] {
                if is_set(&mount[field]) {
                    let path = format!("{here}.volumeMounts[{index}].{field}");
                    errors.push(FieldError::forbidden(path, NOT_HERE));
                }
            }
        }
    }
}

/// Whether a field is not empty.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Rejects ephemeral containers where they are not allowed.
pub(super) fn forbidden(spec: &Value, path: &str, why: &str) -> Vec<FieldError> {
    if items(spec, &["ephemeralContainers"]).is_empty() {
        return Vec::new();
    }
    vec![FieldError::forbidden(
        format!("{path}.ephemeralContainers"),
        why,
    )]
}

/// Validates the changes of a write to the subresource: it can only add containers.
pub(super) fn validate_update(old: &Value, new: &Value) -> Vec<FieldError> {
    if old["metadata"]["annotations"].get(MIRROR).is_some() {
        let why = "static pods do not support ephemeral containers";
        return vec![FieldError::forbidden("[]", why)];
    }
    let containers = |pod| items(pod, &["spec", "ephemeralContainers"]);
    let mut errors = Vec::new();
    for before in containers(old) {
        let name = text(before, &["name"]);
        let is_same = |container: &&Value| text(container, &["name"]) == name;
        // Of several containers with the same name, the last counts.
        let fate = match containers(new).iter().rev().find(is_same) {
            None => "removed",
            Some(after) if after != before => "changed",
            Some(_) => continue,
        };
        errors.push(FieldError::forbidden(
            "spec.ephemeralContainers",
            format!("existing ephemeral containers \"{name}\" may not be {fate}\n"),
        ));
    }
    errors
}
