//! JSON merge patch (RFC 7386).

use serde_json::Value;

/// Applies a JSON merge patch: objects merge, null removes, anything else replaces.
pub fn merge_patch(target: &mut Value, patch: &Value) {
    match (&mut *target, patch) {
        (Value::Object(map), Value::Object(fields)) => {
            for (name, change) in fields {
                match map.get_mut(name) {
                    _ if change.is_null() => {
                        map.remove(name);
                    }
                    Some(current) if !current.is_null() => merge_patch(current, change),
                    _ => {
                        map.insert(name.clone(), without_nulls(change));
                    }
                }
            }
        }
        (Value::Object(_), _) => *target = patch.clone(),
        _ => *target = without_nulls(patch),
    }
}

/// Returns an added value without the fields that it sets to null. Null items of lists are kept.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
