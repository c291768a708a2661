//! Guided generation: values near the least one of a schema, by the bounds, lists and rules that
//! both schemas have.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::language::{Found, Wanted, find};
use crate::place::{list, text};
use crate::sample::{Demand, FORMATS, number};

/// How deep parts are varied.
const DEPTH: usize = 5;
/// The longest list of large items.
const LARGEST: usize = 64;
/// How many values of one part are combined with those of another.
const COMBINED: usize = 12;

/// Values that rules and combinations name: literals of their texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    numbers: BTreeSet<i64>,
    texts: BTreeSet<String>,
    /// Names of fields: they are varied first.
    names: BTreeSet<String>,
}

impl Hints {
    /// Collects the literals and names of an expression.
    pub(crate) fn read(&mut self, expression: &str) {
        for (index, part) in expression.split(['\'', '"']).enumerate() {
            if index % 2 == 1 {
                self.texts.insert(part.to_owned());
                continue;
            }
            let words = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
            for word in words
                .map(|word| word.trim_matches('-'))
                .filter(|it| !it.is_empty())
            {
                match word.parse::<i64>() {
                    Ok(number) => {
                        self.numbers.insert(number);
                    }
                    Err(_) => {
                        self.names.insert(word.to_owned());
                    }
                }
            }
        }
    }

    /// Collects the values and names of a schema's keywords.
    pub(crate) fn read_schema(&mut self, schema: &Value) {
        match schema {
            Value::String(text) => {
                self.names.insert(text.clone());
                self.texts.insert(text.clone());
            }
            Value::Number(number) => {
                self.numbers.extend(number.as_i64());
            }
            Value::Array(items) => items.iter().for_each(|item| self.read_schema(item)),
            Value::Object(map) => {
                for (name, value) in map {
                    self.names.insert(name.clone());
                    self.read_schema(value);
                }
            }
            _ => {}
        }
    }
}

/// Up to `most` values of a conjunction, the least one first.
pub(crate) fn variants(demand: &Demand<'_>, hints: &Hints, most: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for value in near(demand, hints, 0) {
        if found.len() >= most {
            break;
        }
        if seen.insert(value.to_string()) {
            found.push(value);
        }
    }
    if demand.type_name() == "object" || found.iter().any(Value::is_object) {
        for value in combined(demand, hints, most) {
            if found.len() >= most {
                break;
            }
            if seen.insert(value.to_string()) {
                found.push(value);
            }
        }
    }
    found
}

fn near(demand: &Demand<'_>, hints: &Hints, depth: usize) -> Vec<Value> {
    let mut found = vec![demand.least()];
    for schema in &demand.schemas {
        found.extend(list(schema, &["enum"]).iter().cloned());
        found.extend(schema.get("default").cloned());
        found.extend(schema.get("example").cloned());
    }
    let either = demand
        .schemas
        .iter()
        .any(|it| it.get("x-kubernetes-int-or-string") == Some(&json!(true)));
    match demand.type_name() {
        _ if either => {
            found.extend(numbers(demand, hints, true));
            found.extend(texts(demand, hints));
        }
        "boolean" => found.extend([json!(true), json!(false)]),
        "integer" => found.extend(numbers(demand, hints, true)),
        "number" => found.extend(numbers(demand, hints, false)),
        "string" => found.extend(texts(demand, hints)),
        "array" => found.extend(lists(demand, hints, depth)),
        "object" => found.extend(objects(demand, hints, depth)),
        _ => found.extend([json!("a"), json!(true), json!({}), json!([]), json!(-1)]),
    }
    if demand
        .schemas
        .iter()
        .any(|it| it.get("nullable") == Some(&json!(true)))
    {
        found.push(Value::Null);
    }
    found
}

