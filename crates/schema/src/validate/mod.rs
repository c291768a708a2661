//! Value validation, with the messages of `k8s.io/kube-openapi/pkg/validation/validate`.
//!
//! [`check`] validates a value against one node. On update a value may have its old counterpart;
//! [`ratchet()`] then ignores errors in unchanged values (the CRDValidationRatcheting feature).

mod number;
mod outcome;
mod ratchet;
mod scalar;

use serde_json::{Map, Value};

use self::outcome::{Outcome, composite, invalid};
#[cfg(feature = "cel")]
pub(crate) use self::ratchet::unchanged;
pub(crate) use self::ratchet::{Old, ratchet};
use super::node::{Additional, Checks, Schema};
use super::types::{Kind, Types};
use crate::field::Path;
use crate::field::go_json;
use crate::field::{FieldError, FieldErrorKind};

/// Validates a value, ignoring errors in parts that an update left unchanged.
pub(crate) fn check(
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let checks = schema.checks.as_deref();
    if value.is_null() {
        if let Some(error) = null_error(schema, path) {
            outcome.add(error);
        } else {
            outcome.count(1);
        }
        if let Some(error) = checks.and_then(|checks| enum_error(checks, path, value)) {
            outcome.add(error);
        }
        return outcome;
    }
    if schema.types != Types::Any || schema.format.is_some() {
        match scalar::type_error(schema, path, value) {
            Some(error) => outcome.add(error),
            None => outcome.count(1),
        }
        outcome.count(1);
    }
    outcome.merge(combinators(checks, path, value, old));
    outcome.count(1);
    match value {
        Value::String(text) => {
            outcome.add_all(checks.and_then(|checks| scalar::string_error(checks, path, text)));
            outcome.count(1);
            if let Some(format) = schema.format.as_deref()
                && let Some(held) = super::formats::matches(format, text)
            {
                if !held {
                    outcome.add(scalar::format_error(format, path, text));
                }
                outcome.count(1);
            }
        }
        Value::Number(number) => {
            outcome.merge(number::number_outcome(schema, path, number));
            outcome.count(1);
        }
        Value::Array(items) => {
            outcome.merge(items_outcome(schema, path, items, old));
            outcome.count(1);
        }
        _ => {}
    }
    outcome.add_all(checks.and_then(|checks| enum_error(checks, path, value)));
    outcome.count(1);
    if let Value::Object(map) = value {
        outcome.merge(object_outcome(schema, path, map, old));
        outcome.count(1);
    }
    outcome.count(1);
    outcome
}

fn null_error(schema: &Schema, path: &Path<'_>) -> Option<FieldError> {
    (schema.types != Types::Any && !schema.nullable)
        .then(|| scalar::wrong_type(path, schema.types.names(), "null"))
}

fn enum_error(checks: &Checks, path: &Path<'_>, value: &Value) -> Option<FieldError> {
    if checks.enumeration.is_empty()
        || checks
            .enumeration
            .iter()
            .any(|allowed| same_enum_value(value, allowed))
    {
        return None;
    }
    let allowed: Vec<String> = checks
        .enumeration
        .iter()
        .map(|allowed| match allowed {
            Value::String(text) => crate::field::go_quote(text),
            other => crate::field::go_quote(&go_json(other)),
        })
        .collect();
    let detail = format!("supported values: {}", allowed.join(", "));
    Some(FieldError::with_value(
        path.field(),
        FieldErrorKind::NotSupported,
        value.clone(),
        detail,
    ))
}

/// Go converts the value to the enumerated value's type first: a float is truncated before it is
/// compared with an integer.
fn same_enum_value(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            #[allow(
                clippy::cast_possible_truncation,
                reason = "Go's conversion truncates too"
            )]
            (None, Some(b)) => a.as_f64().is_some_and(|a| a as i64 == b),
            _ => a.as_f64() == b.as_f64(),
        },
        _ => value == allowed,
    }
}

fn combinators(
    checks: Option<&Checks>,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut main = Outcome::default();
    main.count(1);
    let Some(checks) = checks else {
        return main;
    };
    any_of(checks, path, value, old, &mut main);
    one_of(checks, path, value, old, &mut main);
    all_of(checks, path, value, old, &mut main);
    if let Some(not) = &checks.not
        && check(not, path, value, old).is_valid()
    {
        main.add(composite(path, "must not validate the schema (not)"));
    }
    main
}

fn any_of(
    checks: &Checks,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
    main: &mut Outcome,
) {
    let mut best: Option<Outcome> = None;
    for branch in &checks.any_of {
        let result = check(branch, path, value, old);
        if result.is_valid() {
            main.merge(result);
            return;
        }
        if best
            .as_ref()
            .is_none_or(|best| result.matches() > best.matches())
        {
            best = Some(result);
        }
    }
    if let Some(best) = best {
        main.add(composite(path, "must validate at least one schema (anyOf)"));
        main.merge(best);
    }
}

