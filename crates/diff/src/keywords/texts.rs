//! Formats and patterns.

use serde_json::{Value, json};

use super::shown;
use super::types::rust_type;
use crate::change::{Change, Node, Outlook};
use crate::finding::Who;
use crate::language::{Found, Wanted, find};
use crate::place::text;
use crate::rules;
use crate::sample::{Demand, FORMATS};

/// Formats of numbers that the server checks.
const OF_NUMBERS: [&str; 4] = ["int32", "int64", "float", "double"];

pub(super) fn format(node: Node<'_>) -> Vec<Change> {
    let (old, new) = node.both("format");
    let message = format!("`format`: {} → {}", shown(old), shown(new));
    let is_checked = |schema: &Value| {
        let format = text(schema, &["format"]);
        let known = FORMATS.iter().any(|(names, _)| names.contains(&format));
        known || OF_NUMBERS.contains(&format)
    };
    let outlook = match (is_checked(node.old), is_checked(node.new)) {
        (false, false) => {
            Outlook::Harmless("the server does not check values by these formats".to_owned())
        }
        (true, false) => Outlook::Searched(vec![Who::Readers]),
        _ => Outlook::Searched(vec![Who::Stored, Who::Writers, Who::Readers]),
    };
    let texts = FORMATS.iter().map(|(_, sample)| json!(sample));
    let texts = texts.chain([json!("not of this format"), json!("!")]);
    let numbers = [
        json!(2_147_483_648_i64),
        json!(-2_147_483_649_i64),
        json!(1e300),
        json!(1),
    ];
    let change = Change::new(rules::FORMAT_CHANGED, "format", message, outlook);
    let change = change.trying(texts).trying(numbers);
    let (before, after) = (rust_type(node.old), rust_type(node.new));
    vec![match before == after {
        true => change,
        false => change.in_rust(format!("`{before}` → `{after}`")),
    }]
}

pub(super) fn pattern(node: Node<'_>) -> Vec<Change> {
    let (old, new) = node.both("pattern");
    let message = format!("`pattern`: {} → {}", shown(old), shown(new));
    let change = |outlook| Change::new(rules::PATTERN_CHANGED, "pattern", message, outlook);
    let Some(new) = new.and_then(Value::as_str) else {
        return vec![change(Outlook::wider())];
    };
    let demand = Demand::of([node.old]);
    let mut wanted = Wanted {
        matched: demand.patterns(),
        unmatched: vec![new],
        least: demand.at_least("minLength"),
        most: demand.at_most("maxLength"),
    };
    let found = match find(&wanted) {
        Found::Text(found) => found,
        Found::None => {
            let reason = "the new pattern matches every text that the schema allowed before";
            return vec![change(Outlook::Harmless(reason.to_owned()))];
        }
        Found::Unknown => return vec![change(Outlook::narrower())],
    };
    // An empty text convinces nobody, if there is another one.
    wanted.least = wanted.least.max(1);
    let longer = match find(&wanted) {
        Found::Text(text) => Some(text),
        _ => None,
    };
    let values = longer.into_iter().chain([found]).map(Value::String);
    vec![change(Outlook::narrower()).trying(values)]
}
