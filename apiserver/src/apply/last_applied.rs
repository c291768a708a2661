//! Migration from client-side to server-side apply, for the manager `kubectl` only.

use serde_json::Value;

use super::compare::compare;
use super::field_set::field_set;
use super::set::Set;
use super::types::Type;
use crate::field::go_json;

/// The manager that is migrated.
pub(super) const KUBECTL: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn annotation(object: &Value) -> Option<&str> {
    object
        .get("metadata")?
        .get("annotations")?
        .get(ANNOTATION)?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// Returns the fields last set by client-side apply and unchanged since, which `kubectl` may take
/// without a conflict.
pub(super) fn allowed_conflicts(ty: &Type<'_>, live: &Value, api_version: &str) -> Option<Set> {
    let last: Value = serde_json::from_str(annotation(live)?).ok()?;
    if last.get("apiVersion")?.as_str()? != api_version {
        return None;
    }
    let changes = compare(ty, &last, live);
    let set = field_set(ty, &last);
    Some(
        set.difference(&changes.modified)
            .difference(&changes.added)
            .difference(&changes.removed),
    )
}

/// Updates the annotation of client-side apply, if present, to the applied configuration.
pub(super) fn sync(object: &mut Value, applied: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut last = applied.clone();
    let annotations = |value: &mut Value| -> Option<serde_json::Map<String, Value>> {
        value
            .get_mut("metadata")?
            .get_mut("annotations")?
            .as_object_mut()
            .map(std::mem::take)
    };
    if let Some(mut found) = annotations(&mut last) {
        found.remove(ANNOTATION);
        if let Some(metadata) = last.get_mut("metadata").and_then(Value::as_object_mut) {
            if found.is_empty() {
                metadata.remove("annotations");
            } else {
                metadata.insert("annotations".to_owned(), found.into());
            }
        }
    }
    let text = format!("{}\n", go_json(&last));
    if let Some(annotations) = object
        .pointer_mut("/metadata/annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.insert(ANNOTATION.to_owned(), Value::from(text));
    }
}
