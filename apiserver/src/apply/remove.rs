//! Removes fields and list items from a value.

use serde_json::{Map, Value};

use super::element::Element;
use super::set::Set;
use super::types::Type;

/// Returns the value without the items of a set. Emptied maps and lists become null; atomic ones
/// are removed with any item.
pub(super) fn remove_items(ty: &Type<'_>, value: &Value, items: &Set) -> Value {
    let atom = ty.atom().deduce(Some(value));
    match (value, &atom.map, &atom.list) {
        (Value::Object(fields), Some(map), _) => {
            if map.atomic {
                return Value::Null;
            }
            let mut left = Map::new();
            for (name, value) in fields {
                let element = Element::Field(name.clone());
                if items.has_member(&element) {
                    continue;
                }
                let value = match items.below(&element) {
                    Some(below) => remove_items(&map.field(name), value, below),
                    None => value.clone(),
                };
                left.insert(name.clone(), value);
            }
            if left.is_empty() {
                Value::Null
            } else {
                Value::Object(left)
            }
        }
        (Value::Array(found), _, Some(list)) => {
            if list.is_atomic() {
                return Value::Null;
            }
            let mut left = Vec::with_capacity(found.len());
            for item in found {
                let Ok(element) = list.element_of(item) else {
                    left.push(item.clone());
                    continue;
                };
                if items.has_member(&element) {
                    continue;
                }
                left.push(match items.below(&element) {
                    Some(below) => remove_items(&list.element, item, below),
                    None => item.clone(),
                });
            }
            if left.is_empty() {
                Value::Null
            } else {
                Value::Array(left)
            }
        }
        _ if atom.map.is_none() && atom.scalar.is_some() => value.clone(),
        _ => Value::Null,
    }
}
