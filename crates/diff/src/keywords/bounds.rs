//! Bounds of numbers, lengths and sizes: decided by comparing them.

use serde_json::{Map, Value, json};

use super::shown;
use crate::change::{Change, Node, Outlook};
use crate::language::{Found, Wanted, find};
use crate::place::text;
use crate::rules;
use crate::sample::{Demand, number};

/// The largest size that is built to show a bound.
const LARGEST: usize = 100_000;

/// Which side a bound limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Upper,
    Lower,
}

impl Side {
    fn of(keyword: &str) -> Self {
        match keyword.starts_with("max") {
            true => Self::Upper,
            false => Self::Lower,
        }
    }
}

/// Compares a bound, and whether it is excluded itself.
pub(super) fn numeric(node: Node<'_>, keywords: [&'static str; 2]) -> Vec<Change> {
    let [keyword, exclusive] = keywords;
    let side = Side::of(keyword);
    let bound = |schema: &Value| -> Option<(f64, bool)> {
        let bound = schema.get(keyword)?.as_f64()?;
        Some((bound, schema.get(exclusive) == Some(&json!(true))))
    };
    let (old, new) = (bound(node.old), bound(node.new));
    let text = |bound: Option<(f64, bool)>| match bound {
        None => "none".to_owned(),
        Some((bound, true)) => format!("`{}`, exclusive", number(bound, false)),
        Some((bound, false)) => format!("`{}`", number(bound, false)),
    };
    let message = format!("`{keyword}`: {} → {}", text(old), text(new));
    let sign = if side == Side::Upper { 1.0 } else { -1.0 };
    let is_narrower = match (old, new) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some((old, is_open)), Some((new, is_open_now))) => {
            sign * new < sign * old || ((new - old).abs() < f64::EPSILON && is_open_now && !is_open)
        }
    };
    let change = |outlook| Change::new(rules::BOUND_CHANGED, keyword, message, outlook);
    let (true, Some((new, is_open))) = (is_narrower, new) else {
        return vec![change(Outlook::wider())];
    };
    let whole = node.is_whole();
    let mut values = Vec::new();
    // The nearest number beyond the new bound, then those up to the old one.
    values.extend(is_open.then_some(new));
    values.push(new + sign * if whole { 1.0 } else { 0.5 });
    values.push(new + sign);
    if let Some((old, is_open)) = old {
        values.push(if is_open {
            old - sign * if whole { 1.0 } else { 1e-6 }
        } else {
            old
        });
        values.push((old + new) / 2.0);
    }
    for factor in [node.old, node.new]
        .iter()
        .filter_map(|it| it.get("multipleOf")?.as_f64())
    {
        let steps = (new / factor).floor() + sign;
        values.extend([steps * factor, (steps + sign) * factor]);
    }
    let values = values.into_iter().map(|value| number(value, whole));
    vec![change(Outlook::narrower()).trying(values)]
}

pub(super) fn multiple_of(node: Node<'_>) -> Vec<Change> {
    let factor = |schema: &Value| schema.get("multipleOf").and_then(Value::as_f64);
    let (old, new) = (factor(node.old), factor(node.new));
    let (shown_old, shown_new) = node.both("multipleOf");
    let message = format!("`multipleOf`: {} → {}", shown(shown_old), shown(shown_new));
    let change = |outlook| Change::new(rules::BOUND_CHANGED, "multipleOf", message, outlook);
    let Some(new) = new else {
        return vec![change(Outlook::wider())];
    };
    let step = old.unwrap_or(1.0);
    if old.is_some() && (step / new).fract() == 0.0 {
        return vec![change(Outlook::wider())];
    }
    let whole = node.is_whole();
    let low = [node.old, node.new]
        .into_iter()
        .filter_map(|it| it.get("minimum")?.as_f64());
    let low = (low.fold(0.0, f64::max) / step).ceil();
    let values = (0..8).map(|index| number((low + f64::from(index)) * step, whole));
    vec![change(Outlook::narrower()).trying(values)]
}

