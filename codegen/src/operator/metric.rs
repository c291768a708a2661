//! The operator's own metrics: a table in `src/metrics.rs`, a row for each.
//!
//! ```text
//! codegen_runtime::own_metrics! {
//!     "my-operator" {
//!         RACKS_FILLED_TOTAL = Counter racks_filled_total(room)
//!             "Racks that have become full";
//!     }
//! }
//! ```

use std::ops::Range;
use std::path::PathBuf;

use kube_codegen_templates::operator as templates;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Item;

use super::{
    APP, Operator, TESTS,
    edit::{At, EditError, parse, range, spliced, with_comments},
    edits::Edit,
    lines::{line_end, line_start, with_newlines},
    references::Reference,
};
use crate::{output::Tree, scaffold::fill};

/// The file with the table.
const TABLE: &str = "src/metrics.rs";

/// The file with the tests of what derives from it.
const TEST: &str = "tests/operator/metrics.rs";

/// The macro around the table.
const MACRO: &str = "own_metrics";

/// What a metric measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricType {
    /// A sum that only grows.
    Counter,
    /// A value that grows and falls.
    Gauge,
    /// Counts of observations by buckets.
    Histogram,
}

impl MetricType {
    /// The types by their names.
    pub const ALL: [(&'static str, Self); 3] = [
        ("counter", Self::Counter),
        ("gauge", Self::Gauge),
        ("histogram", Self::Histogram),
    ];
}

/// A metric to declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name of its series.
    pub name: String,
    /// What it measures.
    pub kind: MetricType,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// What it means.
    pub description: String,
}

/// Labels that Prometheus gives to all series of a program, or to those of a histogram.
const RESERVED: [(&str, &str); 6] = [
    ("instance", "Prometheus names the replica's address by it"),
    ("job", "Prometheus names the operator by it"),
    (
        "namespace",
        "Prometheus names the operator's namespace by it",
    ),
    ("pod", "Prometheus names the replica by it"),
    ("le", "histograms name their buckets by it"),
    ("quantile", "summaries name their quantiles by it"),
];

/// Endings of the names of series, with the types whose metrics have them.
const ENDINGS: [(&str, &[MetricType]); 5] = [
    ("_total", &[MetricType::Counter]),
    ("_bucket", &[]),
    ("_count", &[]),
    ("_created", &[]),
    ("_sum", &[]),
];

impl Metric {
    /// What is wrong with the metric.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let name = &self.name;
        if !is_snake_case(name) {
            faults.push(format!(
                "invalid name of a metric `{name}`: expected lower-case letters, digits and `_`, such as `racks_filled_total`"
            ));
        }
        if self.kind == MetricType::Counter && !name.ends_with("_total") {
            faults.push(format!("the counter `{name}` is not called `{name}_total`"));
        }
        for (ending, kinds) in ENDINGS {
            if name.ends_with(ending) && !kinds.contains(&self.kind) {
                faults.push(format!(
                    "`{name}` ends with `{ending}`, as series of another type do: choose another name"
                ));
            }
        }
        for (at, label) in self.labels.iter().enumerate() {
            if !is_snake_case(label) || label.starts_with("__") {
                faults.push(format!(
                    "invalid label `{label}`: expected lower-case letters, digits and `_`, such as `room`"
                ));
            }
            if let Some((_, reason)) = RESERVED.iter().find(|(name, _)| name == label) {
                faults.push(format!("invalid label `{label}`: {reason}"));
            }
            if self.labels.iter().take(at).any(|other| other == label) {
                faults.push(format!("the label `{label}` is given twice"));
            }
        }
        let description = &self.description;
        if description.trim().is_empty() || description.contains(['\n', '\r', '|']) {
            faults.push(format!(
                "invalid description `{}`: expected a line of text without `|`",
                description.escape_debug()
            ));
        }
        faults
    }

    /// The name of its `static`.
    #[must_use]
    pub fn constant(&self) -> String {
        constant(&self.name)
    }

    /// Its row in the table.
    fn row(&self) -> String {
        let kind = match self.kind {
            MetricType::Counter => "Counter",
            MetricType::Gauge => "Gauge",
            MetricType::Histogram => "Histogram",
        };
        let (name, labels) = (&self.name, self.labels.join(", "));
        let description = self.description.trim().trim_end_matches('.');
        format!(
            "        {} = {kind} {name}({labels})\n            {description:?};\n",
            self.constant()
        )
    }
}

fn is_snake_case(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_part)
        && name.chars().any(|c| c != '_')
}

