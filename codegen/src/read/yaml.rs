//! YAML with places: every node knows the bytes it was read from.
//!
//! It exists because a finding in a CRD must name a line and a path, long after parsing. `serde-saphyr` parses; this module
//! alone names it. To know places takes as long as all the rest of parsing, and only findings need them, so a caller says
//! with [`Places`] whether it does. YAML is read as the API server's tools read it: `yes` and `on` are booleans, `0777` is octal, duplicate
//! keys are errors, JSON is YAML.

use std::{fmt, ops::Range, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Number, Value};
use serde_saphyr::{Location, Spanned};

use crate::{
    diag::{Diagnostic, Place},
    source::Source,
};

/// Deepest nesting that is read; a schema of 600 levels fits, a stack overflow does not.
const MAX_DEPTH: usize = 2_048;

/// Whether nodes know the bytes they were read from.
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
    /// What it holds.
    pub(crate) value: Yaml,
    /// The bytes it was read from, if places are kept.
    pub(crate) range: Range<usize>,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value, in the order of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// The bytes of the key, if places are kept.
    pub(crate) range: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    /// The value of a key, if this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// The value of a key, to be taken apart.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Yaml::Map(entries) = &mut self.value else {
            return None;
        };
        entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.value)
    }

    /// The entries of a map; none for anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Yaml::Map(entries) = &self.value {
            entries
        } else {
            &[]
        }
    }

    /// The items of a list; none for anything else.
    pub(crate) fn items(&self) -> &[Self] {
        if let Yaml::List(items) = &self.value {
            items
        } else {
            &[]
        }
    }

    /// The items of a list, to be taken apart; none for anything else.
    pub(crate) fn items_mut(&mut self) -> &mut [Self] {
        if let Yaml::List(items) = &mut self.value {
            items
        } else {
            &mut []
        }
    }

    /// The text of a string.
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

    /// What the node holds, in words for messages.
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

    /// The node as JSON.
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

/// Reads every document of a source; empty documents are left out.
///
/// # Errors
///
/// The parser's finding with its place, or that the input is larger or deeper than anything sensible.
pub(crate) fn read_documents(
    source: &Source,
    places: Places,
) -> Result<Vec<Node>, Box<Diagnostic>> {
    let parse = match places {
        Places::Kept => parse::<true>,
        Places::Dropped => parse::<false>,
    };
    let first = match parse(&source.text) {
        Ok(documents) => return Ok(documents),
        Err(error) => error,
    };
    if is_quoted_indentation(&first)
        && let Ok(documents) = parse(&indent_quoted(&source.text))
    {
        return Ok(documents);
    }
    Err(refuse(source, &first))
}

fn parse<const PLACES: bool>(text: &str) -> Result<Vec<Node>, serde_saphyr::Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shift = text.len() - body.len();
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_events: 20_000_000,
            max_nodes: 10_000_000,
            max_documents: 100_000,
            max_total_scalar_bytes: 512 * 1024 * 1024,
            max_recorded_anchor_events: 100_000,
        },
        with_snippet: false,
        legacy_octal_numbers: true,
    };
    let documents: Vec<Read<PLACES>> = serde_saphyr::from_multiple_with_options(body, options)?;
    let mut documents: Vec<Node> = documents
        .into_iter()
        .map(|Read(node)| node)
        .filter(|document| !document.is_null())
        .collect();
    if PLACES && shift > 0 {
        documents
            .iter_mut()
            .for_each(|document| shift_ranges(document, shift));
    }
    Ok(documents)
}

/// The parser's finding with its place.
fn refuse(source: &Source, error: &serde_saphyr::Error) -> Box<Diagnostic> {
    let at = error
        .location()
        .map_or(0, |location| start(&source.text, &location));
    let message = explain(&error.without_snippet().to_string());
    Box::new(
        Diagnostic::error(format!("the YAML cannot be read: {message}"))
            .at(place(source, at..at), ""),
    )
}

/// The parser's message, without what only a programmer could act on.
fn explain(message: &str) -> String {
    if message.contains("Depth {") || message.contains("recursion limit") {
        return format!("it is nested deeper than {MAX_DEPTH} levels");
    }
    if message.contains("budget breached") {
        return "its aliases, or it, grow beyond anything sensible".to_owned();
    }
    let message = message.lines().next().unwrap_or_default();
    let message = message
        .split(", set DuplicateKeyPolicy")
        .next()
        .unwrap_or(message);
    let message = message.split(" at line ").next().unwrap_or(message);
    message.chars().take(200).collect()
}

