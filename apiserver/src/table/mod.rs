//! `meta.k8s.io/v1` Tables: the output of `kubectl get`.
//!
//! Custom resources have the [`Column`]s of their CRD, built-in kinds a [`Printer`] each.

mod age;
pub(crate) mod cells;
mod column;
mod jsonpath;
mod printer;

use serde_json::{Value, json};

use crate::metadata::object::partial;
use crate::status::ApiError;
pub(crate) use age::{between, human, since};
pub(crate) use column::Column;
pub(crate) use printer::{DEFAULT, Printer, PrinterColumn, boolean, col, columns, num, wide};

const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation \
idempotence and configuration definition. Cannot be updated. More info: \
https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// How the rows of a kind are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout<'a> {
    /// The columns of a CRD after the name; none for the age alone.
    Columns(&'a [Column]),
    Printer(&'static Printer),
}

fn definition(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": description, "priority": priority})
}

/// What a row includes of its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    #[default]
    Metadata,
    Object,
}

impl Include {
    /// Parses `includeObject`.
    ///
    /// # Errors
    /// 400 for unknown values.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::Nothing),
            "Object" => Ok(Self::Object),
            other => Err(ApiError::bad_request(format!(
                "unrecognized includeObject value: \"{other}\""
            ))),
        }
    }
}

/// Whether a table has column definitions: in a stream, only the first one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    Shown,
    Omitted,
}

/// Builds a table of objects.
pub(crate) fn document(
    layout: Layout<'_>,
    objects: &[Value],
    include: Include,
    metadata: Value,
    header: Header,
) -> Value {
    let (columns, rows) = match layout {
        Layout::Columns(columns) => custom(columns, objects, include),
        Layout::Printer(printer) => built_in(printer, objects, include),
    };
    // Go's default printer, for kinds without columns, leaves the list of rows nil.
    let is_nil =
        rows.is_empty() && matches!(layout, Layout::Printer(printer) if printer.is_default());
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": if header == Header::Shown { json!(columns) } else { Value::Null },
        "rows": if is_nil { Value::Null } else { json!(rows) },
    })
}

fn built_in(printer: &Printer, objects: &[Value], include: Include) -> (Vec<Value>, Vec<Value>) {
    let rows = objects.iter().map(|object| {
        row(
            (printer.cells)(object),
            (printer.conditions)(object),
            object,
            include,
        )
    });
    let columns = printer.columns.iter().map(PrinterColumn::definition);
    (columns.collect(), rows.collect())
}

fn custom(columns: &[Column], objects: &[Value], include: Include) -> (Vec<Value>, Vec<Value>) {
    let fallback = [Column::path("Age", "date", ".metadata.creationTimestamp")];
    let columns = if columns.is_empty() {
        &fallback
    } else {
        columns
    };
    let name = definition("Name", "string", "name", NAME_DESCRIPTION, 0);
    let definitions = std::iter::once(name)
        .chain(columns.iter().map(Column::definition))
        .collect();
    let rows = objects
        .iter()
        .map(|object| {
            let name = cells::name(object);
            let cells = std::iter::once(name)
                .chain(columns.iter().map(|c| c.cell(object)))
                .collect();
            row(cells, Value::Null, object, include)
        })
        .collect();
    (definitions, rows)
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
