//! YAML exactly as written by Go's `sigs.k8s.io/yaml`, byte for byte.
//!
//! Most Kubernetes tools in Go print with that library, so our manifests do not differ from theirs.
//! A general YAML writer differs in key order, quoting and folding. Start at [`to_yaml`]; `order`
//! sorts keys, `resolve` finds plain strings that a reader would take for another type, `scalar`
//! chooses a style and writes it.
//!
//! One limitation: letters and digits outside of ASCII follow Rust's Unicode tables, which count
//! some marks as letters; this affects the order of keys that contain them.

mod order;
mod part;
mod resolve;
mod scalar;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    ops::Range,
};

pub(crate) use part::{Branch, Part};
use serde_json::{Number, Value};

use crate::{read::yaml::read_documents, source::Source, threads};

/// Formats the value as a YAML document: keys in natural order, lists in their own, with a trailing
/// newline.
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    print("", &Part::Json(value))
}

/// Like [`to_yaml`], with a `---` line first, for a value with shared branches: each is printed
/// once per indentation.
pub(crate) fn document(part: &Part<'_>) -> String {
    print("---\n", part)
}

fn print(start: &str, part: &Part<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    out.push_str(start);
    let mut emitter = Emitter {
        out,
        column: 0,
        indent: None,
        whitespace: true,
        indention: true,
        printed: HashMap::new(),
        is_half: false,
    };
    emitter.node(part, Context::Root);
    emitter.indent = None;
    emitter.write_indent();
    emitter.out
}

/// Whether the YAML is exactly as the printer writes it, apart from comments before the first
/// document.
pub(crate) fn is_printed(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_whitespace());
    let mut body = rest;
    while let Some(comment) = body.strip_prefix('#') {
        body = comment.split_once('\n').map_or("", |(_, rest)| rest);
        body = body.trim_start_matches('\n');
    }
    let source = Source::new("", body);
    let Ok(documents) = read_documents(&source) else {
        return false;
    };
    let printed = documents
        .iter()
        .map(|one| document(&Part::Json(&one.to_json())));
    let printed: String = printed.collect();
    printed == body || printed.strip_prefix("---\n") == Some(body)
}

/// Initial capacity in bytes; most CRDs are larger.
const CAPACITY: usize = 64 * 1024;

/// Steps of indentation.
const INDENT: usize = 2;

/// The minimum number of members for writing a mapping in two halves on two threads; the pod schema
/// in most large CRDs exceeds it.
const LARGE: usize = 24;

/// Spaces for indentation.
const SPACES: &str = "                                                                ";

/// The longest key, in bytes, that needs no `?`.
const SIMPLE_KEY: usize = 128;

/// The position of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    Item,
    /// A key on the same line as its value.
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

/// The writer's state: libyaml's, as far as block style needs it.
struct Emitter {
    out: String,
    /// Characters since the last line break.
    column: usize,
    /// The indentation of the current collection; `None` outside of any.
    indent: Option<usize>,
    /// Whether the last character is white space, or nothing was written yet.
    whitespace: bool,
    /// Whether the line only contains indentation and indicators.
    indention: bool,
    /// Printed branches that are values of keys, by address and indentation.
    printed: HashMap<(usize, Option<usize>), Printed>,
    /// Whether another thread is writing the other half of a mapping.
    is_half: bool,
}

/// The output of a branch, and the state after it.
struct Printed {
    text: Range<usize>,
    column: usize,
    whitespace: bool,
    indention: bool,
}

impl Emitter {
    fn node(&mut self, part: &Part<'_>, context: Context) {
        match part {
            Part::Json(value) => self.json(value, context),
            Part::Text(text) => self.scalar(scalar::Scalar::of(text, context), context),
            Part::List(items) => self.list(items, context),
            Part::Map(members) if members.is_empty() => self.empty("{", "}"),
            Part::Map(members) => self.mapping(members),
            Part::Branch(branch) => self.branch(*branch, context),
        }
    }

    /// A branch. As the value of a key, an object starts on the next line, so its output does not
    /// depend on the key.
    fn branch(&mut self, branch: &dyn Branch, context: Context) {
        if context != Context::Value || self.indention {
            return self.node(&branch.part(), context);
        }
        let place = (part::address(branch), self.indent);
        if let Some(printed) = self.printed.get(&place) {
            self.out.extend_from_within(printed.text.clone());
            self.column = printed.column;
            self.whitespace = printed.whitespace;
            self.indention = printed.indention;
            return;
        }
        let from = self.out.len();
        self.make_room();
        self.node(&branch.part(), context);
        let text = from..self.out.len();
        if self.out[from..].starts_with('\n') {
            let printed = Printed {
                text,
                column: self.column,
                whitespace: self.whitespace,
                indention: self.indention,
            };
            self.printed.insert(place, printed);
        }
    }

