//! Defaulting, and dropping nulls that are not allowed.

use std::fmt;

use serde_json::Value;

use super::node::{Additional, Schema};

/// The defaults of an object exceed a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultsTooLarge;

impl fmt::Display for DefaultsTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the defaults of the object are too large")
    }
}

impl std::error::Error for DefaultsTooLarge {}

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

/// Fills in defaults; a null that is not allowed counts as absent. `budget` is how many bytes they
/// may add, approximately: a default of a list's items may be large, and the list long.
///
/// # Errors
/// If the budget is used up; the rest of the defaults are missing then.
pub(crate) fn fill(
    schema: &Schema,
    value: &mut Value,
    budget: &mut usize,
) -> Result<(), DefaultsTooLarge> {
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
                    spend(default, budget)?;
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in &mut *map {
                if let Some(property) = schema.properties.get(name) {
                    fill(property, value, budget)?;
                } else if let Additional::Schema(additional) = &schema.additional {
                    replace_null(additional, value, budget)?;
                    fill(additional, value, budget)?;
                }
            }
        }
        Value::Array(items) => {
            if let Some(item_schema) = schema.items.as_deref() {
                for item in items {
                    replace_null(item_schema, item, budget)?;
                    fill(item_schema, item, budget)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn replace_null(
    schema: &Schema,
    value: &mut Value,
    budget: &mut usize,
) -> Result<(), DefaultsTooLarge> {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        spend(default, budget)?;
        *value = default.clone();
    }
    Ok(())
}

fn spend(default: &Value, budget: &mut usize) -> Result<(), DefaultsTooLarge> {
    *budget = budget
        .checked_sub(weight(default))
        .ok_or(DefaultsTooLarge)?;
    Ok(())
}

/// Returns the approximate number of bytes of a value.
fn weight(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| name.len() + weight(value))
            .sum(),
        _ => 0,
    };
    inner + 8
}
