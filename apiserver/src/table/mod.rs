//! `meta.k8s.io/v1` Tables: what `kubectl get` prints.
//!
//! Custom resources print their CRD's columns ([`Column`], over [`jsonpath`]), built-in kinds those of [`builtin`].

mod age;
mod builtin;
mod cells;
mod cluster;
mod jsonpath;
mod workloads;

use serde_json::{Value, json};

use crate::http::query::Query;
use crate::registry::Served;
use crate::rest::present::partial;
use crate::status::ApiError;
use jsonpath::JsonPath;

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
    /// A column that shows what a JSON path finds.
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

    fn definition(&self) -> Value {
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

    fn cell(&self, object: &Value) -> Value {
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

fn definition(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": description, "priority": priority})
}

/// What a row carries of its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    #[default]
    Metadata,
    Object,
}

impl Include {
    /// Reads `includeObject`.
    ///
    /// # Errors
    /// 400 for unknown values.
    pub(crate) fn parse(query: &Query) -> Result<Self, ApiError> {
        match query.text("includeObject") {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::Nothing),
            "Object" => Ok(Self::Object),
            other => Err(ApiError::bad_request(format!(
                "unrecognized includeObject value: \"{other}\""
            ))),
        }
    }
}

/// A table of objects.
pub(crate) fn document(
    served: &Served,
    objects: &[Value],
    include: Include,
    metadata: Value,
    with_columns: bool,
) -> Value {
    let (columns, rows): (Vec<Value>, Vec<Value>) = if served.resource.is_custom() {
        custom(served, objects, include)
    } else {
        let kind = builtin::printer(&served.resource.group, &served.resource.kind);
        let columns = kind
            .columns
            .iter()
            .map(|c| definition(c.name, c.kind, c.format(), c.description(), c.priority))
            .collect();
        let rows = objects
            .iter()
            .map(|object| {
                row(
                    (kind.cells)(object),
                    conditions(served, object),
                    object,
                    include,
                )
            })
            .collect();
        (columns, rows)
    };
    // Go's printer of kinds without columns of their own leaves its list nil.
    let is_default = !served.resource.is_custom()
        && builtin::is_default(&served.resource.group, &served.resource.kind);
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": if with_columns { json!(columns) } else { Value::Null },
        "rows": if rows.is_empty() && is_default { Value::Null } else { json!(rows) },
    })
}

fn custom(served: &Served, objects: &[Value], include: Include) -> (Vec<Value>, Vec<Value>) {
    let given = &served.version().columns;
    let fallback = [Column::path("Age", "date", ".metadata.creationTimestamp")];
    let columns: &[Column] = if given.is_empty() { &fallback } else { given };
    let name = definition("Name", "string", "name", builtin::NAME_DESCRIPTION, 0);
    let definitions = std::iter::once(name)
        .chain(columns.iter().map(Column::definition))
        .collect();
    let rows = objects
        .iter()
        .map(|object| {
            let name = object["metadata"]["name"].clone();
            let cells = std::iter::once(name)
                .chain(columns.iter().map(|c| c.cell(object)))
                .collect();
            row(cells, Value::Null, object, include)
        })
        .collect();
    (definitions, rows)
}

fn conditions(served: &Served, object: &Value) -> Value {
    let phase = object["status"]["phase"].as_str().unwrap_or_default();
    if served.resource.kind == "Pod" && matches!(phase, "Succeeded" | "Failed") {
        let message = if phase == "Failed" {
            "The pod failed."
        } else {
            "The pod has completed successfully."
        };
        return json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]);
    }
    Value::Null
}

fn row(cells: Vec<Value>, conditions: Value, object: &Value, include: Include) -> Value {
    let mut row = json!({"cells": cells});
    if !conditions.is_null() {
        row["conditions"] = conditions;
    }
    row["object"] = match include {
        Include::Nothing => Value::Null,
        Include::Metadata => partial(object),
        Include::Object => object.clone(),
    };
    row
}
