//! YAML with places: every node records the bytes that it was read from.
//!
//! A finding in a CRD must refer to a line and a path long after parsing. `serde-saphyr` does the parsing; only this module depends on it.
//! Tracking places takes as long as the rest of parsing, and only findings need them, so a caller chooses with [`Places`]; without places,
//! [`block`] reads most CRDs. YAML is interpreted as by the API server's tools: `yes` and `on` are booleans, `0777` is octal, duplicate
//! keys are errors, and JSON is YAML.

mod block;
mod decode;
mod mend;

use std::{ops::Range, sync::Arc};

use serde_json::{Number, Value};
use serde_saphyr::Location;

use self::{decode::Placed, mend::Mended};
use crate::{
    diag::{Diagnostic, Place},
    source::Source,
};

/// The maximum nesting depth: enough for a schema of 600 levels, and safe from stack overflow.
const MAX_DEPTH: usize = 2_048;

/// The maximum number of documents in a source.
const MAX_DOCUMENTS: usize = 100_000;

/// The maximum number of lists, maps and scalars in a source, including keys: a gigabyte of nodes.
const MAX_NODES: usize = 10_000_000;

/// Whether nodes record the bytes they were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// They do.
    Kept,
    /// Every range is empty; reading takes half the time.
    Dropped,
}

/// A node of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Its content.
    pub(crate) value: Yaml,
    /// The byte range it was read from, if places are kept.
    pub(crate) range: Range<usize>,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value, in document order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// The byte range of the key, if places are kept.
    pub(crate) range: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    /// Returns the value of a key, if this is a map that contains it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// Returns the value of a key for modification.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Yaml::Map(entries) = &mut self.value else {
            return None;
        };
        entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.value)
    }

    /// Returns the entries of a map; empty for any other node.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Yaml::Map(entries) = &self.value {
            entries
        } else {
            &[]
        }
    }

    /// Returns the items of a list; empty for any other node.
    pub(crate) fn items(&self) -> &[Self] {
        if let Yaml::List(items) = &self.value {
            items
        } else {
            &[]
        }
    }

    /// Returns the items of a list for modification; empty for any other node.
    pub(crate) fn items_mut(&mut self) -> &mut [Self] {
        if let Yaml::List(items) = &mut self.value {
            items
        } else {
            &mut []
        }
    }

    /// Returns the value of a string.
    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Yaml::String(text) = &self.value {
            Some(text)
        } else {
            None
        }
    }

    /// Whether this is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.value == Yaml::Null
    }

    /// Describes the content of the node for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match self.value {
            Yaml::Null => "null",
            Yaml::Bool(_) => "a boolean",
            Yaml::Number(_) => "a number",
            Yaml::String(_) => "a string",
            Yaml::List(_) => "a list",
            Yaml::Map(_) => "a map",
        }
    }

    /// Converts the node to JSON.
    pub(crate) fn to_json(&self) -> Value {
        match &self.value {
            Yaml::Null => Value::Null,
            Yaml::Bool(flag) => Value::Bool(*flag),
            Yaml::Number(number) => Value::Number(number.clone()),
            Yaml::String(text) => Value::String(text.clone()),
            Yaml::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Yaml::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect(),
            ),
        }
    }
}

/// Reads every document of a source, except empty ones.
///
/// # Errors
///
/// The parser's error with its place, or an error if the input is too large or too deeply nested.
pub(crate) fn read_documents(
    source: &Source,
    places: Places,
) -> Result<Vec<Node>, Box<Diagnostic>> {
    let parse: Parse = match places {
        Places::Kept => parse::<true>,
        Places::Dropped => {
            if let Some(documents) = block::read(&source.text) {
                return Ok(documents);
            }
            parse::<false>
        }
    };
    let all = 0..source.text.len();
    let parts = mend::json_objects(&source.text).unwrap_or_else(|| vec![all]);
    let mut documents = Vec::new();
    for part in parts {
        let from = part.start;
        let text = mend::mend(source.text.get(part).unwrap_or_default());
        let read = parse(&text, from).map_err(|error| refuse(source, &text, from, &error))?;
        documents.extend(read);
    }
    Ok(documents)
}

type Parse = fn(&Mended<'_>, usize) -> Result<Vec<Node>, serde_saphyr::Error>;

/// Parses a text that starts at a byte of its source.
fn parse<const PLACES: bool>(
    text: &Mended<'_>,
    from: usize,
) -> Result<Vec<Node>, serde_saphyr::Error> {
    let documents: Vec<Placed<PLACES>> =
        serde_saphyr::from_multiple_with_options(&text.text, options())?;
    let documents = documents.into_iter().map(|Placed(node)| node).collect();
    let mut documents = without_nulls(documents);
    if PLACES && (from > 0 || text.is_changed()) {
        let original = |at: usize| from + text.original(at);
        documents
            .iter_mut()
            .for_each(|document| map_ranges(document, &original));
    }
    Ok(documents)
}

fn without_nulls(mut documents: Vec<Node>) -> Vec<Node> {
    documents.retain(|document| !document.is_null());
    documents
}

/// Parses a plain scalar of one word. It is wrapped in a list because dashes alone would start a document.
fn parse_scalar(word: &str) -> Option<Yaml> {
    let list = format!("- {word}\n");
    let [Placed(scalar)]: [Placed<false>; 1] =
        serde_saphyr::from_str_with_options(&list, options()).ok()?;
    let is_scalar = !matches!(scalar.value, Yaml::List(_) | Yaml::Map(_));
    is_scalar.then_some(scalar.value)
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_events: 20_000_000,
            max_nodes: MAX_NODES,
            max_documents: MAX_DOCUMENTS,
            max_total_scalar_bytes: 512 * 1024 * 1024,
            max_recorded_anchor_events: 100_000,
            // Tools that write YAML use aliases for values that are equal, however often. What they expand to is limited.
            enforce_alias_anchor_ratio: false,
        },
        with_snippet: false,
        legacy_octal_numbers: true,
    }
}

