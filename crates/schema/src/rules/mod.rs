//! CEL rules of a schema (`x-kubernetes-validations`): determines which are evaluated for which
//! value.
//!
//! [`check_rules`] traverses an object like kube-apiserver: the rules of a value before those of
//! its parts, nulls are skipped, and the old counterpart of an item is found by the keys of its
//! list.

#[cfg(feature = "cel")]
pub(crate) mod check_cel;
pub(crate) mod check_form;
#[cfg(feature = "cel")]
mod evaluate;
#[cfg(not(feature = "cel"))]
#[path = "unevaluated.rs"]
mod evaluate;
#[cfg(test)]
mod tests;
#[cfg(feature = "cel")]
pub(crate) mod walk;

use serde_json::Value;

use self::evaluate::Evaluation;
use crate::errors::FieldErrors;
use crate::field::Path;
use crate::node::{Additional, Schema};
use crate::types::ListType;

/// A value whose rules are evaluated.
#[derive(Clone, Copy)]
struct Place<'v> {
    schema: &'v Schema,
    value: &'v Value,
    /// The value's old counterpart.
    old: Option<&'v Value>,
}

/// Evaluates every rule that applies to an object or its parts.
pub(crate) fn check_rules(schema: &Schema, object: &Value, old: Option<&Value>) -> FieldErrors {
    let mut evaluation = Evaluation::default();
    let place = Place {
        schema,
        value: object,
        old,
    };
    walk(place, &Path::root(""), &mut evaluation);
    evaluation.found
}

fn walk(place: Place<'_>, path: &Path<'_>, evaluation: &mut Evaluation) {
    let Place { schema, value, old } = place;
    if value.is_null() || !schema.has_rules {
        return;
    }
    for rule in &schema.rules {
        evaluation.check(rule, place, path);
    }
    match value {
        Value::Object(map) => {
            let old = old.filter(|_| !schema.atomic_map);
            for (name, value) in map {
                let old = old.and_then(|old| old.get(name));
                let place = |schema| Place { schema, value, old };
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => {
                        walk(place(property), &path.child(name), evaluation);
                    }
                    (None, Additional::Schema(additional)) => {
                        walk(place(additional), &path.key(name), evaluation);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            let Some(schema_of_items) = schema.items.as_deref() else {
                return;
            };
            for (i, item) in items.iter().enumerate() {
                let place = Place {
                    schema: schema_of_items,
                    value: item,
                    old: old.and_then(|old| counterpart(schema, item, old)),
                };
                walk(place, &path.index(i), evaluation);
            }
        }
        _ => {}
    }
}

/// Returns the old item with the keys of an item; only items of map lists correspond.
fn counterpart<'v>(schema: &Schema, item: &Value, old: &'v Value) -> Option<&'v Value> {
    let ListType::Map(keys) = &schema.list_type else {
        return None;
    };
    let mut items = old.as_array()?.iter();
    items.find(|old| keys.iter().all(|key| old.get(key) == item.get(key)))
}