/// The name of a metric's `static`.
fn constant(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// The table of an operator's metrics, and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Metrics<'a>(pub &'a Operator);

impl Metrics<'_> {
    /// The page about the metrics.
    pub const PAGE: &'static str = "docs/metrics.md";

    /// The file with the table.
    #[must_use]
    pub fn table() -> PathBuf {
        TABLE.into()
    }

    /// The files of an operator with metrics, without any in the table.
    #[must_use]
    pub fn files(self) -> Tree {
        let files = [
            (TABLE, templates::metrics::TABLE),
            (TEST, templates::metrics::TEST),
        ];
        let filled = files.map(|(path, template)| (path.into(), self.fill(template)));
        Tree::from(filled)
    }

    /// The lines for the table in other files.
    #[must_use]
    pub fn edits(self) -> [Edit; 3] {
        let register = "crate::metrics::register(process.metrics());";
        [
            Edit::item("src/lib.rs", "pub mod metrics;"),
            Edit::item(TESTS, "mod metrics;"),
            Edit::statement(APP, ("setup", At::Start), register),
        ]
    }

    /// The files that derive from the table: the page, and the dashboard as it is without metrics.
    #[must_use]
    pub fn derived(self) -> [(PathBuf, Option<String>); 2] {
        let dashboard = self.fill(templates::DASHBOARD);
        [
            ("config/dashboard/dashboard.yaml".into(), Some(dashboard)),
            (Self::PAGE.into(), None),
        ]
    }

    fn fill(self, template: &str) -> String {
        let values = [
            ("name", self.0.name.clone()),
            ("crate", self.0.crate_name()),
        ];
        fill(template, &values)
    }
}

/// Adds a row at the end of the table in a file.
///
/// # Errors
///
/// The file is not valid Rust, or has no table.
pub fn add(text: &str, metric: &Metric) -> Result<String, EditError> {
    let rows = Rows::of(text)?;
    let close = rows.close;
    let row = with_newlines(&metric.row(), text);
    let start = text.get(..close).and_then(|before| before.rfind('\n'));
    let start = start.map_or(close, |newline| newline + 1);
    Ok(spliced(text, start..start, &row))
}

/// Whether the table in a file has a metric.
///
/// # Errors
///
/// The file is not valid Rust, or has no table.
pub fn has(text: &str, name: &str) -> Result<bool, EditError> {
    let rows = Rows::of(text)?;
    Ok(rows.find(name).is_some())
}

/// Removes a metric's row, with the comments above it, from the table in a file.
///
/// # Errors
///
/// The file is not valid Rust, or has no table.
pub fn remove(text: &str, name: &str) -> Result<String, EditError> {
    let rows = Rows::of(text)?;
    Ok(rows.find(name).map_or_else(
        || text.to_owned(),
        |row| spliced(text, whole_lines(text, row), ""),
    ))
}

/// The uses of a metric in a file.
///
/// # Errors
///
/// The file is not valid Rust.
pub fn uses(text: &str, name: &str) -> Result<Vec<Reference>, EditError> {
    let name = constant(name);
    let mut found = Vec::new();
    collect(parse(text)?.into_token_stream(), &name, &mut found);
    Ok(found)
}

fn collect(tokens: TokenStream, name: &str, found: &mut Vec<Reference>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), name, found),
            TokenTree::Ident(ident) if ident == name => found.push(Reference {
                range: range(&ident),
                name: name.to_owned(),
            }),
            _ => {}
        }
    }
}

/// The lines of a row, with the comments above it.
fn whole_lines(text: &str, row: Range<usize>) -> Range<usize> {
    let row = with_comments(text, 0, row);
    let start = line_start(text, row.start).unwrap_or(row.start);
    let end = line_end(text, row.end).unwrap_or(row.end);
    start..end
}

/// The rows of the tables in a file.
struct Rows {
    /// The name of each metric with its range.
    rows: Vec<(String, Range<usize>)>,
    /// The position of the last table's closing brace.
    close: usize,
}

impl Rows {
    fn of(text: &str) -> Result<Self, EditError> {
        let file = parse(text)?;
        let mut found = Self {
            rows: Vec::new(),
            close: 0,
        };
        for item in &file.items {
            let Item::Macro(item) = item else { continue };
            let is_table = item.mac.path.segments.last();
            if is_table.is_some_and(|it| it.ident == MACRO) {
                found.read(item.mac.tokens.clone());
            }
        }
        match found.close {
            0 => Err(EditError::NoTable(MACRO.to_owned())),
            _ => Ok(found),
        }
    }