/// Compares counts. `build` makes values of a size.
pub(super) fn counted(
    node: Node<'_>,
    keyword: &'static str,
    build: fn(Node<'_>, usize) -> Vec<Value>,
) -> Vec<Change> {
    let side = Side::of(keyword);
    let (shown_old, shown_new) = node.both(keyword);
    let count = |value: Option<&Value>| {
        let value = value.and_then(Value::as_f64);
        // At least nothing says nothing.
        value.filter(|it| side == Side::Upper || *it > 0.0)
    };
    let (old, new) = (count(shown_old), count(shown_new));
    let message = format!("`{keyword}`: {} → {}", shown(shown_old), shown(shown_new));
    let change = |outlook| Change::new(rules::BOUND_CHANGED, keyword, message, outlook);
    let is_narrower = match (old, new, side) {
        (_, None, _) => false,
        (None, Some(_), _) => true,
        (Some(old), Some(new), Side::Upper) => new < old,
        (Some(old), Some(new), Side::Lower) => new > old,
    };
    let (true, Some(new)) = (is_narrower, new) else {
        return vec![change(Outlook::wider())];
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    let beyond = |bound: f64| match side {
        Side::Upper => bound as usize + 1,
        Side::Lower => (bound as usize).saturating_sub(1),
    };
    let mut sizes = vec![beyond(new)];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    sizes.extend(old.map(|old| old as usize));
    let sizes = sizes.into_iter().filter(|size| *size <= LARGEST);
    let values: Vec<Value> = sizes.flat_map(|size| build(node, size)).collect();
    vec![change(Outlook::narrower()).trying(values)]
}

pub(super) fn texts(node: Node<'_>, size: usize) -> Vec<Value> {
    let demand = Demand::of([node.old]);
    let patterns = demand.patterns();
    if patterns.is_empty() {
        return vec![json!("a".repeat(size))];
    }
    let wanted = Wanted {
        matched: patterns,
        least: size,
        most: Some(size),
        ..Wanted::default()
    };
    match find(&wanted) {
        Found::Text(text) => vec![Value::String(text)],
        _ => Vec::new(),
    }
}

pub(super) fn lists(node: Node<'_>, size: usize) -> Vec<Value> {
    let mut demand = node.demand();
    let sized = json!({"minItems": size});
    demand.schemas.push(&sized);
    let mut value = demand.least();
    if let Some(items) = value.as_array_mut() {
        items.truncate(size);
        return vec![value];
    }
    Vec::new()
}

pub(super) fn objects(node: Node<'_>, size: usize) -> Vec<Value> {
    let demand = node.demand();
    let mut map = demand.least().as_object().cloned().unwrap_or_default();
    let named = [node.old, node.new].into_iter();
    let named = named
        .filter_map(|it| it.get("properties")?.as_object())
        .flatten();
    let values = [node.old, node.new].into_iter();
    let values = values.filter_map(|it| it.get("additionalProperties"));
    let value = Demand::of(values.filter(|it| it.is_object()));
    for (name, schema) in named {
        if map.len() < size && !map.contains_key(name) {
            map.insert(name.clone(), Demand::of([schema]).least());
        }
    }
    let is_map = !value.schemas.is_empty() || text(node.old, &["type"]) != "object";
    let filler = value.least();
    for index in 0..size {
        if map.len() >= size || !is_map {
            break;
        }
        map.entry(format!("key{index}"))
            .or_insert_with(|| filler.clone());
    }
    let required = demand.required();
    let map: Map<String, Value> = match map.len() > size {
        true => {
            let is_required = |name: &String| required.contains(&name.as_str());
            let (kept, rest): (Vec<_>, Vec<_>) =
                map.into_iter().partition(|(name, _)| is_required(name));
            kept.into_iter().chain(rest).take(size).collect()
        }
        false => map,
    };
    vec![Value::Object(map)]
}
