//! Validation of persistent volume claims.

use serde_json::{Map, Value};

use super::check::{immutable, label_selector, one_of};
use crate::field::FieldError;
use crate::metadata::object::{child, copy_field, fields, text};
use crate::table::cells::items;
use kube_names::subdomain_fault;
use kube_resource_quantity::{Amount, Quantity};

const MODES: &[&str] = &[
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

/// The annotation that named the storage class before there was a field.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Settles the data source of a claim, and gives it both forms. A source in another namespace is
/// dropped, as without the feature gate `CrossNamespaceVolumeDataSource`; so is one that
/// `dataSource` could never name, if it is new.
pub(super) fn settle_sources(old: &Value, claim: &mut Value) {
    let spec = child(fields(claim), "spec");
    let has = |spec: &Value, field: &str| spec[field].is_object();
    let (had_source, had_ref) = (has(old, "dataSource"), has(old, "dataSourceRef"));
    if !had_ref && is_elsewhere(spec.get("dataSourceRef")) {
        spec.remove("dataSourceRef");
    }
    let is_set = |spec: &Map<String, Value>, field| spec.get(field).is_some_and(Value::is_object);
    let is_new = !had_source && !had_ref && !is_set(spec, "dataSourceRef");
    if is_new && !spec.get("dataSource").is_some_and(is_claim_or_snapshot) {
        spec.remove("dataSource");
    }
    let (from, to) = match (is_set(spec, "dataSource"), is_set(spec, "dataSourceRef")) {
        (true, false) => ("dataSource", "dataSourceRef"),
        (false, true) if !is_elsewhere(spec.get("dataSourceRef")) => {
            ("dataSourceRef", "dataSource")
        }
        _ => return,
    };
    let mut source = spec.get(from).cloned().unwrap_or_default();
    fields(&mut source).remove("namespace");
    spec.insert(to.to_owned(), source);
}

fn is_elsewhere(source: Option<&Value>) -> bool {
    source.is_some_and(|source| !text(source, &["namespace"]).is_empty())
}

fn is_claim_or_snapshot(source: &Value) -> bool {
    matches!(
        (text(source, &["apiGroup"]), text(source, &["kind"])),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// Validates a claim.
pub(super) fn validate(claim: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &claim["spec"];
    check_modes(spec, &mut errors);
    label_selector("spec.selector", &spec["selector"], &mut errors);
    let path = "spec.resources[storage]";
    match spec["resources"]["requests"]["storage"].as_str() {
        None => errors.push(FieldError::required(path, "")),
        Some(size) if amount(size) <= Amount::default() => {
            errors.push(FieldError::invalid(path, size, "must be greater than zero"));
        }
        Some(_) => {}
    }
    for field in ["storageClassName", "volumeAttributesClassName"] {
        let class = text(spec, &[field]);
        if let Some(fault) = subdomain_fault(class).filter(|_| !class.is_empty()) {
            errors.push(FieldError::invalid(format!("spec.{field}"), class, fault));
        }
    }
    let mode = "spec.volumeMode".to_owned();
    one_of(
        mode,
        &spec["volumeMode"],
        &["Block", "Filesystem"],
        &mut errors,
    );
    for field in ["dataSource", "dataSourceRef"] {
        check_source(&format!("spec.{field}"), &spec[field], &mut errors);
    }
    let (source, other) = (&spec["dataSource"], &spec["dataSourceRef"]);
    let same = |field: &str| text(source, &[field]) == text(other, &[field]);
    if source.is_object()
        && other.is_object()
        && !["apiGroup", "kind", "name"].into_iter().all(same)
    {
        // kube-apiserver shows the empty JSON of a Go path.
        let detail = "must match dataSourceRef";
        errors.push(FieldError::invalid("spec", Map::new(), detail));
    }
    errors
}

fn check_modes(spec: &Value, errors: &mut Vec<FieldError>) {
    let path = "spec.accessModes";
    let modes = items(spec, &["accessModes"]);
    if modes.is_empty() {
        let detail = "at least 1 access mode is required";
        errors.push(FieldError::required(path, detail));
    }
    for mode in modes {
        one_of(path.to_owned(), mode, MODES, errors);
    }
    let exclusive = modes.iter().filter(|mode| **mode == "ReadWriteOncePod");
    if !matches!(exclusive.count(), count if count == 0 || count == modes.len()) {
        let detail = "may not use ReadWriteOncePod with other access modes";
        errors.push(FieldError::forbidden(path, detail));
    }
}

fn check_source(path: &str, source: &Value, errors: &mut Vec<FieldError>) {
    if source.is_null() {
        return;
    }
    for field in ["name", "kind"] {
        if text(source, &[field]).is_empty() {
            errors.push(FieldError::required(format!("{path}.{field}"), ""));
        }
    }
    let kind = text(source, &["kind"]);
    if text(source, &["apiGroup"]).is_empty() && kind != "PersistentVolumeClaim" {
        let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.push(FieldError::invalid(path, kind, detail));
    }
}

/// Validates the changes of an update to a claim: its volume can be set once, its storage class if
/// there was none, and a bound claim can grow.
pub(super) fn validate_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut kept = old["spec"].clone();
    let spec = &new["spec"];
    if text(&kept, &["volumeName"]).is_empty() {
        copy_field(spec, &mut kept, "volumeName");
    }
    if may_name_class(old, spec) {
        copy_field(spec, &mut kept, "storageClassName");
    }
    let is_bound = text(new, &["status", "phase"]) == "Bound";
    if is_bound {
        copy_field(spec, &mut kept, "volumeAttributesClassName");
    }
    copy_amounts(&spec["resources"], &mut kept["resources"], is_bound);
    if *spec != kept {
        let detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        errors.push(FieldError::forbidden("spec", detail));
    }
    let size = storage(&spec["resources"]["requests"]);
    let capacity = storage(&new["status"]["capacity"]);
    if size < storage(&old["spec"]["resources"]["requests"]) && size <= capacity {
        let detail = "field can not be less than status.capacity";
        let path = "spec.resources.requests.storage";
        errors.push(FieldError::forbidden(path, detail));
    }
    immutable("volumeMode", &old["spec"], spec, &mut errors);
    let class = "volumeAttributesClassName";
    if !old["status"]["currentVolumeAttributesClassName"].is_null()
        && old["spec"][class] != spec[class]
        && text(spec, &[class]).is_empty()
    {
        let to = if spec[class].is_null() {
            "nil"
        } else {
            "empty string"
        };
        let detail = format!(
            "update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
        );
        errors.push(FieldError::forbidden(format!("spec.{class}"), detail));
    }
    errors
}

/// Whether an update may name the storage class: there was none, or only the annotation names the
/// same.
fn may_name_class(old: &Value, spec: &Value) -> bool {
    let class = &spec["storageClassName"];
    let before = &old["metadata"]["annotations"][CLASS_ANNOTATION];
    !class.is_null()
        && old["spec"]["storageClassName"].is_null()
        && (before.is_null() || before == class)
}

/// Copies the amounts that an update does not change, however they are written, and the requested
/// storage if that may change.
fn copy_amounts(from: &Value, to: &mut Value, may_resize: bool) {
    for list in ["requests", "limits"] {
        let Some(kept) = to.get_mut(list).and_then(Value::as_object_mut) else {
            continue;
        };
        for (name, value) in kept {
            let given = &from[list][name];
            let is_resized = may_resize && list == "requests" && name == "storage";
            let is_same = given.as_str().map(amount) == value.as_str().map(amount);
            if is_resized || is_same {
                value.clone_from(given);
            }
        }
    }
}

/// Returns the storage of a list of resources, or zero.
fn storage(resources: &Value) -> Amount {
    amount(text(resources, &["storage"]))
}

/// Returns the amount of a quantity, or zero if it is invalid: decoding refuses those.
fn amount(text: &str) -> Amount {
    Quantity::new(text).amount().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_compared_by_value() {
        let claim = |size: &str| {
            let spec = json!({"resources": {"requests": {"storage": size}}});
            json!({"spec": spec, "status": {"phase": "Pending"}})
        };
        let faults = |old: &str, new: &str| validate_update(&claim(old), &claim(new)).len();
        assert_eq!(faults("1Gi", "1024Mi"), 0);
        assert_eq!(faults("1Gi", "1025Mi"), 1);
    }
}
