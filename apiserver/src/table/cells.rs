//! Small readers that the printers of built-in kinds share.

use serde_json::{Value, json};

use super::age;

/// A text at a path, or a replacement when it is empty.
pub(super) fn text_or(object: &Value, path: &[&str], default: &str) -> Value {
    let text = crate::object::text(object, path);
    json!(if text.is_empty() { default } else { text })
}

/// A text at a path, `<none>` when it is empty.
pub(super) fn text(object: &Value, path: &[&str]) -> Value {
    text_or(object, path, "<none>")
}

/// An integer at a path, 0 when it is absent.
pub(super) fn number(object: &Value, path: &[&str]) -> i64 {
    crate::object::at(object, path)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// The items of a list at a path.
pub(super) fn items<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    crate::object::at(object, path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The number of entries of a map at a path.
pub(super) fn entries(object: &Value, path: &[&str]) -> usize {
    crate::object::at(object, path)
        .and_then(Value::as_object)
        .map_or(0, serde_json::Map::len)
}

pub(super) fn name(object: &Value) -> Value {
    object["metadata"]["name"].clone()
}

/// The age of the object.
pub(super) fn age(object: &Value) -> Value {
    json!(age::since(crate::object::text(
        object,
        &["metadata", "creationTimestamp"]
    )))
}

/// Texts joined by commas, `<none>` when there are none.
pub(super) fn joined(texts: impl IntoIterator<Item = String>) -> Value {
    let texts: Vec<String> = texts.into_iter().collect();
    json!(if texts.is_empty() {
        "<none>".to_owned()
    } else {
        texts.join(",")
    })
}

/// The names of the containers of a pod template.
pub(super) fn containers(object: &Value, path: &[&str], field: &str) -> Value {
    json!(
        items(object, path)
            .iter()
            .map(|c| crate::object::text(c, &[field]))
            .collect::<Vec<_>>()
            .join(",")
    )
}

/// A label selector as text.
pub(super) fn selector(selector: &Value) -> Value {
    let labels = selector.get("matchLabels").unwrap_or(selector);
    let pairs = labels.as_object().into_iter().flatten();
    let mut terms: Vec<String> = pairs
        .filter(|(key, _)| *key != "matchExpressions")
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    for expression in items(selector, &["matchExpressions"]) {
        let key = crate::object::text(expression, &["key"]);
        let values: Vec<&str> = items(expression, &["values"])
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let list = values.join(",");
        terms.push(match crate::object::text(expression, &["operator"]) {
            "In" => format!("{key} in ({list})"),
            "NotIn" => format!("{key} notin ({list})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    joined(terms)
}
