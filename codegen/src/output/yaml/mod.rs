//! YAML as Go's `sigs.k8s.io/yaml` writes it, byte for byte.
//!
//! Every tool of the Kubernetes world that is written in Go prints through that library, so that a manifest of ours can stand
//! beside theirs without a diff. A general YAML writer differs in the order of keys, in quoting and in folding. Start at
//! [`to_yaml`]; `order` sorts keys, `resolve` finds plain texts that a reader takes for another type, `scalar` chooses a
//! style and writes it.
//!
//! One limit: which characters above ASCII are letters or digits follows Rust's tables, which count some marks as letters; it
//! affects the order of keys that hold them.

mod order;
mod resolve;
mod scalar;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use crate::{
    read::yaml::{Places, read_documents},
    source::Source,
};

/// The value as a YAML document: keys in natural order, lists in theirs, a line break at the end.
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    let mut emitter = Emitter {
        out: String::new(),
        column: 0,
        indent: None,
        whitespace: true,
        indention: true,
    };
    emitter.node(value, Context::Root);
    emitter.indent = None;
    emitter.write_indent();
    emitter.out
}

/// Whether a text is as the printer writes it, but for comments before its first document.
pub(crate) fn is_printed(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_whitespace());
    let mut body = rest;
    while let Some(comment) = body.strip_prefix('#') {
        body = comment.split_once('\n').map_or("", |(_, rest)| rest);
        body = body.trim_start_matches('\n');
    }
    let source = Source::new("", body);
    let Ok(documents) = read_documents(&source, Places::Dropped) else {
        return false;
    };
    let printed = documents
        .iter()
        .map(|document| format!("---\n{}", to_yaml(&document.to_json())));
    let printed: String = printed.collect();
    printed == body || printed.strip_prefix("---\n") == Some(body)
}

/// Steps of indentation.
const INDENT: usize = 2;

/// The longest key, in bytes, that stands before its value without a `?`.
const SIMPLE_KEY: usize = 128;

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    Item,
    /// A key on the line of its value.
    SimpleKey,
    /// A key after a `?`.
    LongKey,
    Value,
}

/// Whether a long scalar may continue on the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folding {
    Allowed,
    Never,
}

/// The state of the writer: libyaml's, as far as block style needs it.
struct Emitter {
    out: String,
    /// Characters since the last line break.
    column: usize,
    /// The indentation of the collection that is being written; none outside of any.
    indent: Option<usize>,
    /// Whether white space, or nothing, was written last.
    whitespace: bool,
    /// Whether the line holds nothing but indentation and indicators.
    indention: bool,
}

impl Emitter {
    fn node(&mut self, value: &Value, context: Context) {
        match value {
            Value::Null => self.scalar(scalar::Scalar::plain("null"), context),
            Value::Bool(true) => self.scalar(scalar::Scalar::plain("true"), context),
            Value::Bool(false) => self.scalar(scalar::Scalar::plain("false"), context),
            Value::Number(number) => {
                let text = number_text(number);
                self.scalar(scalar::Scalar::plain(&text), context);
            }
            Value::String(text) => {
                self.scalar(scalar::Scalar::of(text, context), context);
            }
            Value::Array(items) if items.is_empty() => self.empty("[", "]"),
            Value::Array(items) => self.sequence(items, context),
            Value::Object(map) if map.is_empty() => self.empty("{", "}"),
            Value::Object(map) => self.mapping(map),
        }
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.indicator(
            open,
            Around {
                before: true,
                after: true,
                indention: false,
            },
        );
        self.indicator(close, Around::default());
    }

    fn sequence(&mut self, items: &[Value], context: Context) {
        let in_mapping = matches!(
            context,
            Context::SimpleKey | Context::LongKey | Context::Value
        );
        // Items stand below the key that they belong to, at its indentation.
        let step = if in_mapping && !self.indention {
            0
        } else {
            INDENT
        };
        let outer = self.deepen(step);
        for item in items {
            self.write_indent();
            self.indicator(
                "-",
                Around {
                    before: true,
                    after: false,
                    indention: true,
                },
            );
            self.node(item, Context::Item);
        }
        self.indent = outer;
    }

    fn mapping(&mut self, map: &Map<String, Value>) {
        let outer = self.deepen(INDENT);
        for (key, value) in order::sorted(map) {
            self.write_indent();
            let simple = key.len() <= SIMPLE_KEY && !key.contains(scalar::is_break);
            let key = Value::String(key.clone());
            if simple {
                self.node(&key, Context::SimpleKey);
                self.indicator(":", Around::default());
            } else {
                self.indicator(
                    "?",
                    Around {
                        before: true,
                        after: false,
                        indention: true,
                    },
                );
                self.node(&key, Context::LongKey);
                self.write_indent();
                self.indicator(
                    ":",
                    Around {
                        before: true,
                        after: false,
                        indention: true,
                    },
                );
            }
            self.node(value, Context::Value);
        }
        self.indent = outer;
    }

    fn scalar(&mut self, scalar: scalar::Scalar<'_>, context: Context) {
        let outer = self.indent;
        self.indent = Some(outer.map_or(INDENT, |indent| indent + INDENT));
        let folding = match context {
            Context::SimpleKey => Folding::Never,
            _ => Folding::Allowed,
        };
        self.write_scalar(scalar, folding);
        self.indent = outer;
    }

    /// Adds `step` to the indentation, and returns the one before.
    fn deepen(&mut self, step: usize) -> Option<usize> {
        let outer = self.indent;
        self.indent = Some(outer.map_or(0, |indent| indent + step));
        outer
    }

    fn indicator(&mut self, text: &str, around: Around) {
        if around.before && !self.whitespace {
            self.put(' ');
        }
        text.chars().for_each(|c| self.put(c));
        self.whitespace = around.after;
        self.indention = self.indention && around.indention;
    }

    /// Goes to the indentation, on a new line unless this one is still free.
    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        let taken = self.column > indent || (self.column == indent && !self.whitespace);
        if !self.indention || taken {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }
}

/// The surroundings of an indicator: whether it needs white space before it, counts as white space, and as indentation.
#[derive(Clone, Copy, Default)]
struct Around {
    before: bool,
    after: bool,
    indention: bool,
}

/// A number: whole ones by their digits, others in Go's shortest form.
fn number_text(number: &Number) -> String {
    let float = match number.as_f64() {
        Some(float) if number.is_f64() => float,
        _ => return number.to_string(),
    };
    // Go writes a whole float below 1e21 into JSON without a point, and what then fits is read as an integer.
    if float.fract() == 0.0 && float > -9.3e18 && float < 1.9e19 {
        let digits = float.to_string();
        if digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok() {
            return if digits == "-0" {
                "0".to_owned()
            } else {
                digits
            };
        }
    }
    go_float(float)
}

/// The exponent from which on Go's shortest form has one.
const GO_PRECISION: i32 = 6;

/// The shortest text that reads as the same float, as `strconv.FormatFloat(f, 'g', -1, 64)` writes it.
fn go_float(float: f64) -> String {
    let shortest = format!("{float:e}");
    let Some((mantissa, exponent)) = shortest.split_once('e') else {
        return shortest;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..GO_PRECISION).contains(&exponent) {
        return format!("{float}");
    }
    let mut text = mantissa.to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(text, "e{sign}{:02}", exponent.unsigned_abs());
    text
}