/// The byte at which a location starts, from its line and column where the parser knows no more.
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

fn is_quoted_indentation(error: &serde_saphyr::Error) -> bool {
    let message = error.without_snippet().to_string();
    message.contains("indentation in multiline quoted scalar")
}

/// Indents lines at which a quoted scalar goes on no deeper than its key. Go's reader takes such lines and real CRDs have
/// them; white space at the start of a line is no part of the scalar.
fn indent_quoted(text: &str) -> String {
    let mut indented = String::with_capacity(text.len() + text.len() / 8);
    let mut open: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Some((quote, key_indent)) = open {
            if indent <= key_indent && !line.trim().is_empty() {
                indented.extend(std::iter::repeat_n(' ', key_indent + 1 - indent));
            }
            if closes(line, quote) {
                open = None;
            }
        } else {
            open = opened_quote(line).map(|quote| (quote, indent));
        }
        indented.push_str(line);
    }
    indented
}

/// The quote of a value that starts on the line and does not end there.
fn opened_quote(line: &str) -> Option<char> {
    let (_, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
    let value = value.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    (!closes(&value[1..], quote)).then_some(quote)
}

/// Whether the quote ends on the line; two single quotes are one, and a backslash escapes a double quote.
fn closes(line: &str, quote: char) -> bool {
    let escaped = if quote == '\'' { "''" } else { "\\\"" };
    line.replace(escaped, "").contains(quote)
}

/// A place in a source.
pub(crate) fn place(source: &Source, range: Range<usize>) -> Place {
    Place {
        file: source.name.as_str().into(),
        text: Arc::clone(&source.text),
        range,
    }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&index| text.is_char_boundary(index))
        .unwrap_or(0)
}

fn shift_ranges(node: &mut Node, by: usize) {
    node.range = node.range.start + by..node.range.end + by;
    match &mut node.value {
        Yaml::List(items) => items.iter_mut().for_each(|item| shift_ranges(item, by)),
        Yaml::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.range = entry.range.start + by..entry.range.end + by;
            shift_ranges(&mut entry.value, by);
        }),
        _ => {}
    }
}

fn range(location: &Location) -> Range<usize> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset().unwrap_or(0)).unwrap_or(0);
    start..start + usize::try_from(span.byte_len().unwrap_or(0)).unwrap_or(0)
}

/// A node as read, with its place or without.
struct Read<const PLACES: bool>(Node);

/// A key as read, with its place or without.
struct Key<const PLACES: bool>(String, Range<usize>);

/// A value as read, whose nodes have their places or not.
struct Content<const PLACES: bool>(Yaml);

impl<'de, const PLACES: bool> Deserialize<'de> for Read<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (value, range) = if PLACES {
            let spanned = Spanned::<Content<PLACES>>::deserialize(deserializer)?;
            (spanned.value.0, range(&spanned.referenced))
        } else {
            (Content::<PLACES>::deserialize(deserializer)?.0, 0..0)
        };
        Ok(Self(Node { value, range }))
    }
}

impl<'de, const PLACES: bool> Deserialize<'de> for Key<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if PLACES {
            let spanned = Spanned::<String>::deserialize(deserializer)?;
            Ok(Self(spanned.value, range(&spanned.referenced)))
        } else {
            Ok(Self(String::deserialize(deserializer)?, 0..0))
        }
    }
}

impl<'de, const PLACES: bool> Deserialize<'de> for Content<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(YamlVisitor::<PLACES>)
            .map(Self)
    }
}

struct YamlVisitor<const PLACES: bool>;

impl<'de, const PLACES: bool> Visitor<'de> for YamlVisitor<PLACES> {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Yaml, E> {
        Ok(Yaml::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Yaml, E> {
        Number::from_f64(value)
            .map(Yaml::Number)
            .ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Yaml, E> {
        Ok(Yaml::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Yaml, A::Error> {
        let mut items = Vec::new();
        while let Some(Read::<PLACES>(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Yaml::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Yaml, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry()? {
            let Key::<PLACES>(key, range) = key;
            let Read::<PLACES>(value) = value;
            entries.push(Entry { key, range, value });
        }
        Ok(Yaml::Map(entries))
    }
}

#[cfg(test)]
mod tests {
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
        check("");
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
