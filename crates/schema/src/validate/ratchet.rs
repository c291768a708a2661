//! Ratcheting: on update, errors in unchanged values are ignored.

use std::collections::HashMap;

use serde_json::Value;

use super::{Outcome, check};
use crate::field::Path;
use crate::node::Schema;
use crate::types::ListType;

/// The old counterpart of a value, and the structural schema that determines how their parts
/// correspond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Old<'a> {
    pub(crate) value: &'a Value,
    pub(crate) schema: &'a Schema,
}

impl<'a> Old<'a> {
    /// Returns the old value of a field, if it was present and has a schema.
    pub(super) fn field(self, name: &str) -> Option<Old<'a>> {
        Some(Old {
            value: self.value.get(name)?,
            schema: self.schema.field(name)?,
        })
    }

    /// Returns the old items by their keys; only items of map lists correspond.
    pub(super) fn items(self) -> OldItems<'a> {
        let mut items = OldItems {
            keys: &[],
            schema: None,
            by_key: HashMap::new(),
        };
        if let (ListType::Map(keys), Some(list)) = (&self.schema.list_type, self.value.as_array()) {
            items.keys = keys;
            items.schema = self.schema.items.as_deref();
            for item in list.iter().rev().filter(|item| item.is_object()) {
                items.by_key.insert(items.key_of(item), item);
            }
        }
        items
    }
}

/// The items of an old map list.
pub(super) struct OldItems<'a> {
    keys: &'a [String],
    schema: Option<&'a Schema>,
    by_key: HashMap<String, &'a Value>,
}

impl<'a> OldItems<'a> {
    fn key_of(&self, item: &Value) -> String {
        let keys: Vec<Option<&Value>> = self.keys.iter().map(|key| item.get(key)).collect();
        serde_json::json!(keys).to_string()
    }

    /// Returns the old item with the same keys.
    pub(super) fn get(&self, item: &Value) -> Option<Old<'a>> {
        let schema = self.schema?;
        let value = self.by_key.get(&self.key_of(item))?;
        Some(Old { value, schema })
    }
}

/// Validates a value, ignoring its errors if it equals its old counterpart.
pub(crate) fn ratchet(
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = check(schema, path, value, old);
    if !outcome.is_valid() && old.is_some_and(|old| unchanged(value, old)) {
        outcome.forgive();
    }
    outcome
}

/// Whether a value is unchanged. A field unknown to the schema counts as changed, and the order of
/// a map list does not count.
pub(crate) fn unchanged(value: &Value, old: Old<'_>) -> bool {
    match (value, old.value) {
        (Value::Object(new), Value::Object(before)) => {
            new.len() == before.len()
                && new
                    .iter()
                    .all(|(key, value)| old.field(key).is_some_and(|old| unchanged(value, old)))
        }
        (Value::Array(new), Value::Array(before)) => {
            new.len() == before.len()
                && match old.schema.list_type {
                    ListType::Map(_) => {
                        let items = old.items();
                        new.iter()
                            .all(|item| items.get(item).is_some_and(|old| unchanged(item, old)))
                    }
                    _ => new == before,
                }
        }
        (new, before) => new == before,
    }
}
