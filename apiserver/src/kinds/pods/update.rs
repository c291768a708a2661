//! Validation of updates to pods: only a few fields can change, and most of those in one direction
//! only.

use serde_json::{Value, json};

use super::is_gated;
use crate::field::FieldError;
use crate::metadata::object::{at, child, copy_field, fields, text};
use crate::table::cells::items;

const UNCHANGEABLE: &str = "pod updates may not change fields other than \
`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const REQUIRED_TERMS: &[&str] = &[
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
];

/// Validates the changes of an update to a pod (`ValidatePodUpdate`).
pub(super) fn validate(old: &Value, new: &Value) -> Vec<FieldError> {
    let (before, after) = (&old["spec"], &new["spec"]);
    for list in ["containers", "initContainers"] {
        if items(before, &[list]).len() != items(after, &[list]).len() {
            let detail = "pod updates may not add or remove containers";
            return vec![FieldError::forbidden(format!("spec.{list}"), detail)];
        }
    }
    if let Some(error) = longer_deadline(before, after) {
        return vec![error];
    }
    let mut errors = Vec::new();
    if before["activeDeadlineSeconds"].is_i64() && after["activeDeadlineSeconds"].is_null() {
        let detail = "must not update from a positive integer to nil value";
        let path = "spec.activeDeadlineSeconds";
        errors.push(FieldError::invalid(path, Value::Null, detail));
    }
    errors.extend(changed_toleration(before, after));
    errors.extend(added_gates(before, after));
    let mut masked = after.clone();
    restore_changeable(before, &mut masked);
    if is_gated(old) {
        errors.extend(narrow_nodes(before, &mut masked));
    }
    if masked != *before {
        errors.push(FieldError::forbidden("spec", UNCHANGEABLE));
    }
    errors
}

/// A deadline can be set and shortened.
fn longer_deadline(before: &Value, after: &Value) -> Option<FieldError> {
    let path = "spec.activeDeadlineSeconds";
    let seconds = after["activeDeadlineSeconds"].as_i64()?;
    if !(0..=i64::from(i32::MAX)).contains(&seconds) {
        let detail = "must be between 0 and 2147483647, inclusive";
        return Some(FieldError::invalid(path, seconds, detail));
    }
    let detail = "must be less than or equal to previous value";
    (seconds > before["activeDeadlineSeconds"].as_i64()?)
        .then(|| FieldError::invalid(path, seconds, detail))
}

/// Tolerations can be added; of an existing one, only `tolerationSeconds` can change.
fn changed_toleration(before: &Value, after: &Value) -> Option<FieldError> {
    let untimed = |toleration: &Value| {
        let mut copy = toleration.clone();
        fields(&mut copy).remove("tolerationSeconds");
        copy
    };
    let kept: Vec<Value> = items(after, &["tolerations"]).iter().map(untimed).collect();
    let mut given = items(before, &["tolerations"]).iter().map(untimed);
    let detail = "existing toleration can not be modified except its tolerationSeconds";
    given
        .any(|toleration| !kept.contains(&toleration))
        .then(|| FieldError::forbidden("spec.tolerations", detail))
}

/// Scheduling gates can only be removed.
fn added_gates(before: &Value, after: &Value) -> Vec<FieldError> {
    let given: Vec<&str> = gates(before).collect();
    let added = gates(after)
        .enumerate()
        .filter(|(_, gate)| !given.contains(gate));
    added
        .map(|(index, gate)| {
            let path = format!("spec.schedulingGates[{index}].name");
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{gate}'");
            FieldError::forbidden(path, detail)
        })
        .collect()
}

fn gates(spec: &Value) -> impl Iterator<Item = &str> {
    let gates = items(spec, &["schedulingGates"]).iter();
    gates.map(|gate| text(gate, &["name"]))
}

/// Restores the fields that may change, so that what still differs may not.
fn restore_changeable(before: &Value, masked: &mut Value) {
    for list in ["containers", "initContainers"] {
        let after = masked.get_mut(list).and_then(Value::as_array_mut);
        for (container, old) in after.into_iter().flatten().zip(items(before, &[list])) {
            copy_field(old, container, "image");
        }
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        copy_field(before, masked, field);
    }
    let grace = "terminationGracePeriodSeconds";
    if before[grace].as_i64().is_some_and(|seconds| seconds < 0) && masked[grace] == 1 {
        copy_field(before, masked, grace);
    }
}

/// Until its gates are removed, a pod may be restricted to fewer nodes. Restores the node selector
/// and the node affinity.
fn narrow_nodes(before: &Value, masked: &mut Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let selector = &masked["nodeSelector"];
    let mut given = before["nodeSelector"].as_object().into_iter().flatten();
    if given.any(|(key, value)| selector.get(key) != Some(value)) {
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.push(FieldError::invalid(
            "spec.nodeSelector",
            selector.clone(),
            detail,
        ));
    }
    copy_field(before, masked, "nodeSelector");
    errors.extend(widened_terms(before, masked));
    let affinity = child(fields(masked), "affinity");
    match at(before, &["affinity", "nodeAffinity"]) {
        Some(kept) => affinity.insert("nodeAffinity".into(), kept.clone()),
        None => affinity.remove("nodeAffinity"),
    };
    if affinity.is_empty() && before.get("affinity").is_none() {
        fields(masked).remove("affinity");
    }
    errors
}

/// The terms of a required node affinity stay, and their requirements can be added to.
fn widened_terms(before: &Value, after: &Value) -> Vec<FieldError> {
    let path = format!("spec.{}", REQUIRED_TERMS.join("."));
    let (given, kept) = (items(before, REQUIRED_TERMS), items(after, REQUIRED_TERMS));
    if !given.is_empty() && given.len() != kept.len() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return vec![FieldError::invalid(path, json!(kept), detail)];
    }
    let terms = given.iter().zip(kept).enumerate();
    let widened = terms.filter(|(_, (old, new))| !only_adds(old, new));
    widened
        .map(|(index, (_, new))| {
            let detail = "only additions are allowed (no mutations or deletions)";
            FieldError::invalid(format!("{path}[{index}]"), new.clone(), detail)
        })
        .collect()
}

/// Whether a term keeps the requirements of the old one. A term without any selects no node, and
/// stays empty.
fn only_adds(old: &Value, new: &Value) -> bool {
    const LISTS: [&str; 2] = ["matchExpressions", "matchFields"];
    let is_empty = |term: &Value| LISTS.iter().all(|list| items(term, &[*list]).is_empty());
    if is_empty(old) {
        return is_empty(new);
    }
    LISTS
        .iter()
        .all(|list| items(new, &[*list]).starts_with(items(old, &[*list])))
}
