//! Helpers for the cells of built-in kinds.

use serde_json::{Value, json};

use super::age;

/// Returns the string at a path, or a default if it is empty.
pub(crate) fn text_or(object: &Value, path: &[&str], default: &str) -> Value {
    let text = crate::metadata::object::text(object, path);
    json!(if text.is_empty() { default } else { text })
}

/// Returns the string at a path, or `<none>` if it is empty.
pub(crate) fn text(object: &Value, path: &[&str]) -> Value {
    text_or(object, path, "<none>")
}

/// Returns the integer at a path, or 0 if it is absent.
pub(crate) fn number(object: &Value, path: &[&str]) -> i64 {
    crate::metadata::object::at(object, path)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// Returns the items of the list at a path.
pub(crate) fn items<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    crate::metadata::object::at(object, path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Returns the number of entries of the map at a path.
pub(crate) fn entries(object: &Value, path: &[&str]) -> usize {
    crate::metadata::object::at(object, path)
        .and_then(Value::as_object)
        .map_or(0, serde_json::Map::len)
}

pub(crate) fn name(object: &Value) -> Value {
    object["metadata"]["name"].clone()
}

/// Returns the age of the object.
pub(crate) fn age(object: &Value) -> Value {
    json!(age::since(crate::metadata::object::text(
        object,
        &["metadata", "creationTimestamp"]
    )))
}

/// Joins strings by commas; `<none>` if there are none.
pub(crate) fn joined(texts: impl IntoIterator<Item = String>) -> Value {
    let texts: Vec<String> = texts.into_iter().collect();
    json!(if texts.is_empty() {
        "<none>".to_owned()
    } else {
        texts.join(",")
    })
}

/// Returns a field of the containers of a pod template, joined.
pub(crate) fn containers(object: &Value, path: &[&str], field: &str) -> Value {
    json!(
        items(object, path)
            .iter()
            .map(|c| crate::metadata::object::text(c, &[field]))
            .collect::<Vec<_>>()
            .join(",")
    )
}

/// Formats a label selector.
pub(crate) fn selector(selector: &Value) -> Value {
    let labels = selector.get("matchLabels").unwrap_or(selector);
    let pairs = labels.as_object().into_iter().flatten();
    let mut terms: Vec<String> = pairs
        .filter(|(key, _)| *key != "matchExpressions")
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    for expression in items(selector, &["matchExpressions"]) {
        let key = crate::metadata::object::text(expression, &["key"]);
        let values: Vec<&str> = items(expression, &["values"])
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let list = values.join(",");
        terms.push(
            match crate::metadata::object::text(expression, &["operator"]) {
                "In" => format!("{key} in ({list})"),
                "NotIn" => format!("{key} notin ({list})"),
                "DoesNotExist" => format!("!{key}"),
                _ => key.to_owned(),
            },
        );
    }
    joined(terms)
}
