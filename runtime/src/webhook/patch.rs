//! Applies the changes of a typed handler to the object as it was sent.

use serde_json::{Map, Value};

use super::list_keys::{ListKeys, Place};
use super::pairs::pair;

/// The changed object, and what could not be kept of it.
pub(super) struct Carried {
    pub(super) object: Value,
    /// A warning for each list with items of which unknown fields were dropped.
    pub(super) warnings: Vec<String>,
}

/// The maximum number of lists that warnings name; the API server cuts long ones off.
const MOST_WARNINGS: usize = 5;

/// Returns `sent` with the differences between the typed object before and after. Fields that the
/// type does not know stay as sent, and fields that its encoding adds or omits do not count as
/// changes.
///
/// In a list the fields stay with their item: see [`pair`]. Where it is in doubt which item a
/// changed one was, its unknown fields are dropped with a warning: given to another item, they
/// would do harm.
pub(super) fn carry(sent: &Value, before: &Value, after: &Value, root: &Place) -> Carried {
    let mut carrier = Carrier::default();
    let object = carrier.value(sent, before, after, &|| (root.clone(), ListKeys::None));
    Carried {
        object,
        warnings: carrier.warnings(),
    }
}

#[derive(Default)]
struct Carrier {
    path: String,
    /// The lists that lost fields, and the number of their items that did.
    losses: Vec<(String, usize)>,
}

impl Carrier {
    fn value(
        &mut self,
        sent: &Value,
        before: &Value,
        after: &Value,
        place: &dyn Fn() -> (Place, ListKeys),
    ) -> Value {
        if before == after {
            return sent.clone();
        }
        let (place, keys) = place();
        match (sent, before, after) {
            (Value::Array(sent), Value::Array(before), Value::Array(after))
                if sent.len() == before.len() =>
            {
                self.list(sent, before, after, &place, &keys)
            }
            (_, Value::Object(before), Value::Object(after)) => {
                self.object(sent, before, after, &place)
            }
            (Value::Array(items), ..) => {
                // The type merges or drops items, so that none of them can be told.
                self.lose(items.iter().filter(|item| has_fields(item)).count());
                after.clone()
            }
            _ => after.clone(),
        }
    }

    fn list(
        &mut self,
        sent: &[Value],
        before: &[Value],
        after: &[Value],
        place: &Place,
        keys: &ListKeys,
    ) -> Value {
        let pairs = pair(sent, before, after, keys);
        let item = place.item();
        let length = self.path.len();
        let items = after.iter().zip(pairs.origins).enumerate();
        let carried = items.map(|(at, (new, origin))| {
            let origin = origin.and_then(|origin| Some((sent.get(origin)?, before.get(origin)?)));
            let Some((sent, before)) = origin else {
                return new.clone();
            };
            self.path.push_str(&format!("[{at}]"));
            let carried = self.value(sent, before, new, &|| (item.clone(), ListKeys::None));
            self.path.truncate(length);
            carried
        });
        let carried = carried.collect();
        let doubtful = pairs.doubtful.into_iter();
        let doubtful = doubtful.filter_map(|at| Some((sent.get(at)?, before.get(at)?)));
        self.lose(
            doubtful
                .filter(|(sent, before)| knows_less(sent, before))
                .count(),
        );
        Value::Array(carried)
    }

    fn object(
        &mut self,
        sent: &Value,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
        place: &Place,
    ) -> Value {
        let none = Map::new();
        let sent = sent.as_object().unwrap_or(&none);
        let mut carried = Map::new();
        for (key, own) in sent {
            let value = match (before.get(key), after.get(key)) {
                (Some(_), None) => continue,
                (None, None) => own.clone(),
                (Some(old), Some(new)) => self.field(key, own, old, new, place),
                // The encoding omitted it: the type knows none of its fields.
                (None, Some(new)) if own.is_object() => {
                    self.field(key, own, &Value::Object(Map::new()), new, place)
                }
                (None, Some(new)) => new.clone(),
            };
            carried.insert(key.clone(), value);
        }
        let added = after.iter().filter(|(key, new)| {
            // What was neither sent nor changed comes from the encoding.
            !sent.contains_key(*key) && before.get(*key) != Some(*new)
        });
        carried.extend(added.map(|(key, new)| (key.clone(), new.clone())));
        Value::Object(carried)
    }

    fn field(
        &mut self,
        key: &str,
        sent: &Value,
        before: &Value,
        after: &Value,
        place: &Place,
    ) -> Value {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        let carried = self.value(sent, before, after, &|| place.field(key));
        self.path.truncate(length);
        carried
    }

    /// Records that items of the list at the current path lost fields.
    fn lose(&mut self, items: usize) {
        if items > 0 {
            self.losses.push((self.path.clone(), items));
        }
    }