fn numbers(demand: &Demand<'_>, hints: &Hints, whole: bool) -> Vec<Value> {
    let mut all = vec![0.0, 1.0, -1.0, 2.0, 10.0, 100.0, 65_536.0, 2_147_483_648.0];
    let step = if whole { 1.0 } else { 0.5 };
    let keys = ["minimum", "maximum", "multipleOf"];
    for schema in &demand.schemas {
        for bound in keys.iter().filter_map(|key| schema.get(*key)?.as_f64()) {
            all.extend([bound, bound + step, bound - step, bound * 2.0]);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a literal of a rule")]
    for literal in hints.numbers.iter().take(16).map(|it| *it as f64) {
        all.extend([literal, literal + step, literal - step]);
    }
    all.into_iter().map(|it| number(it, whole)).collect()
}

fn texts(demand: &Demand<'_>, hints: &Hints) -> Vec<Value> {
    let mut all: Vec<String> = vec![String::new(), "a".to_owned(), "A b".to_owned()];
    all.extend(hints.texts.iter().take(24).cloned());
    all.extend(hints.texts.iter().take(8).map(|text| format!("{text}a")));
    all.extend(["*", "*.a", "/", "-a", "a,b"].map(str::to_owned));
    let lengths = ["minLength", "maxLength"];
    for schema in &demand.schemas {
        let bounds = lengths.iter().filter_map(|key| schema.get(*key)?.as_u64());
        for bound in bounds.chain(
            hints
                .numbers
                .iter()
                .filter_map(|it| u64::try_from(*it).ok()),
        ) {
            let bound = usize::try_from(bound).unwrap_or(usize::MAX);
            if bound <= 4_096 {
                let near = [bound.saturating_sub(1), bound, bound + 1];
                all.extend(near.map(|length| "a".repeat(length)));
            }
        }
    }
    let patterns = demand.patterns();
    for excluded in hints.texts.iter().take(4) {
        let wanted = Wanted {
            matched: patterns.clone(),
            unmatched: vec![excluded],
            most: demand.at_most("maxLength"),
            ..Wanted::default()
        };
        if let (false, Found::Text(text)) = (patterns.is_empty(), find(&wanted)) {
            all.push(text);
        }
    }
    let has_format = |it: &Value| !text(it, &["format"]).is_empty();
    if !hints.names.is_empty() || demand.schemas.iter().any(|it| has_format(it)) {
        all.extend(FORMATS.iter().map(|(_, sample)| (*sample).to_owned()));
    }
    all.into_iter().map(Value::String).collect()
}

fn lists(demand: &Demand<'_>, hints: &Hints, depth: usize) -> Vec<Value> {
    let mut all = vec![json!([])];
    if depth >= DEPTH {
        return all;
    }
    let below = demand.schemas.iter().filter_map(|it| it.get("items"));
    let item = Demand::of(below.filter(|it| it.is_object()));
    let items = near(&item, hints, depth + 1);
    all.extend(items.iter().take(COMBINED * 2).map(|one| json!([one])));
    for pair in items.windows(2).take(COMBINED) {
        all.push(json!(pair));
    }
    if let Some(first) = items.first() {
        // The least item is valid where that can be told: beside it, another one counts.
        let second = item.second();
        all.push(json!([first, first]));
        all.push(json!([first, second]));
        for other in items.iter().skip(1).take(COMBINED * 3) {
            all.push(json!([second, other]));
        }
    }
    if depth == 0 {
        for twice in combined(&item, hints, COMBINED * 40) {
            all.push(json!([twice, twice]));
        }
    }
    if depth < 2 {
        // Rules bound sums over items: items that are as large as they may be.
        let large = item.largest(2);
        let most = demand.at_most("maxItems").unwrap_or(LARGEST).min(LARGEST);
        let lengths = [1, 2, 3, 4, 8, 16, most];
        all.extend(
            lengths
                .into_iter()
                .filter(|length| *length <= most)
                .map(|length| {
                    let items = std::iter::repeat_n(large.clone(), length);
                    items.collect()
                }),
        );
    }
    let bounds = ["minItems", "maxItems"];
    let bounds = bounds.into_iter().flat_map(|key| {
        let values = demand
            .schemas
            .iter()
            .filter_map(move |it| it.get(key)?.as_u64());
        values.collect::<Vec<_>>()
    });
    for bound in bounds.filter(|bound| *bound <= 512) {
        let bound = usize::try_from(bound).unwrap_or_default();
        for length in [bound.saturating_sub(1), bound, bound + 1] {
            all.push(items.iter().cycle().take(length).cloned().collect());
        }
    }
    all
}

/// The fields of a conjunction: those that the hints name first.
fn fields<'s>(demand: &Demand<'s>, hints: &Hints) -> Vec<(&'s str, Demand<'s>)> {
    let all = demand
        .schemas
        .iter()
        .filter_map(|it| it.get("properties")?.as_object());
    let mut names: Vec<&'s str> = all.flat_map(|it| it.keys().map(String::as_str)).collect();
    names.sort_by_key(|name| (!hints.names.contains(*name), *name));
    names.dedup();
    let below = names.into_iter().map(|name| {
        let schemas = demand.schemas.iter();
        let schemas = schemas.filter_map(|it| it.get("properties")?.get(name));
        (name, Demand::of(schemas))
    });
    below.take(48).collect()
}

fn objects(demand: &Demand<'_>, hints: &Hints, depth: usize) -> Vec<Value> {
    let least = demand.least();
    let Some(least) = least.as_object().filter(|_| depth < DEPTH) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, below) in fields(demand, hints) {
        for value in near(&below, hints, depth + 1)
            .into_iter()
            .take(COMBINED * 4)
        {
            all.push(with(least, name, Some(value)));
        }
        all.push(with(least, name, None));
    }
    let maps = demand
        .schemas
        .iter()
        .filter_map(|it| it.get("additionalProperties"));
    let value = Demand::of(maps.filter(|it| it.is_object()));
    if !value.schemas.is_empty() {
        for value in near(&value, hints, depth + 1).into_iter().take(COMBINED) {
            all.push(with(least, "key", Some(value)));
        }
    }
    all
}

/// Objects in which two or three fields differ from the least one.
fn combined(demand: &Demand<'_>, hints: &Hints, most: usize) -> Vec<Value> {
    let least = demand.least();
    let Some(least) = least.as_object() else {
        return Vec::new();
    };
    let fields: Vec<(&str, Vec<Option<Value>>)> = fields(demand, hints)
        .into_iter()
        .take(8)
        .map(|(name, below)| {
            let values = near(&below, hints, 1).into_iter().take(COMBINED);
            (name, values.map(Some).chain([None]).collect())
        })
        .collect();
    let mut all = Vec::new();
    for (index, (first, values)) in fields.iter().enumerate() {
        for (second, others) in fields.iter().skip(index + 1) {
            for value in values {
                for other in others {
                    let object = with(least, first, value.clone());
                    if let Value::Object(object) = object {
                        all.push(with(&object, second, other.clone()));
                    }
                    if all.len() >= most {
                        return all;
                    }
                }
            }
        }
    }
    // All fields at once, each with its n-th value.
    for index in 0..COMBINED {
        let mut object = least.clone();
        for (name, values) in &fields {
            if let Some(Some(value)) = values.get(index % values.len().max(1)) {
                object.insert((*name).to_owned(), value.clone());
            }
        }
        all.push(Value::Object(object));
    }
    all
}

/// An object with another value of a field, or without the field.
fn with(object: &Map<String, Value>, name: &str, value: Option<Value>) -> Value {
    let mut object = object.clone();
    match value {
        Some(value) => {
            object.insert(name.to_owned(), value);
        }
        None => {
            object.remove(name);
        }
    }
    Value::Object(object)
}
