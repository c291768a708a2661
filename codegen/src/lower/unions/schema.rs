//! Evaluates combinators of a schema (`oneOf`, `anyOf`, `allOf`, `not`) and bounds on its number of
//! properties.

use serde_json::{Map, Value};

use super::facts::{Count, Facts, Truth};
use crate::model::Validation;

/// Whether an object satisfies the combinators and bounds of its schema.
pub(super) fn holds(validation: &Validation, facts: &Facts<'_>) -> Truth {
    let object = |schema: &Value| object(schema, facts);
    let combinators = &validation.combinators;
    let all = combinators.all_of.iter().map(object);
    let any = (!combinators.any_of.is_empty()).then(|| any(&combinators.any_of, object));
    let one = (!combinators.one_of.is_empty()).then(|| one(&combinators.one_of, object));
    let not = combinators.not.as_deref().map(|not| object(not).not());
    let number = |bound: Option<u64>| Some(Count::exactly(i64::try_from(bound?).ok()?));
    let most = number(validation.max_properties).map(|most| most.is_below(facts.count()).not());
    let least = number(validation.min_properties).map(|least| facts.count().is_below(least).not());
    let single = [any, one, not, most, least].into_iter().flatten();
    single.chain(all).fold(Truth::Yes, Truth::and)
}

/// Returns the number of values in the combinators, each of which is evaluated for every
/// assumption.
pub(super) fn weight(validation: &Validation) -> u64 {
    let combinators = &validation.combinators;
    let schemas = combinators.all_of.iter().chain(&combinators.any_of);
    let schemas = schemas.chain(&combinators.one_of);
    let schemas = schemas.chain(combinators.not.as_deref());
    schemas.map(values).fold(1, u64::saturating_add)
}

fn values(schema: &Value) -> u64 {
    let below = match schema {
        Value::Array(items) => items.iter().map(values).fold(0, u64::saturating_add),
        Value::Object(entries) => entries.values().map(values).fold(0, u64::saturating_add),
        _ => 0,
    };
    below.saturating_add(1)
}

/// Collects the property names that combinators require, at any depth of combinators.
pub(super) fn mentioned<'v>(validation: &'v Validation, names: &mut Vec<&'v str>) {
    let combinators = &validation.combinators;
    let schemas = combinators.all_of.iter().chain(&combinators.any_of);
    let schemas = schemas.chain(&combinators.one_of);
    schemas
        .chain(combinators.not.as_deref())
        .for_each(|schema| mentioned_in(schema, names));
}

fn mentioned_in<'v>(schema: &'v Value, names: &mut Vec<&'v str>) {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    names.extend(
        list("required")
            .into_iter()
            .flatten()
            .filter_map(Value::as_str),
    );
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        names.extend(properties.keys().map(String::as_str));
    }
    for schema in ["allOf", "anyOf", "oneOf"].into_iter().flat_map(list) {
        schema.iter().for_each(|schema| mentioned_in(schema, names));
    }
    if let Some(not) = schema.get("not") {
        mentioned_in(not, names);
    }
}

fn any(schemas: &[Value], holds: impl Fn(&Value) -> Truth) -> Truth {
    schemas.iter().map(holds).fold(Truth::No, Truth::or)
}

fn one(schemas: &[Value], holds: impl Fn(&Value) -> Truth) -> Truth {
    Count::of(schemas.iter().map(holds)).equals(Count::exactly(1))
}

/// Whether an object satisfies a schema within combinators.
fn object(schema: &Value, facts: &Facts<'_>) -> Truth {
    keywords(schema, |key, value| match (key, value) {
        ("required", Value::Array(names)) => names
            .iter()
            .map(|name| name.as_str().map_or(Truth::Unknown, |name| facts.has(name)))
            .fold(Truth::Yes, Truth::and),
        ("properties", Value::Object(properties)) => properties
            .iter()
            .map(|(name, schema)| property(name, schema, facts))
            .fold(Truth::Yes, Truth::and),
        ("type", Value::String(type_)) if type_ == "object" => Truth::Yes,
        _ => combinator(key, value, &|schema| object(schema, facts)),
    })
}

/// Whether a property is absent or satisfies a schema.
fn property(name: &str, schema: &Value, facts: &Facts<'_>) -> Truth {
    let is_right = match facts.value(name) {
        Some(value) => text(schema, value),
        None if schema.as_object().is_some_and(Map::is_empty) => Truth::Yes,
        None => Truth::Unknown,
    };
    facts.has(name).not().or(is_right)
}

/// Whether a string satisfies a schema.
fn text(schema: &Value, value: &str) -> Truth {
    keywords(schema, |key, demanded| match (key, demanded) {
        ("enum", Value::Array(values)) => values.iter().any(|one| one == value).into(),
        ("type", Value::String(type_)) if type_ == "string" => Truth::Yes,
        _ => combinator(key, demanded, &|schema| text(schema, value)),
    })
}

fn keywords(schema: &Value, holds: impl Fn(&str, &Value) -> Truth) -> Truth {
    let Some(schema) = schema.as_object() else {
        return Truth::Unknown;
    };
    let keywords = schema.iter().map(|(key, value)| holds(key, value));
    keywords.fold(Truth::Yes, Truth::and)
}

/// Evaluates a keyword about the value as a whole; only the API server can evaluate others.
fn combinator(key: &str, value: &Value, holds: &dyn Fn(&Value) -> Truth) -> Truth {
    match (key, value) {
        ("allOf", Value::Array(all)) => all.iter().map(holds).fold(Truth::Yes, Truth::and),
        ("anyOf", Value::Array(schemas)) => any(schemas, holds),
        ("oneOf", Value::Array(schemas)) => one(schemas, holds),
        ("not", schema) => holds(schema).not(),
        ("description" | "title" | "example" | "externalDocs", _) => Truth::Yes,
        _ => Truth::Unknown,
    }
}
