//! What a type generated from a schema does with a value that the schema does not have.

use serde_json::Value;

use crate::place::{is_identity, list};

/// Why an old client does not see what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// Decoding fails, as for a type from the schema: the path and the error.
    Fails(String, String),
    /// A field that the type needs is absent: the path of what lacks it, and its name.
    Absent(String, String),
    /// The value decodes as one that is not listed.
    Unlisted(String, String),
}

/// Returns all misfits of a value.
pub(crate) fn misfits(schema: &Value, value: &Value) -> Vec<Misfit> {
    let mut found = Vec::new();
    walk(schema, value, &mut String::new(), &mut found);
    found
}

fn walk(schema: &Value, value: &Value, path: &mut String, found: &mut Vec<Misfit>) {
    if found.len() >= 100 {
        return;
    }
    if value.is_null() && schema.get("nullable") == Some(&Value::Bool(true)) {
        return;
    }
    if let Some(error) = type_error(schema, value) {
        found.push(Misfit::Fails(path.clone(), error));
        return;
    }
    let listed = list(schema, &["enum"]);
    if !listed.is_empty() && !value.is_null() && !listed.contains(value) {
        found.push(Misfit::Unlisted(path.clone(), value.to_string()));
    }
    match value {
        Value::Object(map) => {
            for name in list(schema, &["required"]).iter().filter_map(Value::as_str) {
                let is_null = map.get(name).is_none_or(Value::is_null);
                if is_null && !allows_null(schema, name) {
                    found.push(Misfit::Absent(path.clone(), name.to_owned()));
                }
            }
            for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                let named = schema.get("properties").and_then(|it| it.get(name));
                let below = named.or_else(|| schema.get("additionalProperties"));
                let is_meta = path.is_empty() && is_identity(name);
                if let Some(below) = below.filter(|it| it.is_object() && !is_meta) {
                    within(path, &format!(".{name}"), |path| {
                        walk(below, value, path, found)
                    });
                }
            }
        }
        Value::Array(items) => {
            if let Some(below) = schema.get("items").filter(|it| it.is_object()) {
                for (index, item) in items.iter().enumerate() {
                    within(path, &format!("[{index}]"), |path| {
                        walk(below, item, path, found)
                    });
                }
            }
        }
        _ => {}
    }
}

fn within(path: &mut String, step: &str, visit: impl FnOnce(&mut String)) {
    let length = path.len();
    let step = if path.is_empty() {
        step.trim_start_matches('.')
    } else {
        step
    };
    path.push_str(step);
    visit(path);
    path.truncate(length);
}

fn allows_null(schema: &Value, name: &str) -> bool {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property
        .is_none_or(|it| it.get("nullable") == Some(&Value::Bool(true)) || it.get("type").is_none())
}

/// The error of serde for a value of another type.
fn type_error(schema: &Value, value: &Value) -> Option<String> {
    if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
        let fits = value.is_string() || value.is_i64() || value.is_u64();
        return (!fits).then(|| mismatch(value, "an integer or a string"));
    }
    let name = schema.get("type").and_then(Value::as_str)?;
    let format = schema
        .get("format")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (fits, expected) = match name {
        "object" => (value.is_object(), "a map"),
        "array" => (value.is_array(), "a sequence"),
        "boolean" => (value.is_boolean(), "a boolean"),
        "string" if matches!(format, "date-time") => {
            let is_time = value.as_str().is_some_and(is_time);
            (is_time, "a timestamp")
        }
        "string" => (value.is_string(), "a string"),
        "integer" if format == "int32" => {
            let small = value.as_i64().is_some_and(|it| i32::try_from(it).is_ok());
            (small, "i32")
        }
        "integer" => (is_whole(value), "i64"),
        "number" => (value.is_number(), "f64"),
        _ => return None,
    };
    (!fits).then(|| mismatch(value, expected))
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
}

/// Whether a text begins as a time does; the server has checked the rest.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20 && bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-')
}

fn mismatch(value: &Value, expected: &str) -> String {
    let what = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("boolean `{flag}`"),
        Value::Number(number) if number.is_f64() => format!("floating point `{number}`"),
        Value::Number(number) => format!("integer `{number}`"),
        Value::String(text) => format!("string {text:?}"),
        Value::Array(_) => "sequence".to_owned(),
        Value::Object(_) => "map".to_owned(),
    };
    format!("invalid type: {what}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_a_type_does_not_have_are_found() {
        let schema = json!({"type": "object", "properties": {"spec": {
            "type": "object", "required": ["a"],
            "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "array", "items": {"type": "integer"}}},
        }}});
        let found = |spec: Value| misfits(&schema, &json!({"spec": spec}));
        assert_eq!(found(json!({"a": "x", "c": 1})), []);
        assert_eq!(
            found(json!({"a": "y"})),
            [Misfit::Unlisted("spec.a".into(), "\"y\"".into())]
        );
        let missing = Misfit::Absent("spec".into(), "a".into());
        assert_eq!(found(json!({})), [missing]);
        let wrong = "invalid type: string \"1\", expected i64";
        let wrong = Misfit::Fails("spec.b[0]".into(), wrong.into());
        assert_eq!(found(json!({"a": "x", "b": ["1"]})), [wrong]);
    }
}
