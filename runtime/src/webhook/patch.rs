//! Applies the changes of a typed handler to the object as it was sent.

use serde_json::{Map, Value};

/// Returns `sent` with the differences between the typed object before and after. Fields that the type does not know stay as
/// sent, and fields that its encoding adds or omits do not count as changes.
pub(super) fn carry(sent: &Value, before: &Value, after: &Value) -> Value {
    if before == after {
        return sent.clone();
    }
    match (sent, before, after) {
        (Value::Array(sent), Value::Array(before), Value::Array(after))
            if sent.len() == before.len() =>
        {
            let items = after.iter().enumerate();
            let carried = items.map(|(at, new)| {
                let Some(old) = before.get(at) else {
                    return moved(sent, before, new).unwrap_or(new).clone();
                };
                if old == new {
                    return sent[at].clone();
                }
                match moved(sent, before, new) {
                    Some(own) => own.clone(),
                    // The old item moved elsewhere, so this one is new.
                    None if after.contains(old) => new.clone(),
                    None => carry(&sent[at], old, new),
                }
            });
            Value::Array(carried.collect())
        }
        (_, Value::Object(before), Value::Object(after)) => {
            let empty = Map::new();
            let sent = sent.as_object().unwrap_or(&empty);
            let mut carried = sent.clone();
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                carried.remove(key);
            }
            for (key, value) in after {
                match (sent.get(key), before.get(key)) {
                    (_, Some(old)) if old == value => {}
                    (Some(own), Some(old)) => {
                        carried.insert(key.clone(), carry(own, old, value));
                    }
                    // The encoding omitted it: the type knows none of its fields.
                    (Some(own @ Value::Object(_)), None) => {
                        let none = Value::Object(Map::new());
                        carried.insert(key.clone(), carry(own, &none, value));
                    }
                    _ => {
                        carried.insert(key.clone(), value.clone());
                    }
                }
            }
            Value::Object(carried)
        }
        _ => after.clone(),
    }
}

/// Returns the item as it was sent, for a list whose items moved.
fn moved<'a>(sent: &'a [Value], before: &[Value], item: &Value) -> Option<&'a Value> {
    sent.get(before.iter().position(|old| old == item)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_and_the_encoding_of_the_type_are_no_change() {
        let check = |sent: Value, before: Value, after: Value, expected: Value| {
            assert_eq!(carry(&sent, &before, &after), expected, "{sent}");
        };
        // The type does not know `x`, and writes an empty status.
        check(
            json!({"a": 1, "x": 2}),
            json!({"a": 1, "status": {}}),
            json!({"a": 3, "status": {}}),
            json!({"a": 3, "x": 2}),
        );
        check(
            json!({"spec": {"x": 1}}),
            json!({"spec": {}, "status": {}}),
            json!({"spec": {"b": 1}, "status": {"c": 1}}),
            json!({"spec": {"x": 1, "b": 1}, "status": {"c": 1}}),
        );
        // The type omits empty objects.
        check(
            json!({"spec": {"x": 1}, "other": null}),
            json!({}),
            json!({"spec": {"b": 1}, "other": {}}),
            json!({"spec": {"x": 1, "b": 1}, "other": {}}),
        );
        check(
            json!({"l": [{"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
            json!({"l": [{"n": 1}, {"n": 2}]}),
            json!({"l": [{"n": 1}, {"n": 3}]}),
            json!({"l": [{"x": 1, "n": 1}, {"x": 2, "n": 3}]}),
        );
        // The first item was removed, and a new one added after the second.
        check(
            json!({"l": [{"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
            json!({"l": [{"n": 1}, {"n": 2}]}),
            json!({"l": [{"n": 2}, {"n": 3}]}),
            json!({"l": [{"x": 2, "n": 2}, {"n": 3}]}),
        );
        // An item was inserted before the others.
        check(
            json!({"l": [{"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
            json!({"l": [{"n": 1}, {"n": 2}]}),
            json!({"l": [{"n": 0}, {"n": 1}, {"n": 2}]}),
            json!({"l": [{"n": 0}, {"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
        );
        check(
            json!({"a": 1, "b": 2}),
            json!({"a": 1, "b": 2}),
            json!({"b": 2}),
            json!({"b": 2}),
        );
        check(
            json!({"l": [1]}),
            json!({"l": [1]}),
            json!({"l": [1, 2]}),
            json!({"l": [1, 2]}),
        );
    }
}
