//! Defaulting, and dropping nulls that are not allowed.

use serde_json::Value;

use super::node::{Additional, Schema};

/// Removes nulls of fields that are neither nullable nor defaulted.
pub(crate) fn drop_nulls(schema: Option<&Schema>, value: &mut Value) {
    match value {
        Value::Object(map) => map.retain(|name, value| {
            let field = schema.and_then(|schema| schema.field(name));
            if value.is_null() {
                return field.is_none_or(|field| field.nullable || field.default.is_some());
            }
            drop_nulls(field, value);
            true
        }),
        Value::Array(items) => {
            let item_schema = schema.and_then(|schema| schema.items.as_deref());
            items
                .iter_mut()
                .for_each(|item| drop_nulls(item_schema, item));
        }
        _ => {}
    }
}

/// Fills in defaults; a null that is not allowed counts as absent.
pub(crate) fn fill(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                if map
                    .get(name)
                    .is_none_or(|value| value.is_null() && !property.nullable)
                {
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in &mut *map {
                if let Some(property) = schema.properties.get(name) {
                    fill(property, value);
                } else if let Additional::Schema(additional) = &schema.additional {
                    replace_null(additional, value);
                    fill(additional, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(item_schema) = schema.items.as_deref() {
                for item in items {
                    replace_null(item_schema, item);
                    fill(item_schema, item);
                }
            }
        }
        _ => {}
    }
}

fn replace_null(schema: &Schema, value: &mut Value) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        *value = default.clone();
    }
}
