//! An object to start from: every field that is required, with a value that its schema permits where that can be told.

use serde_json::{Map, Value, json};

/// A sample of a kind, which the API server accepts unless patterns or rules ask for more than can be told from a schema.
pub(crate) fn sample(api_version: &str, kind: &str, namespaced: bool, schema: &Value) -> Value {
    let mut object = Map::new();
    object.insert("apiVersion".to_owned(), json!(api_version));
    object.insert("kind".to_owned(), json!(kind));
    let name = kind.to_lowercase();
    let mut metadata = json!({"name": format!("my-{name}")});
    if namespaced {
        metadata["namespace"] = json!("default");
    }
    object.insert("metadata".to_owned(), metadata);
    let spec = schema.get("properties").and_then(|it| it.get("spec"));
    if let Some(spec) = spec {
        object.insert("spec".to_owned(), value(spec));
    }
    let others = required(schema).filter(|name| !object_has(name));
    let others: Vec<String> = others.map(str::to_owned).collect();
    for name in others {
        let property = schema.get("properties").and_then(|it| it.get(&name));
        object.insert(name.clone(), property.map_or(Value::Null, value));
    }
    Value::Object(object)
}

/// Whether a sample has the field whatever its schema says, or must not have it.
fn object_has(name: &str) -> bool {
    ["apiVersion", "kind", "metadata", "spec", "status"].contains(&name)
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let required = schema.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str)
}

/// A value that the schema permits: the one that it names, or the smallest.
fn value(schema: &Value) -> Value {
    let first = |key: &str| schema.get(key)?.as_array()?.first().cloned();
    let given = schema.get("default").or(schema.get("example")).cloned();
    if let Some(given) = given.or_else(|| first("enum")) {
        return given;
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_i64);
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => object(schema),
        Some("array") => {
            let length = number("minItems").unwrap_or_default().clamp(0, 8);
            let item = schema.get("items").map_or(Value::Null, value);
            (0..length).map(|_| item.clone()).collect()
        }
        Some("integer" | "number") => json!(bounded(schema)),
        Some("boolean") => json!(false),
        Some("string") => json!(string(schema)),
        _ => json!(0),
    }
}

fn object(schema: &Value) -> Value {
    let property = |name: &str| schema.get("properties")?.get(name).map(value);
    let fields = required(schema);
    let fields = fields.filter_map(|name| Some((name.to_owned(), property(name)?)));
    let mut object: Map<String, Value> = fields.collect();
    // Some field must be there, if one of several is demanded.
    let demanded = schema.get("oneOf").or(schema.get("anyOf"));
    let first = demanded
        .and_then(Value::as_array)
        .and_then(|all| all.first());
    for name in first.into_iter().flat_map(required) {
        if let Some(value) = property(name) {
            object.entry(name.to_owned()).or_insert(value);
        }
    }
    Value::Object(object)
}

/// An integer within the bounds: the one nearest to 1.
fn bounded(schema: &Value) -> i64 {
    let is_set = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let low = bound("minimum").map(|it| it.ceil() as i64 + i64::from(is_set("exclusiveMinimum")));
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let high = bound("maximum").map(|it| it.floor() as i64 - i64::from(is_set("exclusiveMaximum")));
    let high = high.unwrap_or(i64::MAX);
    1.max(low.unwrap_or(i64::MIN)).min(high)
}

fn string(schema: &Value) -> String {
    match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => return "2026-01-01T00:00:00Z".to_owned(),
        Some("date") => return "2026-01-01".to_owned(),
        Some("duration") => return "1m".to_owned(),
        Some("ipv4" | "ip") => return "192.0.2.1".to_owned(),
        Some("ipv6") => return "2001:db8::1".to_owned(),
        Some("cidr") => return "192.0.2.0/24".to_owned(),
        Some("uri" | "url") => return "https://example.com".to_owned(),
        Some("uuid") => return "00000000-0000-4000-8000-000000000000".to_owned(),
        Some("email") => return "name@example.com".to_owned(),
        _ => {}
    }
    let length = schema.get("minLength").and_then(Value::as_u64);
    let length = usize::try_from(length.unwrap_or_default()).unwrap_or_default();
    let text = "string";
    let longest = schema.get("maxLength").and_then(Value::as_u64);
    let longest = usize::try_from(longest.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let kept = text.len().min(longest);
    format!("{:-<length$}", &text[..kept], length = length.min(64))
}
