//! Places in a CRD and in its objects.

use serde_json::Value;

/// The keys that lead to a value of the CRD.
pub type Pointer = Vec<String>;

/// Formats a pointer as JSON Pointer does (RFC 6901).
#[must_use]
pub fn pointer_text(pointer: &Pointer) -> String {
    let steps = pointer.iter();
    steps
        .map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")))
        .collect()
}

/// Builds a pointer.
pub(crate) fn pointer(keys: &[&str]) -> Pointer {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A property.
    Property(String),
    /// The items of a list.
    Items,
    /// The values of a map (`additionalProperties`).
    Values,
}

impl Step {
    /// The keys from a schema to the schema of the part.
    pub(crate) fn keys(&self) -> Vec<&str> {
        match self {
            Self::Property(name) => vec!["properties", name],
            Self::Items => vec!["items"],
            Self::Values => vec!["additionalProperties"],
        }
    }

    /// The schema of the part.
    pub(crate) fn of<'s>(&self, schema: &'s Value) -> Option<&'s Value> {
        let mut below = schema;
        for key in self.keys() {
            below = below.get(key)?;
        }
        below.is_object().then_some(below)
    }
}

/// Formats a path for people: `spec.disks[].size`, `spec.labels[*]`.
pub(crate) fn path_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Property(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Step::Items => text.push_str("[]"),
            Step::Values => text.push_str("[*]"),
        }
    }
    text
}

/// Whether a field of an object is its type or metadata, which have types of their own.
pub(crate) fn is_identity(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// The text at a path of a document; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, keys: &[&str]) -> &'v str {
    let found = keys.iter().try_fold(value, |value, key| value.get(key));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// The list at a path of a document; empty if there is none.
pub(crate) fn list<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    let found = keys.iter().try_fold(value, |value, key| value.get(key));
    let found = found.and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// Whether a value says nothing, to Go: null, `false`, an empty string or list.
pub(crate) fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
