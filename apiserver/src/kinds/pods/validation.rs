//! Validation of pods.

use serde_json::Value;

use super::container::{named, trimmed_image, validate_container};
use super::{ephemeral, scheduling};
use crate::field::FieldError;
use crate::kinds::check::one_of;
use crate::metadata::object::text;
use crate::table::cells::items;

/// Validates the spec of a pod or of a pod template.
pub(in crate::kinds) fn pod_spec(spec: &Value, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let volumes = volumes(spec, path, &mut errors);
    if items(spec, &["containers"]).is_empty() {
        errors.push(FieldError::required(format!("{path}.containers"), ""));
    }
    let mut seen: Vec<&str> = Vec::new();
    for list in ["initContainers", "containers"] {
        for (index, container) in items(spec, &[list]).iter().enumerate() {
            let here = format!("{path}.{list}[{index}]");
            let name = text(container, &["name"]);
            named(&here, name, &seen, &mut errors);
            seen.push(name);
            validate_container(&here, container, &volumes, &mut errors);
        }
    }
    ephemeral::validate(spec, path, &volumes, &seen, &mut errors);
    if let Some(seconds) = spec["activeDeadlineSeconds"].as_i64()
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let path = format!("{path}.activeDeadlineSeconds");
        let detail = "must be between 1 and 2147483647, inclusive";
        errors.push(FieldError::invalid(path, seconds, detail));
    }
    one_of(
        format!("{path}.restartPolicy"),
        &spec["restartPolicy"],
        &["Always", "OnFailure", "Never"],
        &mut errors,
    );
    one_of(
        format!("{path}.dnsPolicy"),
        &spec["dnsPolicy"],
        &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
        &mut errors,
    );
    scheduling::validate(spec, path, &mut errors);
    errors
}

/// Validates the spec of a pod template.
pub(in crate::kinds) fn pod_template(spec: &Value, path: &str) -> Vec<FieldError> {
    let mut errors = pod_spec(spec, path);
    let why = "ephemeral containers not allowed in pod template";
    errors.extend(ephemeral::forbidden(spec, path, why));
    errors
}

/// Checks that the images of a pod's containers have no leading or trailing whitespace; those of
/// templates may.
pub(super) fn trimmed_images(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for list in ["containers", "initContainers"] {
        for (index, container) in items(spec, &[list]).iter().enumerate() {
            trimmed_image(&format!("spec.{list}[{index}]"), container, &mut errors);
        }
    }
    errors
}

/// Validates the volumes of a pod; returns their names.
fn volumes<'v>(spec: &'v Value, path: &str, errors: &mut Vec<FieldError>) -> Vec<&'v str> {
    let mut names = Vec::new();
    for (index, volume) in items(spec, &["volumes"]).iter().enumerate() {
        let name = text(volume, &["name"]);
        named(&format!("{path}.volumes[{index}]"), name, &names, errors);
        names.push(name);
    }
    names
}
