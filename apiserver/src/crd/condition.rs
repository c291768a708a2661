//! The conditions of a definition.

use serde_json::{Map, Value, json};

/// A condition of a CustomResourceDefinition's status.
pub(crate) struct Condition<'a> {
    /// The `type`.
    pub(crate) kind: &'a str,
    pub(crate) holds: bool,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
    /// The transition time to set, if the status changes.
    pub(crate) now: &'a str,
}

/// Sets a condition; its transition time changes only with its status.
pub(crate) fn set_condition(status: &mut Map<String, Value>, condition: &Condition<'_>) {
    let list = status.entry("conditions").or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    let Value::Array(list) = list else {
        return;
    };
    let mut new = json!({
        "type": condition.kind,
        "status": if condition.holds { "True" } else { "False" },
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": condition.now,
    });
    match list.iter_mut().find(|c| c["type"] == condition.kind) {
        Some(old) => {
            if old["status"] == new["status"] {
                new["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = new;
        }
        None => list.push(new),
    }
}
