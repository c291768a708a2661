//! Types and nulls.

use serde_json::{Value, json};

use super::shown;
use crate::change::{Change, Node, Outlook};
use crate::finding::Who;
use crate::place::text;
use crate::rules;
use crate::sample::Demand;

/// The type that a schema names: `any` without one.
pub(crate) fn type_of(schema: &Value) -> &str {
    if schema.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
        return "integer or string";
    }
    match text(schema, &["type"]) {
        "" => "any",
        name => name,
    }
}

/// The Rust type that is generated from a schema, without its name if it has one.
pub(crate) fn rust_type(schema: &Value) -> String {
    let below = |key: &str| {
        schema
            .get(key)
            .map_or_else(|| "Value".to_owned(), rust_type)
    };
    match (type_of(schema), text(schema, &["format"])) {
        ("string", "date-time") => "Time".to_owned(),
        ("string", _) if schema.get("enum").is_some() => "an enum".to_owned(),
        ("string", _) => "String".to_owned(),
        ("integer", "int32") => "i32".to_owned(),
        ("integer", _) => "i64".to_owned(),
        ("number", "float") => "f32".to_owned(),
        ("number", _) => "f64".to_owned(),
        ("boolean", _) => "bool".to_owned(),
        ("array", _) => format!("Vec<{}>", below("items")),
        ("object", _) if schema.get("properties").is_some() => "a struct".to_owned(),
        ("object", _) if schema.get("additionalProperties").is_some() => {
            format!("BTreeMap<String, {}>", below("additionalProperties"))
        }
        ("object", _) => "a map".to_owned(),
        ("integer or string", _) => "IntOrString".to_owned(),
        _ => "Value".to_owned(),
    }
}

pub(super) fn compare(node: Node<'_>) -> Vec<Change> {
    let (old, new) = (type_of(node.old), type_of(node.new));
    let message = format!("type `{old}` → `{new}`");
    let who = match (old, new) {
        ("integer", "number") | (_, "any") => vec![Who::Readers],
        ("number", "integer") => vec![Who::Stored, Who::Writers],
        _ => vec![Who::Stored, Who::Writers, Who::Readers],
    };
    let values = [
        json!("a"),
        json!(1),
        json!(1.5),
        json!(true),
        json!({}),
        json!([]),
    ];
    let least = [node.old, node.new].map(|schema| Demand::of([schema]).least());
    let change = Change::new(rules::TYPE_CHANGED, "type", message, Outlook::Searched(who));
    let rust = format!("`{}` → `{}`", rust_type(node.old), rust_type(node.new));
    vec![change.trying(least).trying(values).in_rust(rust)]
}

pub(super) fn nullable(node: Node<'_>) -> Vec<Change> {
    let (old, new) = node.both("nullable");
    let message = format!("`nullable`: {} → {}", shown(old), shown(new));
    let outlook = Outlook::exact("a null is treated as before");
    let change = Change::new(rules::NULLABLE_CHANGED, "nullable", message, outlook);
    vec![change.trying([Value::Null])]
}