    /// Quadruples the capacity of a nearly full buffer: it is rarely moved, and untouched memory
    /// costs nothing.
    fn make_room(&mut self) {
        if self.out.capacity() - self.out.len() < CAPACITY / 4 {
            self.out.reserve(3 * self.out.capacity());
        }
    }

    fn json(&mut self, value: &Value, context: Context) {
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
            Value::Array(items) => {
                let items: Vec<Part<'_>> = items.iter().map(Part::Json).collect();
                self.list(&items, context);
            }
            Value::Object(_) => self.node(&Part::Map(Part::members(value)), context),
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

    fn list(&mut self, items: &[Part<'_>], context: Context) {
        if items.is_empty() {
            return self.empty("[", "]");
        }
        let in_mapping = matches!(
            context,
            Context::SimpleKey | Context::LongKey | Context::Value
        );
        // List items in a mapping have the indentation of their key.
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

    fn mapping(&mut self, members: &BTreeMap<&str, Part<'_>>) {
        let outer = self.deepen(INDENT);
        let members = order::sorted(members);
        if members.len() < LARGE || self.is_half {
            for (key, value) in members {
                self.write_indent();
                self.member(key, value);
            }
        } else {
            self.halves(&members);
        }
        self.indent = outer;
    }

    /// Writes the members of a mapping, both halves in parallel.
    fn halves(&mut self, members: &[(&str, &Part<'_>)]) {
        let (first, second) = members.split_at(members.len() / 2);
        // The state after the indentation of the half's first line.
        let mut other = Self {
            out: String::with_capacity(CAPACITY),
            column: self.indent.unwrap_or(0),
            indent: self.indent,
            whitespace: true,
            indention: true,
            printed: HashMap::new(),
            is_half: true,
        };
        self.is_half = true;
        threads::join(
            || {
                for (key, value) in first {
                    self.write_indent();
                    self.member(key, value);
                }
            },
            || {
                for (index, (key, value)) in second.iter().enumerate() {
                    if index > 0 {
                        other.write_indent();
                    }
                    other.member(key, value);
                }
            },
        );
        self.is_half = false;
        self.write_indent();
        self.out.push_str(&other.out);
        self.column = other.column;
        self.whitespace = other.whitespace;
        self.indention = other.indention;
    }

    fn member(&mut self, key: &str, value: &Part<'_>) {
        let simple = key.len() <= SIMPLE_KEY && !key.contains(scalar::is_break);
        let key = Part::Text(key);
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

    /// Adds `step` to the indentation, and returns the previous one.
    fn deepen(&mut self, step: usize) -> Option<usize> {
        let outer = self.indent;
        self.indent = Some(outer.map_or(0, |indent| indent + step));
        outer
    }

    fn indicator(&mut self, text: &str, around: Around) {
        if around.before && !self.whitespace {
            self.put(' ');
        }
        self.run(text);
        self.whitespace = around.after;
        self.indention = self.indention && around.indention;
    }

    /// Moves to the indentation, on a new line unless the current one is still blank.
    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        let taken = self.column > indent || (self.column == indent && !self.whitespace);
        if !self.indention || taken {
            self.put_break();
        }
        let missing = indent.saturating_sub(self.column);
        let mut left = missing;
        while left > 0 {
            let step = left.min(SPACES.len());
            self.out.push_str(&SPACES[..step]);
            left -= step;
        }
        self.column += missing;
        self.whitespace = true;
        self.indention = true;
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    /// Appends characters without line breaks.
    fn run(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }
}

/// The context of an indicator: whether it needs white space before it, counts as white space, and
/// counts as indentation.
#[derive(Clone, Copy, Default)]
struct Around {
    before: bool,
    after: bool,
    indention: bool,
}

/// Formats a number: integers by their digits, others in Go's shortest form.
fn number_text(number: &Number) -> String {
    let float = match number.as_f64() {
        Some(float) if number.is_f64() => float,
        _ => return number.to_string(),
    };
    // Go writes an integral float below 1e21 to JSON without a point; if it then fits, it is read
    // as an integer.
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

/// The exponent from which Go's shortest form uses scientific notation.
const GO_PRECISION: i32 = 6;

/// The shortest string that parses to the same float, as by `strconv.FormatFloat(f, 'g', -1, 64)`.
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
