//! Strategic merge patches of webhooks.
//!
//! The only list of a webhook with a merge key is `matchConditions` (by `name`), and no marker generates that. So lists are
//! replaced, and only directives need to be interpreted.

use serde_json::{Map, Value};

/// The key of a directive.
const DIRECTIVE: &str = "$patch";

/// Applies a patch to an object.
pub(super) fn apply(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    if patch.get(DIRECTIVE).is_some_and(|it| it == "replace") {
        object.clear();
    }
    for (key, value) in patch {
        match value {
            _ if key.starts_with('$') => {}
            Value::Null => drop(object.remove(key)),
            Value::Object(patch) if patch.get(DIRECTIVE).is_some_and(|it| it == "delete") => {
                object.remove(key);
            }
            Value::Object(patch) => {
                let before = object.entry(key.clone()).or_insert(Value::Null);
                if !before.is_object() {
                    *before = Value::Object(Map::new());
                }
                if let Value::Object(before) = before {
                    apply(before, patch);
                }
            }
            Value::Array(items) => {
                object.insert(
                    key.clone(),
                    Value::Array(items.iter().filter_map(item).collect()),
                );
            }
            other => {
                object.insert(key.clone(), other.clone());
            }
        }
    }
}

/// Returns a list item, or `None` if it is a directive.
fn item(item: &Value) -> Option<Value> {
    let Value::Object(fields) = item else {
        return Some(item.clone());
    };
    let is_directive = fields.contains_key(DIRECTIVE);
    (!is_directive).then(|| item.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(object: Value, patch: Value, expected: Value) {
        let (Value::Object(mut object), Value::Object(patch)) = (object, patch) else {
            panic!("objects");
        };
        apply(&mut object, &patch);
        assert_eq!(Value::Object(object), expected);
    }

    #[test]
    fn a_patch_adds_changes_and_removes() {
        check(
            json!({"a": 1, "b": 2, "c": {"d": 1, "e": 2}}),
            json!({"a": null, "b": 3, "c": {"d": null, "f": 4}, "g": {"h": 1}}),
            json!({"b": 3, "c": {"e": 2, "f": 4}, "g": {"h": 1}}),
        );
    }

    #[test]
    fn lists_are_replaced() {
        check(
            json!({"a": [1, 2]}),
            json!({"a": [3], "matchConditions": [{"name": "a"}, {"$patch": "delete", "name": "b"}]}),
            json!({"a": [3], "matchConditions": [{"name": "a"}]}),
        );
    }

    #[test]
    fn directives_replace_and_delete() {
        check(
            json!({"a": {"b": 1}, "c": {"d": 1}}),
            json!({"a": {"$patch": "replace", "e": 2}, "c": {"$patch": "delete"}}),
            json!({"a": {"e": 2}}),
        );
    }
}
