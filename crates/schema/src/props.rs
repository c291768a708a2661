//! Typed access to the keys of a raw `JSONSchemaProps`.

use serde_json::{Map, Value};

use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};
use crate::keywords::{Form, Keyword};

/// A raw schema node. A key with a value of the wrong type counts as absent here; [`check_shape`]
/// reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Props<'a>(&'a Map<String, Value>);

/// The content of a raw `additionalProperties`.
pub(crate) enum RawAdditional<'a> {
    Bool(bool),
    Schema(Props<'a>),
}

impl<'a> Props<'a> {
    pub(crate) fn new(value: &'a Value) -> Option<Self> {
        value.as_object().map(Props)
    }

    /// Returns the node as it was sent.
    pub(crate) fn map(self) -> &'a Map<String, Value> {
        self.0
    }

    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns a string; empty if absent.
    pub(crate) fn text(self, key: &str) -> &'a str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn flag(self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    pub(crate) fn number(self, key: &str) -> Option<f64> {
        self.get(key).and_then(Value::as_f64)
    }

    pub(crate) fn count(self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a bound written as 3.0 is 3"
        )]
        value.as_i64().or_else(|| value.as_f64().map(|f| f as i64))
    }

    pub(crate) fn texts(self, key: &str) -> Vec<&'a str> {
        self.list(key).iter().filter_map(Value::as_str).collect()
    }

    pub(crate) fn list(self, key: &str) -> &'a [Value] {
        self.get(key)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    pub(crate) fn type_name(self) -> &'a str {
        self.text("type")
    }

    pub(crate) fn properties(self) -> impl Iterator<Item = (&'a str, Props<'a>)> {
        self.get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.as_str(), Props::new(value)?)))
    }

    pub(crate) fn property(self, name: &str) -> Option<Props<'a>> {
        Props::new(self.get("properties")?.get(name)?)
    }

    /// Returns the item schema, unless `items` is a list of schemas.
    pub(crate) fn items(self) -> Option<Props<'a>> {
        Props::new(self.get("items")?)
    }

    pub(crate) fn additional(self) -> Option<RawAdditional<'a>> {
        match self.get("additionalProperties")? {
            Value::Bool(allows) => Some(RawAdditional::Bool(*allows)),
            other => Props::new(other).map(RawAdditional::Schema),
        }
    }

    pub(crate) fn additional_schema(self) -> Option<Props<'a>> {
        match self.additional()? {
            RawAdditional::Schema(schema) => Some(schema),
            RawAdditional::Bool(_) => None,
        }
    }

    pub(crate) fn not(self) -> Option<Props<'a>> {
        Props::new(self.get("not")?)
    }

    /// Whether the node has a constraint besides the named keys (keys without effect do not count).
    pub(crate) fn restricts_beyond(self, keys: &[&str]) -> bool {
        self.0.iter().any(|(key, value)| {
            let says_nothing = match value {
                Value::Null | Value::Bool(false) => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(map) => {
                    map.is_empty()
                        && !matches!(key.as_str(), "items" | "not" | "additionalProperties")
                }
                _ => false,
            };
            !says_nothing && !keys.contains(&key.as_str())
        })
    }

    /// Returns the branches of `allOf`, `anyOf` or `oneOf`.
    pub(crate) fn branches(self, key: &str) -> impl Iterator<Item = Props<'a>> + use<'a> {
        self.list(key).iter().filter_map(Props::new)
    }
}

#[cfg(feature = "cel")]
impl<'a> crate::cel::view::SchemaView<'a> for Props<'a> {
    fn text(self, word: &str) -> &'a str {
        self.text(word)
    }

    fn flag(self, word: &str) -> bool {
        self.flag(word)
    }

    fn has(self, word: &str) -> bool {
        self.has(word)
    }

    fn bound(self, word: &str) -> Option<u64> {
        self.count(word)
            .map(|bound| u64::try_from(bound).unwrap_or(0))
    }

    fn longest_of_enum(self) -> Option<u64> {
        let values = self.list("enum");
        let lengths = values.iter().filter_map(Value::as_str).map(str::len);
        (!values.is_empty()).then(|| lengths.max().unwrap_or(0) as u64)
    }

    fn requires(self, property: &str) -> bool {
        self.list("required").iter().any(|name| name == property)
    }

    fn rules(self) -> &'a [Value] {
        self.list("x-kubernetes-validations")
    }

    fn properties(self) -> impl Iterator<Item = (&'a str, Self)> {
        self.properties()
    }

    fn property(self, name: &str) -> Option<Self> {
        self.property(name)
    }

    fn items(self) -> Option<Self> {
        self.items()
    }

    fn additional(self) -> Option<Self> {
        self.additional_schema()
    }
}

/// Reports keys whose value has a type that a `JSONSchemaProps` cannot hold. The API server refuses
/// such a document while decoding it, with a message of Go's decoder that is not reproduced here.
pub(crate) fn check_shape(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(map) = value.as_object() else {
        errors.push(wrong(path.field(), value, "must be an object"));
        return;
    };
    for (key, value) in map {
        let key = key.as_str();
        let form = Keyword::find(key).map_or(Form::Any, |keyword| keyword.form);
        let expected = match form {
            _ if value.is_null() => continue,
            Form::Text => (value.is_string(), "must be a string"),
            Form::Flag => (value.is_boolean(), "must be a boolean"),
            Form::Number => (value.is_number(), "must be a number"),
            Form::Texts | Form::List | Form::Schemas => (value.is_array(), "must be an array"),
            Form::Properties => (value.is_object(), "must be an object"),
            Form::Schema | Form::Any => (true, ""),
        };
        if !expected.0 {
            errors.push(wrong(path.child(key).field(), value, expected.1));
        }
        check_shape_below((key, form), value, &path.child(key), errors);
    }
}

fn check_shape_below(
    (key, form): (&str, Form),
    value: &Value,
    here: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    match (form, value) {
        (Form::Properties, Value::Object(properties)) => {
            for (name, schema) in properties {
                check_shape(schema, &here.key(name), errors);
            }
        }
        (Form::Schema, Value::Bool(_)) if key == "additionalProperties" => {}
        (Form::Schema, Value::Array(_)) if key == "items" => {}
        (Form::Schema, schema) => check_shape(schema, here, errors),
        (Form::Schemas, Value::Array(branches)) => {
            for (i, schema) in branches.iter().enumerate() {
                check_shape(schema, &here.index(i), errors);
            }
        }
        (Form::Texts, Value::Array(names)) => {
            let others = names.iter().enumerate();
            for (i, name) in others.filter(|(_, name)| !name.is_string()) {
                errors.push(wrong(here.index(i).field(), name, "must be a string"));
            }
        }
        _ => {}
    }
}

fn wrong(field: String, value: &Value, detail: &str) -> FieldError {
    FieldError::with_value(field, FieldErrorKind::Invalid, value.clone(), detail)
}