/// Converts the parser's error to a diagnostic, for a text that starts at a byte of the source.
fn refuse(
    source: &Source,
    text: &Mended<'_>,
    from: usize,
    error: &serde_saphyr::Error,
) -> Box<Diagnostic> {
    let within = error
        .location()
        .map_or(0, |location| start(&text.text, &location));
    let at = floor(&source.text, from + text.original(within));
    let message = explain(&error.without_snippet().to_string());
    let error = Diagnostic::error(format!("the YAML cannot be read: {message}"))
        .at(place(source, at..at), "");
    Box::new(if is_template(&source.text) {
        error.help("this is a template: render it first, for a chart with `helm template`")
    } else {
        error
    })
}

/// Whether a line has an action of a Go template, which YAML would read as the start of two flow maps: `{{- if … }}`, `app: {{ … }}`.
fn is_template(text: &str) -> bool {
    text.lines().any(|line| {
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        value.trim_start().starts_with("{{")
    })
}

/// Returns the parser's message in terms that a user can act on.
fn explain(message: &str) -> String {
    if message.contains("Depth {") || message.contains("recursion limit") {
        return format!("it is nested deeper than {MAX_DEPTH} levels");
    }
    if message.contains("budget breached") || message.contains("alias replay limit") {
        return "it is too large, or its aliases expand too far".to_owned();
    }
    let message = message.lines().next().unwrap_or_default();
    let message = message
        .split(", set DuplicateKeyPolicy")
        .next()
        .unwrap_or(message);
    let message = message.split(" at line ").next().unwrap_or(message);
    message.chars().take(200).collect()
}

/// Returns the byte offset of a location, from its line and column if the parser provides no more.
fn start(text: &str, location: &Location) -> usize {
    let line = usize::try_from(location.line()).unwrap_or(1).max(1);
    let column = usize::try_from(location.column()).unwrap_or(1).max(1);
    let before: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let line = text
        .get(before..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default();
    let within = line
        .char_indices()
        .nth(column - 1)
        .map_or(line.len(), |(index, _)| index);
    floor(text, before + within)
}

/// Creates a place in a source.
pub(crate) fn place(source: &Source, range: Range<usize>) -> Place {
    Place {
        file: source.name.as_str().into(),
        text: Arc::clone(&source.text),
        range,
    }
}

/// Returns the nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&index| text.is_char_boundary(index))
        .unwrap_or(0)
}

