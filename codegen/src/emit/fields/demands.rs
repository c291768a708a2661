//! What a schema says of a value besides its type, as short texts.

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

/// How the value of a keyword is written.
#[derive(Clone, Copy)]
enum Form {
    /// A string as it is, other values as JSON.
    Plain,
    /// As JSON.
    Json,
    /// Each item as JSON.
    Items,
    /// Not at all: the label says what `true` means, and `false` says nothing.
    Flag,
    /// Each rule of a list is a demand.
    Rules,
}

/// The keywords that have words of their own, in the order in which they are shown. Others are shown as they are.
const KEYWORDS: &[(&str, &str, Form)] = &[
    ("title", "title", Form::Plain),
    ("default", "default", Form::Json),
    ("enum", "one of", Form::Items),
    ("format", "format", Form::Plain),
    ("pattern", "pattern", Form::Plain),
    ("minimum", "at least", Form::Json),
    ("maximum", "at most", Form::Json),
    ("multipleOf", "a multiple of", Form::Json),
    ("minLength", "minimum length", Form::Json),
    ("maxLength", "maximum length", Form::Json),
    ("minItems", "minimum number of items", Form::Json),
    ("maxItems", "maximum number of items", Form::Json),
    ("uniqueItems", "items are unique", Form::Flag),
    ("minProperties", "minimum number of keys", Form::Json),
    ("maxProperties", "maximum number of keys", Form::Json),
    ("nullable", "may be null", Form::Flag),
    ("x-kubernetes-list-type", "list type", Form::Plain),
    ("x-kubernetes-list-map-keys", "keys of items", Form::Items),
    ("x-kubernetes-map-type", "map type", Form::Plain),
    (
        "x-kubernetes-preserve-unknown-fields",
        "other fields are kept",
        Form::Flag,
    ),
    ("x-kubernetes-validations", "rule", Form::Rules),
    ("example", "example", Form::Json),
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
    for (keyword, label, form) in KEYWORDS {
        let Some(value) = schema.get(*keyword) else {
            continue;
        };
        let label = exclusive(schema, keyword).unwrap_or(label);
        let label = format!("{prefix}{label}");
        match form {
            Form::Flag if value != &Value::Bool(true) => {}
            Form::Flag => demands.push(plain(label, String::new())),
            Form::Plain => demands.push(plain(label, shown(value))),
            Form::Json => demands.push(plain(label, value.to_string())),
            Form::Items => demands.push(plain(label, items(value))),
            Form::Rules => demands.extend(rules(value, &label)),
        }
    }
    let is_other = |keyword: &str| {
        !SHOWN.contains(&keyword) && KEYWORDS.iter().all(|(known, ..)| *known != keyword)
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

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
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
