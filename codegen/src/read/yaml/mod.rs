//! YAML with places: every node records the bytes that it was read from.
//!
//! A finding in a CRD must refer to a line and a path long after parsing. `serde-saphyr` does the
//! parsing of what [`block`] does not read; only this module depends on it. YAML is interpreted as
//! by the API server's tools: `yes` and `on` are booleans, `0777` is octal, also as keys; and JSON
//! is YAML.

mod block;
mod decode;
mod mend;
mod repeated;
#[cfg(test)]
mod tests;
mod underscores;

use std::{ops::Range, sync::Arc};

use serde_json::{Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, Location};

pub(crate) use self::repeated::Repeated;
use self::{
    decode::{Content, Placed},
    mend::Mended,
};
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

/// A node of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Its content.
    pub(crate) value: Yaml,
    /// The byte range it was read from; of a block map or list, only the start.
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
    /// The byte range of the key.
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
/// The parser's error with its place, or an error if the input is too large or too deeply nested,
/// or if a map repeats a key.
pub(crate) fn read_documents(source: &Source) -> Result<Vec<Node>, Box<Diagnostic>> {
    let (documents, repeated) = read_repeated(source)?;
    match repeated.first() {
        Some(repeated) => Err(Box::new(refuse_repeated(source, repeated))),
        None => Ok(documents),
    }
}

/// Like [`read_documents`], but of a key that a map repeats, takes the last value, and returns the
/// keys.
///
/// # Errors
///
/// Those of [`read_documents`], except for repeated keys.
pub(crate) fn read_repeated(
    source: &Source,
) -> Result<(Vec<Node>, Vec<Repeated>), Box<Diagnostic>> {
    if let Some(documents) = block::read(&source.text) {
        return Ok((documents, Vec::new()));
    }
    let all = 0..source.text.len();
    let parts = mend::json_objects(&source.text).unwrap_or_else(|| vec![all]);
    let mut documents = Vec::new();
    for part in parts {
        let from = part.start;
        let text = mend::mend(source.text.get(part).unwrap_or_default());
        let read = parse(&text, from).map_err(|error| refuse(source, &text, from, &error))?;
        documents.extend(read);
    }
    let repeated = repeated::remove(&mut documents);
    Ok((documents, repeated))
}

/// Reports a repeated key as an error.
pub(crate) fn refuse_repeated(source: &Source, repeated: &Repeated) -> Diagnostic {
    let message = format!(
        "the YAML cannot be read: duplicate mapping key: {}",
        repeated.key
    );
    Diagnostic::error(message).at(place(source, repeated.range.clone()), "")
}

/// Parses a text that starts at a byte of its source.
fn parse(text: &Mended<'_>, from: usize) -> Result<Vec<Node>, serde_saphyr::Error> {
    let documents: Vec<Placed> = serde_saphyr::from_multiple_with_options(&text.text, options())?;
    let documents = documents.into_iter().map(|Placed(node)| node).collect();
    let mut documents = without_nulls(documents);
    if from > 0 || text.is_changed() {
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

/// Parses a plain scalar of one word. It is wrapped in a list because dashes alone would start a
/// document.
fn parse_scalar(word: &str) -> Option<Yaml> {
    let number = underscores::without(word);
    let word = number.as_deref().unwrap_or(word);
    let list = format!("- {word}\n");
    let [Content(scalar)]: [Content; 1] =
        serde_saphyr::from_str_with_options(&list, options()).ok()?;
    let is_scalar = !matches!(scalar, Yaml::List(_) | Yaml::Map(_));
    is_scalar.then_some(scalar)
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
            // Tools that write YAML use aliases for values that are equal, however often. What they
            // expand to is limited.
            enforce_alias_anchor_ratio: false,
        },
        // Passes all of them on to `repeated`, except those of numbers.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
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

/// Whether a line has an action of a Go template, which YAML would read as the start of two flow
/// maps: `{{- if … }}`, `app: {{ … }}`.
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
