//! Printer columns of custom resources, over JSON paths.

use serde_json::{Value, json};

use super::jsonpath::JsonPath;
use super::{age, definition, jsonpath};

/// A printer column of a custom resource.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    format: String,
    description: String,
    priority: i64,
    path: JsonPath,
}

impl Column {
    /// Creates a column that shows the values at a JSON path.
    pub(crate) fn path(name: &str, kind: &str, path: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            format: String::new(),
            description: String::new(),
            priority: 0,
            path: JsonPath::parse(path),
        }
    }

    pub(crate) fn described(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }

    pub(crate) fn formatted(mut self, format: &str) -> Self {
        format.clone_into(&mut self.format);
        self
    }

    pub(crate) fn with_priority(mut self, priority: i64) -> Self {
        self.priority = priority;
        self
    }

    pub(super) fn definition(&self) -> Value {
        let description = if self.description.is_empty() {
            "Custom resource definition column (in JSONPath format): ".to_owned() + self.path.text()
        } else {
            self.description.clone()
        };
        definition(
            &self.name,
            &self.kind,
            &self.format,
            &description,
            self.priority,
        )
    }

    pub(super) fn cell(&self, object: &Value) -> Value {
        let found = self.path.find(object);
        let Some(first) = found.first() else {
            return Value::Null;
        };
        match self.kind.as_str() {
            "integer" => match first {
                Value::Number(n) => n.as_i64().map_or_else(
                    || json!(n.as_f64().unwrap_or_default().trunc()),
                    |i| json!(i),
                ),
                _ => Value::Null,
            },
            "number" if first.is_number() => (*first).clone(),
            "boolean" if first.is_boolean() => (*first).clone(),
            "number" | "boolean" => Value::Null,
            "date" => json!(age::since(first.as_str().unwrap_or_default())),
            _ => json!(jsonpath::print(&found)),
        }
    }
}
