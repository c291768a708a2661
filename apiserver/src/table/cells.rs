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
    json!(crate::metadata::object::name(object))
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

/// Joins the first `shown` texts, and adds the number of the others.
pub(crate) fn first(
    shown: usize,
    texts: impl IntoIterator<Item = String>,
    separator: &str,
) -> String {
    let mut texts: Vec<String> = texts.into_iter().collect();
    let more = texts.len().saturating_sub(shown);
    texts.truncate(shown);
    let joined = texts.join(separator);
    match more {
        0 => joined,
        more => format!("{joined} + {more} more..."),
    }
}

/// Returns the name of a class, which an annotation may make the default one.
pub(crate) fn class_name(object: &Value, annotation: &str) -> Value {
    let name = crate::metadata::object::name(object);
    let default = object["metadata"]["annotations"][annotation] == "true";
    json!(if default {
        format!("{name} (default)")
    } else {
        name.to_owned()
    })
}

/// Whether the boolean at a path is set.
pub(crate) fn flag(object: &Value, path: &[&str]) -> Value {
    json!(crate::metadata::object::at(object, path) == Some(&Value::Bool(true)))
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

/// Formats a label selector: its requirements by key, and their values in order.
pub(crate) fn selector(selector: &Value) -> Value {
    let labels = selector.get("matchLabels").unwrap_or(selector);
    let pairs = labels.as_object().into_iter().flatten();
    let mut terms: Vec<(&str, String)> = pairs
        .filter(|(key, _)| *key != "matchExpressions")
        .map(|(key, value)| {
            let term = format!("{key}={}", value.as_str().unwrap_or_default());
            (key.as_str(), term)
        })
        .collect();
    for expression in items(selector, &["matchExpressions"]) {
        let key = crate::metadata::object::text(expression, &["key"]);
        let values = items(expression, &["values"]).iter();
        let mut values: Vec<&str> = values.filter_map(Value::as_str).collect();
        values.sort_unstable();
        values.dedup();
        let list = values.join(",");
        let term = match crate::metadata::object::text(expression, &["operator"]) {
            "In" => format!("{key} in ({list})"),
            "NotIn" => format!("{key} notin ({list})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key, term));
    }
    terms.sort_by_key(|(key, _)| *key);
    joined(terms.into_iter().map(|(_, term)| term))
}