    fn warnings(self) -> Vec<String> {
        let more = self.losses.len().saturating_sub(MOST_WARNINGS);
        let named = self.losses.into_iter().take(MOST_WARNINGS);
        let warnings = named.map(|(path, items)| {
            let items = match items {
                1 => "an item that changed".to_owned(),
                many => format!("{many} items that changed"),
            };
            format!(
                "{path}: dropped unknown fields of {items}: no key relates them to what was sent"
            )
        });
        let more =
            (more > 0).then(|| format!("dropped unknown fields of items in {more} more lists"));
        warnings.chain(more).collect()
    }
}

/// Whether an item has fields of its own that can be lost.
fn has_fields(item: &Value) -> bool {
    match item {
        Value::Object(fields) => fields.values().any(|value| !is_empty(value)),
        Value::Array(items) => items.iter().any(has_fields),
        _ => false,
    }
}

/// Whether the type does not know all fields of `sent`, which it encodes as `known`. It may omit
/// empty values.
fn knows_less(sent: &Value, known: &Value) -> bool {
    match (sent, known) {
        (Value::Object(sent), Value::Object(known)) => {
            sent.iter().any(|(key, value)| match known.get(key) {
                Some(known) => knows_less(value, known),
                None => !is_empty(value),
            })
        }
        (Value::Array(sent), Value::Array(known)) if sent.len() == known.len() => sent
            .iter()
            .zip(known)
            .any(|(sent, known)| knows_less(sent, known)),
        (Value::Array(sent), _) => sent.iter().any(has_fields),
        _ => false,
    }
}

/// Whether a value is one that encodings omit.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_and_the_encoding_of_the_type_are_no_change() {
        let check = |sent: Value, before: Value, after: Value, expected: Value| {
            let carried = carry(&sent, &before, &after, &Place::Root(None));
            assert_eq!(carried.object, expected, "{sent}");
            assert_eq!(carried.warnings, [""; 0], "{sent}");
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
            json!({"l": [{"x": 1, "name": "a"}, {"x": 2, "name": "b"}]}),
            json!({"l": [{"name": "a"}, {"name": "b"}]}),
            json!({"l": [{"name": "a"}, {"name": "b", "n": 3}]}),
            json!({"l": [{"x": 1, "name": "a"}, {"x": 2, "name": "b", "n": 3}]}),
        );
        // The first item was removed, and a new one added after the second.
        check(
            json!({"l": [{"x": 1, "name": "a"}, {"x": 2, "name": "b"}]}),
            json!({"l": [{"name": "a"}, {"name": "b"}]}),
            json!({"l": [{"name": "b"}, {"name": "c"}]}),
            json!({"l": [{"x": 2, "name": "b"}, {"name": "c"}]}),
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

    #[test]
    fn fields_of_items_that_cannot_be_told_are_dropped_with_a_warning() {
        let check = |sent: Value, before: Value, after: Value, expected: Value, at: &str| {
            let carried = carry(&sent, &before, &after, &Place::Root(None));
            assert_eq!(carried.object, expected, "{sent}");
            let warnings = carried.warnings;
            assert!(
                warnings.len() == 1 && warnings[0].starts_with(at),
                "{warnings:?}"
            );
        };
        let before = json!({"l": [{"n": 1}, {"n": 2}]});
        check(
            json!({"l": [{"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
            before.clone(),
            json!({"l": [{"n": 1}, {"n": 3}]}),
            json!({"l": [{"x": 1, "n": 1}, {"n": 3}]}),
            "l: dropped unknown fields of an item that changed: ",
        );
        // The type drops items.
        check(
            json!({"l": [null, {"x": 1, "n": 1}, {"x": 2, "n": 2}]}),
            before.clone(),
            json!({"l": [{"n": 1}]}),
            json!({"l": [{"n": 1}]}),
            "l: dropped unknown fields of 2 items that changed: ",
        );
        // Nothing is lost of items whose fields the type knows.
        let after = json!({"l": [{"n": 5}, {"n": 6}]});
        let carried = carry(&before, &before, &after, &Place::Root(None));
        assert_eq!((carried.object, carried.warnings), (after, Vec::new()));
    }

    #[test]
    fn warnings_name_five_lists_at_most() {
        let lists = |item: Value| -> Value {
            let lists = (0..9).map(|n| (format!("l{n}"), json!([item])));
            Value::Object(lists.collect())
        };
        let (sent, before) = (lists(json!({"x": 1, "n": 1})), lists(json!({"n": 1})));
        let carried = carry(&sent, &before, &lists(json!({"n": 2})), &Place::Root(None));
        assert_eq!(carried.warnings.len(), MOST_WARNINGS + 1);
        let last = carried.warnings.last().unwrap();
        assert_eq!(last, "dropped unknown fields of items in 4 more lists");
    }
}
