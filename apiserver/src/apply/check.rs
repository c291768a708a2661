//! Checks that an applied configuration matches the type of the object.

use std::collections::BTreeSet;

use serde_json::Value;

use super::builtin::ScalarType;
use super::types::{ListShape, MapShape, Type};
use crate::field::{go_float, go_plain, go_quote};

/// Returns the first errors of a configuration in structured-merge-diff's format; `None` if it is
/// valid.
pub(super) fn check(ty: &Type<'_>, value: &Value) -> Option<String> {
    let mut errors = Vec::new();
    visit(ty, value, "", &mut errors);
    match errors.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        many => Some(format!("errors:\n  {}", many.join("\n  "))),
    }
}

fn push(errors: &mut Vec<String>, path: &str, message: &str) {
    errors.push(if path.is_empty() {
        message.to_owned()
    } else {
        format!("{path}: {message}")
    });
}

fn visit(ty: &Type<'_>, value: &Value, path: &str, errors: &mut Vec<String>) {
    let atom = ty.atom().deduce(Some(value));
    if value.is_null() {
        return;
    }
    if let Some(map) = &atom.map {
        match value {
            Value::Object(_) => visit_map(map, value, path, errors),
            other => push(
                errors,
                path,
                &format!("expected map, got &{{{}}}", go_plain(other)),
            ),
        }
    } else if let Some(scalar) = atom.scalar {
        if let Some(message) = scalar_fault(scalar, value) {
            push(errors, path, &message);
        }
    } else if let Some(list) = &atom.list {
        match value {
            Value::Array(items) => visit_list(list, items, path, errors),
            other => push(
                errors,
                path,
                &format!("expected list, got &{{{}}}", go_plain(other)),
            ),
        }
    }
}

fn visit_map(map: &MapShape<'_>, value: &Value, path: &str, errors: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let here = format!("{path}.{name}");
        let ty = map.field(name);
        if matches!(ty, Type::Undeclared) {
            push(errors, &here, "field not declared in schema");
            return;
        }
        visit(&ty, value, &here, errors);
    }
}

fn visit_list(list: &ListShape<'_>, items: &[Value], path: &str, errors: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (i, item) in items.iter().enumerate() {
        let step = if list.is_atomic() {
            format!("[{i}]")
        } else {
            match list.element_of(item) {
                Ok(element) => {
                    let step = element.to_string();
                    if !seen.insert(element) {
                        push(errors, path, &format!("duplicate entries for key {step}"));
                    }
                    step
                }
                Err(fault) => {
                    push(errors, path, &format!("element {i}: {fault}"));
                    return;
                }
            }
        };
        visit(&list.element, item, &format!("{path}{step}"), errors);
    }
}

fn scalar_fault(scalar: ScalarType, value: &Value) -> Option<String> {
    match (scalar, value) {
        (ScalarType::Numeric, Value::Number(_))
        | (ScalarType::String, Value::String(_))
        | (ScalarType::Boolean, Value::Bool(_))
        | (ScalarType::Untyped, Value::Number(_) | Value::String(_) | Value::Bool(_)) => None,
        (ScalarType::Numeric, other) => Some(format!(
            "expected numeric (int or float), got {}",
            go_type(other)
        )),
        (ScalarType::String, other) => Some(format!(
            "expected string, got &value.valueUnstructured{{Value:{}}}",
            go_syntax(other)
        )),
        (ScalarType::Boolean, other) => {
            Some(format!("expected boolean, got &{{{}}}", go_plain(other)))
        }
        (ScalarType::Untyped, other) => {
            Some(format!("expected any scalar, got &{{{}}}", go_plain(other)))
        }
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Formats a value as Go's `%#v` does.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => go_quote(text),
        Value::Number(number) if number.is_f64() => go_float(number.as_f64().unwrap_or_default()),
        Value::Array(items) => {
            format!(
                "[]interface {{}}{{{}}}",
                items.iter().map(go_syntax).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(map) => {
            let field =
                |(key, value): (&String, &Value)| format!("{}:{}", go_quote(key), go_syntax(value));
            format!(
                "map[string]interface {{}}{{{}}}",
                map.iter().map(field).collect::<Vec<_>>().join(", ")
            )
        }
        other => other.to_string(),
    }
}