    /// Reads the groups of a table.
    fn read(&mut self, tokens: TokenStream) {
        for token in tokens {
            let TokenTree::Group(group) = token else {
                continue;
            };
            if group.delimiter() != Delimiter::Brace {
                continue;
            }
            self.close = group.span_close().byte_range().start;
            let mut row: Vec<TokenTree> = Vec::new();
            for token in group.stream() {
                let is_end = matches!(&token, TokenTree::Punct(it) if it.as_char() == ';');
                row.push(token);
                if is_end {
                    self.rows.extend(named(&std::mem::take(&mut row)));
                }
            }
        }
    }

    fn find(&self, name: &str) -> Option<Range<usize>> {
        let mut rows = self.rows.iter();
        rows.find(|(of, _)| of == name)
            .map(|(_, range)| range.clone())
    }
}

/// The metric's name in a row, which stands before its labels, and the row's range.
fn named(row: &[TokenTree]) -> Option<(String, Range<usize>)> {
    let labels = |token: &TokenTree| matches!(token, TokenTree::Group(it) if it.delimiter() == Delimiter::Parenthesis);
    let at = row.iter().position(labels)?;
    let name = row.get(at.checked_sub(1)?)?.to_string();
    let (first, last) = (row.first()?, row.last()?);
    Some((name, range(first).start..range(last).end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "//! Metrics.\n\ncodegen_runtime::own_metrics! {\n    \"a\" {\n    }\n}\n";

    fn metric(name: &str, kind: MetricType, labels: &[&str]) -> Metric {
        Metric {
            name: name.to_owned(),
            kind,
            labels: labels.iter().map(|it| (*it).to_owned()).collect(),
            description: "What it \"is\".".to_owned(),
        }
    }

    #[test]
    fn removing_a_metric_restores_the_table() {
        let first = metric("a_total", MetricType::Counter, &[]);
        let second = metric("b_seconds", MetricType::Histogram, &["room", "rack"]);
        let one = add(EMPTY, &first).unwrap();
        let both = add(&one, &second).unwrap();
        assert_eq!(
            both,
            "//! Metrics.\n\ncodegen_runtime::own_metrics! {\n    \"a\" {\n        A_TOTAL = Counter a_total()\n            \
             \"What it \\\"is\\\"\";\n        B_SECONDS = Histogram b_seconds(room, rack)\n            \"What it \\\"is\\\"\";\n    }\n}\n"
        );
        assert!(has(&both, "a_total").unwrap() && has(&both, "b_seconds").unwrap());
        assert!(!has(&both, "A_TOTAL").unwrap());
        assert_eq!(remove(&both, "b_seconds").unwrap(), one);
        let commented = both.replace("        B_SEC", "        // Of b.\n        B_SEC");
        assert_eq!(remove(&commented, "b_seconds").unwrap(), one);
        let other = remove(&both, "a_total").unwrap();
        assert_eq!(remove(&other, "b_seconds").unwrap(), EMPTY);
        assert_eq!(remove(&one, "b_seconds").unwrap(), one);
    }

    #[test]
    fn a_file_without_a_table_is_not_edited() {
        let metric = metric("a_total", MetricType::Counter, &[]);
        let expected = EditError::NoTable(MACRO.to_owned());
        assert_eq!(add("mod a;\n", &metric), Err(expected));
        assert!(matches!(add("mod", &metric), Err(EditError::Syntax(_))));
    }

    #[test]
    fn names_and_labels_are_those_that_prometheus_expects() {
        let check = |name: &str, kind, labels: &[&str], expected: &str| {
            let faults = metric(name, kind, labels).faults();
            assert!(
                faults.len() == usize::from(!expected.is_empty())
                    && faults.iter().all(|it| it.contains(expected)),
                "{name}: {faults:?}"
            );
        };
        rows![check:
            ("a_total", MetricType::Counter, &["room"], ""),
            ("a_ratio", MetricType::Gauge, &[], ""),
            ("a", MetricType::Counter, &[], "not called `a_total`"),
            ("a_total", MetricType::Gauge, &[], "ends with `_total`"),
            ("a_sum", MetricType::Histogram, &[], "ends with `_sum`"),
            ("A", MetricType::Gauge, &[], "invalid name of a metric"),
            ("a:b", MetricType::Gauge, &[], "invalid name of a metric"),
            ("a", MetricType::Gauge, &["B"], "invalid label `B`"),
            ("a", MetricType::Gauge, &["pod"], "names the replica by it"),
            ("a", MetricType::Gauge, &["b", "b"], "given twice"),
        ];
    }
}
