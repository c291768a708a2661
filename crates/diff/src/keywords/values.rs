//! Listed values, defaults and required fields.

use serde_json::Value;

use super::shown;
use super::types::rust_type;
use crate::change::{Candidate, Change, Node, Outlook};
use crate::finding::{Severity, Who};
use crate::place::list;
use crate::rules;
use crate::sample::Demand;
use crate::variants::{Hints, variants};

/// How many values are named in a message.
const SHOWN: usize = 8;

pub(super) fn listed(node: Node<'_>) -> Vec<Change> {
    let (old, new) = (list(node.old, &["enum"]), list(node.new, &["enum"]));
    let gone = old.iter().filter(|value| !new.contains(value));
    let come = new.iter().filter(|value| !old.contains(value));
    let (gone, come): (Vec<&Value>, Vec<&Value>) = (gone.collect(), come.collect());
    let change =
        |message: String, outlook| Change::new(rules::ENUM_CHANGED, "enum", message, outlook);
    if old.is_empty() || new.is_empty() {
        let is_open = new.is_empty();
        let message = match is_open {
            true => format!("`enum` of {} is gone: any value is allowed", names(&gone)),
            false => format!("`enum` allows {} alone", names(&come)),
        };
        let outlook = match is_open {
            true => Outlook::Searched(vec![Who::Readers]),
            false => Outlook::narrower(),
        };
        let open = if is_open { node.new } else { node.old };
        let values = variants(&Demand::of([open]), &Hints::default(), 24);
        let rust = format!("`{}` → `{}`", rust_type(node.old), rust_type(node.new));
        return vec![change(message, outlook).trying(values).in_rust(rust)];
    }
    if gone.is_empty() && come.is_empty() {
        let reason = "the same values, in another order";
        return vec![change(
            "`enum` is ordered otherwise".to_owned(),
            Outlook::Harmless(reason.to_owned()),
        )];
    }
    let mut message = Vec::new();
    let mut rust = Vec::new();
    if !gone.is_empty() {
        message.push(format!("{} is gone", names(&gone)));
        rust.push("code that names a variant that is gone does not compile".to_owned());
    }
    if let Some(first) = come.first() {
        message.push(format!("{} is new", names(&come)));
        rust.push(format!(
            "a type from the old CRD decodes the new value as `Unrecognized({first})`; an enum without such a variant fails"
        ));
    }
    let outlook =
        Outlook::exact("no value was accepted that is refused now, and none is new to readers");
    let change = change(format!("`enum`: {}", message.join(", ")), outlook);
    let values = gone.into_iter().chain(come).cloned();
    vec![change.trying(values).in_rust(rust.join("; "))]
}

fn names(values: &[&Value]) -> String {
    let shown = values.iter().take(SHOWN).map(|value| format!("`{value}`"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match values.len().checked_sub(SHOWN) {
        Some(rest) if rest > 0 => format!("{shown} and {rest} more"),
        _ => shown,
    }
}

pub(super) fn default(node: Node<'_>) -> Vec<Change> {
    // `false` and an empty text are defaults.
    let (old, new) = (node.old.get("default"), node.new.get("default"));
    if old == new {
        return Vec::new();
    }
    let (message, at_most) = match (old, new) {
        (None, Some(_)) => (format!("the default {} is new", shown(new)), Severity::Risk),
        (Some(_), None) => (
            format!("the default {} is gone", shown(old)),
            Severity::Incompatible,
        ),
        _ => (
            format!("default {} → {}", shown(old), shown(new)),
            Severity::Incompatible,
        ),
    };
    let outlook = Outlook::Searched(vec![Who::Meaning]);
    let mut change = Change::new(rules::DEFAULT_CHANGED, "default", message, outlook);
    change.candidates = vec![Candidate::Absent, Candidate::Value(Value::Null)];
    change.at_most = at_most;
    vec![change]
}

pub(super) fn required(node: Node<'_>) -> Vec<Change> {
    let names = |schema: &Value| -> Vec<String> {
        let names = list(schema, &["required"]).iter().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let (old, new) = (names(node.old), names(node.new));
    let without = |name: &str| {
        let mut values = Vec::new();
        for demand in [
            node.demand(),
            Demand::of([node.old]),
            Demand::of([node.new]),
        ] {
            let mut value = demand.least();
            if let Some(map) = value.as_object_mut() {
                map.remove(name);
                values.push(value);
            }
        }
        values
    };
    let mut found = Vec::new();
    for name in new.iter().filter(|name| !old.contains(name)) {
        let message = format!("`{name}` is required now");
        let outlook = match default_of(node.new, name) {
            true => Outlook::exact("its default is filled in before the object is validated"),
            false => Outlook::narrower(),
        };
        let change = Change::new(rules::REQUIRED_CHANGED, "required", message, outlook);
        let rust = format!(
            "the field is no longer an `Option`: {}",
            field_type(node.new, name)
        );
        found.push(change.trying(without(name)).in_rust(rust));
    }
    let stays = |name: &&String| {
        node.new
            .get("properties")
            .and_then(|it| it.get(name.as_str()))
    };
    for name in old.iter().filter(|name| !new.contains(name)) {
        let is_gone = node
            .old
            .get("properties")
            .is_some_and(|it| it.get(name).is_some());
        if is_gone && stays(&name).is_none() {
            // The field itself is gone, which is another finding.
            continue;
        }
        let message = format!("`{name}` is optional now");
        let outlook = match default_of(node.new, name) {
            true => Outlook::exact("its default is filled in before it is read"),
            false => Outlook::Searched(vec![Who::Readers]),
        };
        let change = Change::new(rules::REQUIRED_CHANGED, "required", message, outlook);
        let rust = format!(
            "the field becomes an `Option`: {}",
            field_type(node.new, name)
        );
        found.push(change.trying(without(name)).in_rust(rust));
    }
    found
}

fn default_of(schema: &Value, name: &str) -> bool {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property.is_some_and(|it| it.get("default").is_some_and(|it| !it.is_null()))
}

fn field_type(schema: &Value, name: &str) -> String {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property.map_or_else(|| "`Value`".to_owned(), |it| format!("`{}`", rust_type(it)))
}