fn map_ranges(node: &mut Node, original: &impl Fn(usize) -> usize) {
    let map = |range: &Range<usize>| original(range.start)..original(range.end);
    node.range = map(&node.range);
    match &mut node.value {
        Yaml::List(items) => items.iter_mut().for_each(|item| map_ranges(item, original)),
        Yaml::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.range = map(&entry.range);
            map_ranges(&mut entry.value, original);
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn without_places(mut node: Node) -> Node {
        node.range = 0..0;
        match &mut node.value {
            Yaml::List(items) => {
                for item in items {
                    *item = without_places(item.clone());
                }
            }
            Yaml::Map(entries) => {
                for entry in entries {
                    entry.range = 0..0;
                    entry.value = without_places(entry.value.clone());
                }
            }
            _ => {}
        }
        node
    }

    fn check(text: &str) {
        let source = Source::new("text.yaml", text);
        let message = |error: Box<Diagnostic>| error.message;
        let placed = read_documents(&source, Places::Kept).map_err(message);
        let bare = read_documents(&source, Places::Dropped).map_err(message);
        let placed: Result<Vec<Node>, String> =
            placed.map(|nodes| nodes.into_iter().map(without_places).collect());
        assert_eq!(placed, bare, "{text:?}");
    }

    #[test]
    fn what_is_read_does_not_depend_on_places() {
        check(
            "a: 1\nb: [yes, 0777, 1.5, null, ~, \"1\", 2024-01-01]\n---\n- |\n  text\n- >-\n  folded\n  text\n",
        );
        check("base: &base {a: 1, b: x}\nuse: *base\nmerged:\n  <<: *base\n  b: y\n");
        check("a: 1\na: 2\n");
        check("a: [1\n");
        check("text: \"goes\n  on\"\n? key\n: value\n1: one\ntrue: yes\n");
        check("\u{feff}{\"json\": [true, false, -1, 1e3]}");
        check("a: 'b\n\tc'\n---\n\u{feff}d: 1\n");
        check("{\"a\": 1}\n{\"b\": 2}{}");
        check("null: 1\n");
        check("");
    }

    /// Checks the input's JSON form.
    #[track_caller]
    fn check_json(text: &str, expected: Value) {
        let source = Source::new("text.yaml", text);
        let documents = read_documents(&source, Places::Dropped).unwrap_or_default();
        let read: Vec<Value> = documents.iter().map(Node::to_json).collect();
        assert_eq!(Value::Array(read), expected, "{text:?}");
    }

    #[test]
    fn quoted_text_goes_on_with_tabs() {
        check_json(
            "a:\n  b: 'one\n\t\ttwo\n \t three'\n  c: \"x\n\n\ty\"\n",
            json!([{"a": {"b": "one two three", "c": "x\ny"}}]),
        );
    }

    #[test]
    fn every_document_may_start_with_a_byte_order_mark() {
        let documents = json!([{"a": 1}, {"b": 2}]);
        check_json("\u{feff}a: 1\n\u{feff}---\nb: 2\n", documents.clone());
        check_json("a: 1\n---\n\u{feff}b: 2\n", documents);
        check_json(
            "a: 'x\n\ty'\n---\n\u{feff}b: 2\n",
            json!([{"a": "x y"}, {"b": 2}]),
        );
    }

    #[test]
    fn json_objects_stand_one_after_another() {
        let documents = json!([{"a": [1]}, {"b": {}}]);
        check_json("{\"a\": [1]}\n{\"b\": {}}\n", documents.clone());
        check_json("{\n\t\"a\": [1]\n}{\"b\": {}}", documents);
        let source = Source::new("text.json", "{\"a\": 1}\n{\n\"b\": 1,\n\"b\": 2}");
        let error = read_documents(&source, Places::Dropped).unwrap_err();
        assert!(error.message.contains("duplicate"), "{}", error.message);
        assert_eq!(error.labels[0].place.line_column(), (4, 1));
    }

    #[test]
    fn a_null_key_is_named_so() {
        check_json("~: 1\nb: 2\n", json!([{"null": 1, "b": 2}]));
    }

    #[test]
    fn places_of_json_objects_are_those_of_the_text() {
        let source = Source::new("text.json", "{\"a\": 1}\n{\"bc\": 2}\n");
        let documents = read_documents(&source, Places::Kept).unwrap_or_default();
        let entry = &documents[1].entries()[0];
        assert_eq!(&source.text[entry.range.clone()], "\"bc\"");
    }

    /// Texts whose quotes do not start scalars are borrowed, since they need no mending.
    #[test]
    fn texts_that_the_parser_takes_are_left_alone() {
        for text in [
            "a: |\n  b: 'open\n c\nd: 1\n",
            "- a: >-\n    b: \"open\n- c: 1\n",
            "- a: |\n    it's\n  b: it's\n  c: 1\n",
            "# a: 'open\na: 1 # b: 'open\nb: 2\n",
            "a: plain\n  'no quote, it's\nb: x, 'y\nc: 1\n",
            "a: 'one\n  two'\nb: \"c\\\n  d\"\n",
            "a: {b: 'c\n  d', e: [\"f\", 'g']}\nh: 'it''s'\n",
            "a: &x 'b'\nc: !!str \"d\"\n",
            "{\"a\": \"b\",\n\"c\": \"d\"}\n",
            "--- 'a\n  b'\n--- |\n 'c\n",
        ] {
            assert!(!mend::mend(text).is_changed(), "{text}");
            check(text);
        }
    }

    #[test]
    fn places_of_a_mended_text_are_those_of_the_source() {
        let text = "\u{feff}a: 'one\ntwo\n\t three'\nkey: 'x\n\u{feff}y'\nlast: 1\n";
        let source = Source::new("text.yaml", text);
        let documents = read_documents(&source, Places::Kept).unwrap_or_default();
        let entries = documents[0].entries();
        assert_eq!(entries[0].value.as_str(), Some("one two three"));
        let names: Vec<&str> = entries
            .iter()
            .map(|entry| &text[entry.range.clone()])
            .collect();
        assert_eq!(names, ["a", "key", "last"]);
        let broken = Source::new("text.yaml", "a: 'one\ntwo'\nb: [1\nc: 2\n");
        let plain = Source::new("text.yaml", "a: 'one\n two'\nb: [1\nc: 2\n");
        let place = |source| {
            read_documents(source, Places::Dropped).unwrap_err().labels[0]
                .place
                .line_column()
        };
        assert_eq!(place(&broken), place(&plain));
    }

    #[test]
    fn places_are_those_of_the_text() {
        let source = Source::new("text.yaml", "a: 1\nbé:\n  - x\n");
        let documents = read_documents(&source, Places::Kept).unwrap_or_default();
        let entries = documents[0].entries();
        assert_eq!(&source.text[entries[1].range.clone()], "bé");
        assert_eq!(&source.text[entries[1].value.items()[0].range.clone()], "x");
    }
}
