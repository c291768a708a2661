//! What a schema says of a value besides its type, as short texts.

use kube_schema::{Form, Keyword};
use serde_json::{Map, Value};

/// One thing that a schema says of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Demand {
    /// What is said: `at least`, `pattern`.
    pub(crate) label: String,
    /// The value: `1`, `^[a-z]+$`; empty if the label says all.
    pub(crate) value: String,
    /// An explanation, such as the message of a rule.
    pub(crate) note: String,
}

/// The keywords that have words of their own, in the order in which they are shown. Others are shown as they are.
#[rustfmt::skip]
const LABELS: &[(&str, &str)] = &[
    ("title", "title"),
    ("default", "default"),
    ("enum", "one of"),
    ("format", "format"),
    ("pattern", "pattern"),
    ("minimum", "at least"),
    ("maximum", "at most"),
    ("multipleOf", "a multiple of"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("minItems", "minimum number of items"),
    ("maxItems", "maximum number of items"),
    ("uniqueItems", "items are unique"),
    ("minProperties", "minimum number of keys"),
    ("maxProperties", "maximum number of keys"),
    ("nullable", "may be null"),
    ("x-kubernetes-list-type", "list type"),
    ("x-kubernetes-list-map-keys", "keys of items"),
    ("x-kubernetes-map-type", "map type"),
    ("x-kubernetes-preserve-unknown-fields", "other fields are kept"),
    ("x-kubernetes-validations", "rule"),
    ("example", "example"),
];

/// Keywords that the field's type, description and properties show.
const SHOWN: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
];

/// What a schema says of a value, of the items of a list, and of the values of a map.
pub(super) fn of(schema: &Value) -> Vec<Demand> {
    let mut demands = Vec::new();
    let mut prefix = String::new();
    let mut schema = Some(schema);
    while let Some(object) = schema.and_then(Value::as_object) {
        add(object, &prefix, &mut demands);
        let (inner, each) = match (object.get("items"), object.get("additionalProperties")) {
            (Some(items), _) => (items, "each item"),
            (None, Some(values)) => (values, "each value"),
            (None, None) => break,
        };
        prefix = match prefix.is_empty() {
            true => format!("{each}: "),
            false => format!("{prefix}{each}: "),
        };
        let text = super::text(inner, "description");
        if !text.is_empty() {
            demands.push(Demand {
                label: prefix.trim_end_matches(": ").to_owned(),
                value: String::new(),
                note: text,
            });
        }
        schema = Some(inner);
    }
    demands
}

fn add(schema: &Map<String, Value>, prefix: &str, demands: &mut Vec<Demand>) {
    for (keyword, label) in LABELS {
        let Some(value) = schema.get(*keyword) else {
            continue;
        };
        let label = exclusive(schema, keyword).unwrap_or(label);
        let label = format!("{prefix}{label}");
        let value = match (Keyword::find(keyword).map(|it| it.form), value) {
            (Some(Form::Flag), Value::Bool(true)) => String::new(),
            (Some(Form::Flag), _) => continue,
            (Some(Form::Text), Value::String(text)) => text.clone(),
            (Some(_), list) if *keyword == "x-kubernetes-validations" => {
                demands.extend(rules(list, &label));
                continue;
            }
            (Some(Form::List | Form::Texts), list) => items(list),
            (_, value) => value.to_string(),
        };
        demands.push(plain(label, value));
    }
    let is_other = |keyword: &str| {
        !SHOWN.contains(&keyword) && LABELS.iter().all(|(known, _)| *known != keyword)
    };
    let others = schema.iter().filter(|(keyword, _)| is_other(keyword));
    demands.extend(
        others.map(|(keyword, value)| plain(format!("{prefix}{keyword}"), value.to_string())),
    );
}

/// The label of a bound that is excluded itself.
fn exclusive(schema: &Map<String, Value>, keyword: &str) -> Option<&'static str> {
    let is_set = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    match keyword {
        "minimum" if is_set("exclusiveMinimum") => Some("more than"),
        "maximum" if is_set("exclusiveMaximum") => Some("less than"),
        _ => None,
    }
}

const fn plain(label: String, value: String) -> Demand {
    Demand {
        label,
        value,
        note: String::new(),
    }
}

fn items(value: &Value) -> String {
    let items = value.as_array().into_iter().flatten();
    items.map(Value::to_string).collect::<Vec<_>>().join(", ")
}

/// Rules in CEL, with their messages.
fn rules<'v>(rules: &'v Value, label: &'v str) -> impl Iterator<Item = Demand> + 'v {
    let rules = rules.as_array().into_iter().flatten();
    rules.map(move |rule| Demand {
        label: label.to_owned(),
        value: super::text(rule, "rule"),
        note: match super::text(rule, "message") {
            none if none.is_empty() => super::text(rule, "messageExpression"),
            message => message,
        },
    })
}