fn one_of(
    checks: &Checks,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
    main: &mut Outcome,
) {
    if checks.one_of.is_empty() {
        return;
    }
    let (mut valid, mut first, mut best): (usize, Option<Outcome>, Option<Outcome>) =
        (0, None, None);
    for branch in &checks.one_of {
        let result = check(branch, path, value, old);
        if result.is_valid() {
            valid += 1;
            best = None;
            first.get_or_insert(result);
        } else if valid == 0
            && best
                .as_ref()
                .is_none_or(|best| result.matches() > best.matches())
        {
            best = Some(result);
        }
    }
    if valid == 1 {
        main.merge(first.unwrap_or_default());
        return;
    }
    let found = match valid {
        0 => "Found none valid".to_owned(),
        n => format!("Found {n} valid alternatives"),
    };
    main.add(composite(
        path,
        &format!("must validate one and only one schema (oneOf). {found}"),
    ));
    main.merge(best.unwrap_or_default());
}

fn all_of(
    checks: &Checks,
    path: &Path<'_>,
    value: &Value,
    old: Option<Old<'_>>,
    main: &mut Outcome,
) {
    let mut valid = 0;
    for branch in &checks.all_of {
        let result = check(branch, path, value, old);
        valid += usize::from(result.is_valid());
        main.merge(result);
    }
    if valid != checks.all_of.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        main.add(composite(
            path,
            &format!("must validate all the schemas (allOf){none}"),
        ));
    }
}

fn items_outcome(
    schema: &Schema,
    path: &Path<'_>,
    items: &[Value],
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(item_schema) = schema.items.as_deref() {
        let old_items = old.map(Old::items);
        for (i, item) in items.iter().enumerate() {
            let item_old = old_items.as_ref().and_then(|old| old.get(item));
            outcome.merge(ratchet(item_schema, &path.index(i), item, item_old));
        }
    }
    outcome.count(1);
    let Some(checks) = schema.checks.as_deref() else {
        return outcome;
    };
    let limits = (checks.min_items, checks.max_items);
    check_size(&mut outcome, path, items.len(), limits, "items");
    if checks.unique_items
        && items
            .iter()
            .enumerate()
            .any(|(i, item)| items.iter().take(i).any(|b| b == item))
    {
        outcome.add(invalid(
            path,
            Value::from(""),
            "shouldn't contain duplicates",
        ));
    }
    outcome
}

fn object_outcome(
    schema: &Schema,
    path: &Path<'_>,
    map: &Map<String, Value>,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let checks = schema.checks.as_deref();
    if let Some(checks) = checks {
        let limits = (checks.min_properties, checks.max_properties);
        check_size(&mut outcome, path, map.len(), limits, "properties");
    }
    outcome.merge(others_outcome(schema, path, map, old));
    for (name, property) in &schema.properties {
        if let Some(value) = map.get(name) {
            let field_old = old.and_then(|old| old.field(name));
            outcome.merge(ratchet(property, &path.child(name), value, field_old));
        }
    }
    for name in checks
        .map(|checks| checks.required.as_slice())
        .unwrap_or_default()
    {
        if !map.contains_key(name) {
            outcome.add(FieldError::new(
                path.field_of(name),
                FieldErrorKind::Required,
                "",
            ));
        }
    }
    outcome
}

/// Validates the fields without a property of their own.
fn others_outcome(
    schema: &Schema,
    path: &Path<'_>,
    map: &Map<String, Value>,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let others = || {
        map.iter()
            .filter(|(key, _)| !schema.properties.contains_key(*key))
    };
    match &schema.additional {
        Additional::Bool(false) => {
            for (key, _) in others() {
                let detail = format!("{}.{key} in body is a forbidden property", path.render());
                outcome.add(FieldError::with_value(
                    path.field(),
                    FieldErrorKind::Invalid,
                    Value::from(key.as_str()),
                    detail,
                ));
            }
        }
        Additional::Schema(additional) => {
            for (key, value) in others() {
                let field_old = old.and_then(|old| old.field(key));
                outcome.merge(ratchet(additional, &path.child(key), value, field_old));
            }
        }
        Additional::Absent | Additional::Bool(true) => {}
    }
    outcome
}

/// Checks a number of items or properties against its minimum and maximum.
fn check_size(
    outcome: &mut Outcome,
    path: &Path<'_>,
    length: usize,
    (min, max): (Option<i64>, Option<i64>),
    noun: &str,
) {
    let size = i64::try_from(length).unwrap_or(i64::MAX);
    if let Some(min) = min.filter(|min| size < *min) {
        let detail = format!("should have at least {min} {noun}");
        outcome.add(invalid(path, Value::from(size), &detail));
    }
    if let Some(max) = max.filter(|max| size > *max) {
        outcome.add(too_many(path, size, max));
    }
}

fn too_many(path: &Path<'_>, actual: i64, max: i64) -> FieldError {
    let items = if max == 1 { "item" } else { "items" };
    let detail = format!("must have at most {max} {items}");
    FieldError::with_value(
        path.field(),
        FieldErrorKind::TooMany,
        Value::from(actual),
        detail,
    )
}

/// Returns the JSON type of a value, as the server infers it from decoded JSON.
pub(crate) fn kind_of(value: &Value) -> Option<Kind> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(number) if number.as_i64().is_some() => Kind::Integer,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    })
}

#[cfg(test)]
mod tests;
