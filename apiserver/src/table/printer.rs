//! Printers of built-in kinds (`k8s.io/kubernetes/pkg/printers/internalversion`).

use serde_json::Value;

use super::cells::name;
use super::{NAME_DESCRIPTION, definition};

/// A column of a built-in kind.
#[derive(Debug)]
pub(crate) struct PrinterColumn {
    name: &'static str,
    kind: &'static str,
    priority: i64,
    /// Whether the column names an object.
    names: bool,
    /// Whether the name of the object is a text like others.
    is_plain: bool,
}

impl PrinterColumn {
    /// Declares that the column names an object.
    pub(crate) const fn named(mut self) -> Self {
        self.names = true;
        self
    }

    /// Declares that the column has no format, although it shows the object's name.
    pub(crate) const fn unformatted(mut self) -> Self {
        self.is_plain = true;
        self
    }

    pub(super) fn definition(&self) -> Value {
        let (format, description) = match self.name {
            "Name" if self.is_plain => ("", NAME_DESCRIPTION),
            "Name" => ("name", NAME_DESCRIPTION),
            _ if self.names => ("name", ""),
            _ => ("", ""),
        };
        definition(self.name, self.kind, format, description, self.priority)
    }
}

const fn column(name: &'static str, kind: &'static str, priority: i64) -> PrinterColumn {
    PrinterColumn {
        name,
        kind,
        priority,
        names: false,
        is_plain: false,
    }
}

/// A column of strings.
pub(crate) const fn col(name: &'static str) -> PrinterColumn {
    column(name, "string", 0)
}

/// A column of integers.
pub(crate) const fn num(name: &'static str) -> PrinterColumn {
    column(name, "integer", 0)
}

/// A column of booleans.
pub(crate) const fn boolean(name: &'static str) -> PrinterColumn {
    column(name, "boolean", 0)
}

/// A column of strings that only `-o wide` shows.
pub(crate) const fn wide(name: &'static str) -> PrinterColumn {
    column(name, "string", 1)
}

/// How a kind is printed.
#[derive(Debug)]
pub(crate) struct Printer {
    pub(super) columns: &'static [PrinterColumn],
    /// Returns the cells of an object, one per column.
    pub(super) cells: fn(&Value) -> Vec<Value>,
    /// Returns the conditions of an object's row, or null.
    pub(super) conditions: fn(&Value) -> Value,
}

impl Printer {
    /// Creates a printer whose rows have no conditions.
    pub(crate) const fn new(
        columns: &'static [PrinterColumn],
        cells: fn(&Value) -> Vec<Value>,
    ) -> Self {
        Self {
            columns,
            cells,
            conditions: |_| Value::Null,
        }
    }

    pub(crate) const fn with_conditions(mut self, conditions: fn(&Value) -> Value) -> Self {
        self.conditions = conditions;
        self
    }

    pub(super) fn is_default(&self) -> bool {
        std::ptr::eq(self, DEFAULT)
    }
}

/// A printer: each column with what it shows of an object, after what several columns share. With
/// a function that returns the conditions of an object's row, if rows have some.
macro_rules! columns {
    (|$object:ident| $(with $conditions:ident,)? { $($shared:tt)* } $($column:expr => $cell:expr,)+) => {{
        static PRINTER: $crate::table::Printer = $crate::table::Printer::new(&[$($column),+], |$object| {
            $($shared)*
            vec![$(serde_json::Value::from($cell)),+]
        })$(.with_conditions($conditions))?;
        &PRINTER
    }};
    (|$object:ident| $($rows:tt)+) => {
        $crate::table::columns! { |$object| {} $($rows)+ }
    };
}
pub(crate) use columns;

/// The printer of kinds without a specific one.
pub(crate) static DEFAULT: &Printer = columns! { |o|
    col("Name") => name(o),
    column("Created At", "date", 0) => o["metadata"]["creationTimestamp"].clone(),
};
