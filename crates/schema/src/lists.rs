//! Uniqueness in lists of type set and map.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::node::{Additional, Schema};
use super::types::ListType;
use crate::field::Path;
use crate::field::go_json;
use crate::field::{FieldError, FieldErrorKind};

/// Reports the first duplicate of every item (sets) or key (maps).
pub(crate) fn check_lists(
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
    errors: &mut Vec<FieldError>,
) {
    match value {
        Value::Object(map) => check_fields(schema, path, map, errors),
        Value::Array(items) => {
            match &schema.list_type {
                ListType::Atomic => {}
                ListType::Set => {
                    for i in repeated(items.iter()) {
                        let value = items.get(i).cloned().unwrap_or_default();
                        errors.push(duplicate(path, i, value));
                    }
                }
                ListType::Map(keys) => check_map(keys, path, items, errors),
            }
            if let Some(item_schema) = schema.items.as_deref() {
                for (i, item) in items.iter().enumerate() {
                    check_lists(item_schema, &path.index(i), item, errors);
                }
            }
        }
        _ => {}
    }
}

fn check_fields(
    schema: &Schema,
    path: &Path<'_>,
    map: &Map<String, Value>,
    errors: &mut Vec<FieldError>,
) {
    for (name, value) in map {
        if let Additional::Schema(additional) = &schema.additional {
            check_lists(additional, &path.key(name), value, errors);
        }
        if let Some(property) = schema.properties.get(name) {
            check_lists(property, &path.child(name), value, errors);
        }
    }
}

fn check_map(keys: &[String], path: &Path<'_>, items: &[Value], errors: &mut Vec<FieldError>) {
    if let Some((i, item)) = items
        .iter()
        .enumerate()
        .find(|(_, item)| !item.is_null() && !item.is_object())
    {
        errors.push(FieldError::with_value(
            path.index(i).field(),
            FieldErrorKind::Invalid,
            item.clone(),
            "must be an object for an array of list-type map",
        ));
        return;
    }
    let key_of = |item: &Value| -> Value {
        keys.iter()
            .filter_map(|key| Some((key.clone(), item.get(key)?.clone())))
            .collect::<Map<_, _>>()
            .into()
    };
    let found: Vec<Value> = items.iter().map(key_of).collect();
    for i in repeated(found.iter()) {
        errors.push(duplicate(
            path,
            i,
            found.get(i).cloned().unwrap_or_default(),
        ));
    }
}

fn duplicate(path: &Path<'_>, index: usize, value: Value) -> FieldError {
    FieldError::with_value(
        path.index(index).field(),
        FieldErrorKind::Duplicate,
        value,
        "",
    )
}

/// Returns the indices at which a value occurs for the second time.
fn repeated<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut indices = Vec::new();
    for (i, value) in values.enumerate() {
        let times = seen.entry(go_json(value)).or_default();
        *times += 1;
        if *times == 2 {
            indices.push(i);
        }
    }
    indices
}
