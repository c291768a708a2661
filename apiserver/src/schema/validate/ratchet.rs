//! Ratcheting: on update, an error in a value that did not change is forgiven.

use serde_json::Value;

use super::super::node::{ListType, Schema};
use super::super::path::Path;
use super::{Outcome, check};

/// The old counterpart of a value, and the structural schema that says how their parts correspond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Old<'a> {
    pub(crate) value: &'a Value,
    pub(crate) schema: &'a Schema,
}

impl<'a> Old<'a> {
    /// The old value of a field, if the field was there and has a schema.
    pub(super) fn field(self, name: &str) -> Option<Old<'a>> {
        Some(Old {
            value: self.value.get(name)?,
            schema: self.schema.field(name)?,
        })
    }

    /// The old item with the same keys; only items of map lists correspond.
    pub(super) fn item(self, item: &Value) -> Option<Old<'a>> {
        let ListType::Map(keys) = &self.schema.list_type else {
            return None;
        };
        let schema = self.schema.items.as_deref()?;
        let same =
            |old: &&Value| old.is_object() && keys.iter().all(|key| old.get(key) == item.get(key));
        let value = self.value.as_array()?.iter().find(same)?;
        Some(Old { value, schema })
    }
}

/// Validates a value and forgives its errors if it equals its old counterpart.
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

/// Whether nothing changed. A field that the schema does not know counts as changed, and the order of a map list
/// does not count.
fn unchanged(value: &Value, old: Old<'_>) -> bool {
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
                    ListType::Map(_) => new
                        .iter()
                        .all(|item| old.item(item).is_some_and(|old| unchanged(item, old))),
                    _ => new == before,
                }
        }
        (new, before) => new == before,
    }
}
