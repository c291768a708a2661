//! Extracts the fields that a field manager has applied, from an object's `managedFields`.
//!
//! `fieldsV1` names each field that a manager owns: the prefix `f:` precedes a field's name, `k:`
//! the keys of a list item, `v:` an item of a set, and `.` is the value itself. As in Go's
//! `ExtractInto`, the leaves of that set are copied from the object. A leaf that is an object or a
//! list is either atomic, and copied whole, or owned without its contents. Go looks that up in a
//! schema. Here the sets of all managers decide: if any of them owns a part of the value, it is not
//! atomic.

use kube::core::ObjectMeta;
use kube::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::json::{from_value, to_value};

/// Why the fields of a manager could not be extracted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The object has no `managedFields`.
    #[error("the object has no managedFields: read it with a client's get; informers drop them")]
    NoManagedFields,
    /// The object could not be serialised.
    #[error("cannot serialise the object to extract from: {0}")]
    Serialize(#[source] serde_json::Error),
    /// The fields do not decode as the apply configuration.
    #[error("cannot decode the extracted fields: {0}")]
    Deserialize(#[source] serde_json::Error),
}

pub(super) fn extract<K, C>(
    object: &K,
    manager: &str,
    subresource: &str,
) -> Result<Option<C>, ExtractError>
where
    K: Resource<DynamicType = ()> + Serialize,
    C: DeserializeOwned,
{
    let meta = object.meta();
    if meta.managed_fields.is_none() {
        return Err(ExtractError::NoManagedFields);
    }
    let Some(owned) = owned(meta, manager, subresource) else {
        return Ok(None);
    };
    let value = to_value(object).map_err(ExtractError::Serialize)?;
    let sets: Vec<&Map<String, Value>> = object
        .managed_fields()
        .iter()
        .filter_map(|entry| entry.fields_v1.as_ref()?.0.as_object())
        .collect();
    let mut extracted = taken_from(&value, owned, &sets).unwrap_or_else(|| json!({}));
    name(&mut extracted, &value);
    let extracted = from_value(&extracted).map_err(ExtractError::Deserialize)?;
    Ok(Some(extracted))
}

/// Returns the field set that a manager has applied.
fn owned<'a>(
    meta: &'a ObjectMeta,
    manager: &str,
    subresource: &str,
) -> Option<&'a Map<String, Value>> {
    let mut entries = meta.managed_fields.iter().flatten();
    let entry = entries.find(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.as_deref().unwrap_or_default() == subresource
    })?;
    entry.fields_v1.as_ref()?.0.as_object()
}

/// Adds the fields that identify the object.
fn name(extracted: &mut Value, object: &Value) {
    let Value::Object(fields) = extracted else {
        return;
    };
    for field in ["apiVersion", "kind"] {
        fields.insert(field.to_owned(), object[field].clone());
    }
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    for field in ["name", "namespace"] {
        let value = &object["metadata"][field];
        if !value.is_null() {
            metadata[field] = value.clone();
        }
    }
}

/// Returns the leaves of `set` in `value`, or `None` if `value` has none of them. `sets` are those
/// of all managers at this position.
fn taken_from(
    value: &Value,
    set: &Map<String, Value>,
    sets: &[&Map<String, Value>],
) -> Option<Value> {
    if !has_parts(set) {
        let is_one_value = !sets.iter().any(|set| has_parts(set));
        return Some(match value {
            Value::Object(_) if !is_one_value => json!({}),
            Value::Array(_) if !is_one_value => json!([]),
            value => value.clone(),
        });
    }
    let part = |element: &str, value: &Value| {
        let set = set.get(element)?.as_object()?;
        let sets = sets.iter().filter_map(|set| set.get(element)?.as_object());
        taken_from(value, set, &sets.collect::<Vec<_>>())
    };
    match value {
        Value::Object(fields) => {
            let parts = fields.iter().filter_map(|(name, value)| {
                let part = part(&format!("f:{name}"), value)?;
                Some((name.clone(), part))
            });
            let parts: Map<String, Value> = parts.collect();
            (!parts.is_empty()).then_some(Value::Object(parts))
        }
        Value::Array(items) => {
            let elements: Vec<Element<'_>> = set.keys().filter_map(|e| Element::of(e)).collect();
            let parts = items.iter().enumerate().filter_map(|(index, item)| {
                let element = elements.iter().find(|element| element.is(index, item))?;
                let part = part(element.text, item)?;
                Some(element.with_keys(part))
            });
            let parts: Vec<Value> = parts.collect();
            (!parts.is_empty()).then_some(Value::Array(parts))
        }
        _ => None,
    }
}

/// Whether a set contains more than the value itself.
fn has_parts(set: &Map<String, Value>) -> bool {
    set.keys().any(|element| element != ".")
}

/// A list item, as a field set identifies it.
struct Element<'a> {
    text: &'a str,
    item: Item,
}

enum Item {
    /// By its keys.
    Keys(Map<String, Value>),
    /// By its value.
    Value(Value),
    /// By its position.
    Index(usize),
}

impl<'a> Element<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let item = match kind {
            "k" => Item::Keys(serde_json::from_str(rest).ok()?),
            "v" => Item::Value(serde_json::from_str(rest).ok()?),
            "i" => Item::Index(rest.parse().ok()?),
            _ => return None,
        };
        Some(Self { text, item })
    }

    fn is(&self, index: usize, item: &Value) -> bool {
        match &self.item {
            Item::Keys(keys) => keys
                .iter()
                .all(|(key, value)| is_same(item.get(key).unwrap_or(&Value::Null), value)),
            Item::Value(value) => is_same(item, value),
            Item::Index(position) => *position == index,
        }
    }

    /// Adds the item's keys, unless the item has any of them. A key that its manager does not own
    /// has its default from the server, and is left out as before.
    fn with_keys(&self, mut item: Value) -> Value {
        if let (Item::Keys(keys), Value::Object(fields)) = (&self.item, &mut item)
            && !keys.keys().any(|key| fields.contains_key(key))
        {
            fields.extend(keys.clone());
        }
        item
    }
}

/// Whether two values are equal to the API server, which treats 1 and 1.0 alike.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
}
