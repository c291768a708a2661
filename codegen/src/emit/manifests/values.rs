//! Values in markers (defaults, examples, enums), checked against their schemas.
//!
//! The API server rejects a CRD whose default does not match its schema. It does not check examples, but a wrong one misleads
//! readers, so it is a warning.

use kube_schema::Structural;
use serde_json::json;
use serde_json::{Number, Value};

use super::{
    about::{About, shown},
    check::Check,
    schema::{PRESERVE, Schema},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    suggest::closest,
};

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

impl Check<'_> {
    /// Checks the default, the example and the permitted values of one schema.
    pub(super) fn values(&self, schema: &Schema, path: &[String], diagnostics: &mut Diagnostics) {
        let marked = [
            ("default", "default", Diagnostic::error as fn(String) -> _),
            ("example", "example", Diagnostic::warning),
        ];
        for (word, marker, finding) in marked {
            let Some(value) = schema.words.get(word) else {
                continue;
            };
            if let Some(fault) = fault(value, schema, "").or_else(|| refusal(value, schema)) {
                let message = format!(
                    "the {word} of {} does not match its schema: {fault}",
                    shown(path)
                );
                let help = match word {
                    "default" => {
                        "the API server refuses the CRD: write a value that an object may have"
                    }
                    _ => "write a value that an object may have",
                };
                let about = About::marker(path, marker, "");
                self.report(about, finding(message).help(help), diagnostics);
            }
        }
        let Some(permitted) = schema.words.get("enum").and_then(Value::as_array) else {
            return;
        };
        let mut alone = schema.clone();
        alone.words.remove("enum");
        for value in permitted {
            if let Some(fault) = fault(value, &alone, "") {
                let message = format!(
                    "{} can never have the value {value} of its enum: {fault}",
                    shown(path)
                );
                let error = Diagnostic::error(message).help("remove it, or permit it");
                self.report(About::marker(path, "Enum", ""), error, diagnostics);
            }
        }
    }
}

/// Why the API server rejects a value that [`fault`] accepts: patterns, formats and rules, in its words.
fn refusal(value: &Value, schema: &Schema) -> Option<String> {
    const ROOT: &str = "it";
    let mut alone = schema.clone();
    alone.words.remove("default");
    let root = json!({"type": "object", "properties": {ROOT: Value::from(&alone)}});
    // Invalid schemas are reported by other checks.
    let root = Structural::compile(&root).ok()?;
    let found = root.validate(&json!({ROOT: value}));
    let first = found.first()?;
    let here = match first.field.strip_prefix(ROOT) {
        None | Some("") => ROOT,
        Some(below) => below,
    };
    let demand = first
        .detail
        .strip_prefix(&format!("{} in body ", first.field));
    Some(match demand {
        Some(demand) => format!("{here} {demand}"),
        None => format!("{here}: {}", first.detail),
    })
}

/// Why a value does not match a schema, or `None` if it does. Patterns, formats and rules are not checked.
fn fault(value: &Value, schema: &Schema, at: &str) -> Option<String> {
    let here = if at.is_empty() { "it" } else { at };
    let word = |word: &str| schema.words.get(word);
    let flag = |name: &str| word(name) == Some(&Value::Bool(true));
    if value.is_null() && flag("nullable") {
        return None;
    }
    if let Some(values) = word("enum").and_then(Value::as_array)
        && !values.contains(value)
    {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Some(format!("{here} is {value}, not {}", values.join(", ")));
    }
    if flag(INT_OR_STRING) {
        let fits = value.is_string() || value.as_i64().is_some();
        return (!fits).then(|| format!("{here} is {value}, not an integer or a string"));
    }
    let ty = schema.ty()?;
    let fits = match value {
        Value::Null => false,
        Value::Bool(_) => ty == "boolean",
        Value::Number(number) => ty == "number" || ty == "integer" && is_whole(number),
        Value::String(_) => ty == "string",
        Value::Array(_) => ty == "array",
        Value::Object(_) => ty == "object",
    };
    if !fits {
        return Some(format!("{here} is {value}, not of type {ty}"));
    }
    match value {
        Value::Number(number) => out_of_range(number, schema, here),
        Value::String(text) => count(text.chars().count(), schema, "Length", here, "characters"),
        Value::Array(items) => count(items.len(), schema, "Items", here, "items").or_else(|| {
            let within = schema.items.as_deref()?;
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| fault(item, within, &format!("{at}[{index}]")))
        }),
        Value::Object(object) => {
            let counted = count(object.len(), schema, "Properties", here, "properties");
            let open = flag(PRESERVE) || flag("x-kubernetes-embedded-resource");
            let mut properties = object.iter();
            let below = |(name, value): (&String, &Value)| {
                let at = format!("{at}.{name}");
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => fault(value, property, &at),
                    (None, Some(additional)) => fault(value, additional, &at),
                    (None, None) if open => None,
                    (None, None) => Some(unknown(name, schema)),
                }
            };
            counted
                .or_else(|| properties.find_map(below))
                .or_else(|| missing(object, schema, here))
        }
        Value::Null | Value::Bool(_) => None,
    }
}

fn unknown(name: &str, schema: &Schema) -> String {
    let near = closest(name, schema.properties.keys().map(String::as_str));
    match near {
        Some(near) => format!("there is no field `{name}`, did you mean `{near}`?"),
        None => format!("there is no field `{name}`"),
    }
}

/// The first required property that is missing and has no default of its own.
fn missing(object: &serde_json::Map<String, Value>, schema: &Schema, here: &str) -> Option<String> {
    let filled = |name: &str| {
        let property = schema.properties.get(name);
        property.is_some_and(|property| property.words.has("default"))
    };
    let mut required = schema.required.iter();
    let name = required.find(|name| !object.contains_key(*name) && !filled(name))?;
    Some(format!("{here} lacks `{name}`"))
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|it| it.fract() == 0.0)
}

fn out_of_range(number: &Number, schema: &Schema, here: &str) -> Option<String> {
    let bound = |word: &str| schema.words.get(word).and_then(Value::as_f64);
    let excluded = |word: &str| schema.words.get(word) == Some(&Value::Bool(true));
    let value = number.as_f64()?;
    if let Some(least) = bound("minimum")
        && (value < least || value == least && excluded("exclusiveMinimum"))
    {
        return Some(format!("{here} is {number}, below the minimum"));
    }
    if let Some(most) = bound("maximum")
        && (value > most || value == most && excluded("exclusiveMaximum"))
    {
        return Some(format!("{here} is {number}, above the maximum"));
    }
    if let Some(of) = bound("multipleOf").filter(|of| *of != 0.0)
        && (value / of).fract() != 0.0
        && is_whole(number)
    {
        return Some(format!("{here} is {number}, not a multiple of {of}"));
    }
    None
}

/// Reports too few or too many characters, items or properties.
fn count(count: usize, schema: &Schema, what: &str, here: &str, unit: &str) -> Option<String> {
    let bound = |end: &str| {
        let bound = schema.words.get(&format!("{end}{what}"))?.as_u64()?;
        usize::try_from(bound).ok()
    };
    if let Some(least) = bound("min").filter(|least| count < *least) {
        return Some(format!(
            "{here} has {count} {unit}, expected at least {least}"
        ));
    }
    let most = bound("max").filter(|most| count > *most)?;
    Some(format!(
        "{here} has {count} {unit}, expected at most {most}"
    ))
}
