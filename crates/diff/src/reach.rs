//! Brings an object to be accepted, while a path of it stays: discriminators, siblings that exclude
//! each other, fields that others need.

use serde_json::Value;

use crate::place::{Step, list};
use crate::run::Side;
use crate::sample::Demand;

/// How many objects are tried.
const TRIES: usize = 400;
/// How many values of one field are tried.
const VALUES: usize = 24;

/// Changes siblings of the path, one at a time, as long as the side reports fewer errors. `None` if
/// some are left.
pub(crate) fn reach(side: &Side, object: &Value, steps: &[Step]) -> Option<Value> {
    let mut best = object.clone();
    let mut least = side.refusals(&best).len();
    let mut tries = 0;
    while least > 0 {
        let before = least;
        for edited in edits(&Demand::of([&side.schema]), &best, steps, 0) {
            tries += 1;
            if tries > TRIES {
                return None;
            }
            let errors = side.refusals(&edited).len();
            if errors < least {
                (best, least) = (edited, errors);
                break;
            }
        }
        if least == before {
            return None;
        }
    }
    Some(best)
}

/// The object with one sibling of the path changed, those nearest to the end of the path first.
fn edits(demand: &Demand<'_>, value: &Value, steps: &[Step], depth: usize) -> Vec<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Vec::new();
    };
    let below = demand.step(step);
    let mut found = Vec::new();
    match (step, value) {
        (Step::Property(name), Value::Object(map)) => {
            if let Some(inner) = map.get(name) {
                for edited in edits(&below, inner, rest, depth + 1) {
                    let mut map = map.clone();
                    map.insert(name.clone(), edited);
                    found.push(Value::Object(map));
                }
            }
            found.extend(siblings(demand, value, name, depth == 0));
        }
        (Step::Values, Value::Object(map)) => {
            if let Some(inner) = map.get("key") {
                for edited in edits(&below, inner, rest, depth + 1) {
                    let mut map = map.clone();
                    map.insert("key".to_owned(), edited);
                    found.push(Value::Object(map));
                }
            }
        }
        (Step::Items, Value::Array(items)) => {
            if let Some(first) = items.first() {
                for edited in edits(&below, first, rest, depth + 1) {
                    let mut items = items.clone();
                    if let Some(first) = items.first_mut() {
                        *first = edited;
                    }
                    found.push(Value::Array(items));
                }
            }
        }
        _ => {}
    }
    found
}

/// The object with a field beside `name` gone, added, or with another listed value.
fn siblings(demand: &Demand<'_>, value: &Value, name: &str, is_root: bool) -> Vec<Value> {
    let Value::Object(map) = value else {
        return Vec::new();
    };
    let named = demand.schemas.iter();
    let named = named
        .filter_map(|it| it.get("properties")?.as_object())
        .flatten();
    let is_fixed = |other: &str| {
        other == name || is_root && matches!(other, "apiVersion" | "kind" | "metadata")
    };
    let mut found = Vec::new();
    let mut alone = map.clone();
    alone.retain(|other, _| is_fixed(other));
    if alone.len() < map.len() {
        found.push(Value::Object(alone));
    }
    for (other, schema) in named.filter(|(other, _)| !is_fixed(other)) {
        let mut with = |value: Option<Value>| {
            let mut map = map.clone();
            match value {
                Some(value) => map.insert(other.clone(), value),
                None => map.remove(other),
            };
            found.push(Value::Object(map));
        };
        let listed = list(schema, &["enum"]);
        for value in listed.iter().take(VALUES) {
            with(Some(value.clone()));
        }
        match map.get(other) {
            Some(Value::Bool(flag)) => with(Some(Value::Bool(!flag))),
            Some(_) => with(None),
            None if listed.is_empty() => with(Some(Demand::of([schema]).least())),
            None => {}
        }
    }
    found
}
