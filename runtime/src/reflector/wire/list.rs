//! Decodes a list while it arrives: each item is decoded with its last byte, so that neither the
//! JSON of the whole list nor a tree of it is ever in memory.

use kube::core::Status;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::MOST_BYTES;
use crate::reflector::source::ListEnd;

/// Why an answer is not a list.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ListSyntaxError {
    /// A byte that is invalid at its position.
    #[error("unexpected byte {0:?} in a list")]
    Unexpected(char),
    /// A value exceeds [`MOST_BYTES`].
    #[error("a value of the list has more than {MOST_BYTES} bytes")]
    TooLarge,
    /// The input ended inside the list.
    #[error("the list ended too early")]
    Cut,
    /// The metadata cannot be read.
    #[error("bad list metadata: {0}")]
    Metadata(String),
    /// The answer is not a list of the requested objects.
    #[error("the server sent a {0} in place of a list")]
    WrongKind(String),
    /// The answer is a status of a failure.
    #[error(transparent)]
    Failure(Box<Status>),
    /// The answer has no kind: it is not from an API server.
    #[error("the server sent JSON without a kind in place of a list")]
    NoKind,
}

/// The JSON of a list, as far as it has arrived.
#[derive(Default)]
pub(crate) struct ListReader {
    text: Vec<u8>,
    /// The cursor: everything before it has been processed.
    at: usize,
    state: State,
    scan: Scan,
    end: ListEnd,
    kind: Kind,
    field: String,
    /// The fields that a status may have, until the kind is known.
    status: Map<String, Value>,
}

/// The kind of the answer.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Unknown,
    List,
    Status,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    /// Between the fields of the list object.
    Fields,
    /// Before the colon of a field.
    Colon,
    /// In the value of the field, which is not `items`.
    Value,
    /// Before the bracket of `items`.
    Items,
    /// Between items.
    Between,
    /// In an item.
    Item,
    Done,
}

/// The progress of the search for the end of a value.
#[derive(Default)]
struct Scan {
    offset: usize,
    depth: u32,
    in_string: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    resource_version: Option<String>,
    #[serde(rename = "continue")]
    continue_token: Option<String>,
}

impl ListReader {
    /// Adds bytes and passes every item that they complete to `each`.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        each: &mut impl FnMut(&[u8]),
    ) -> Result<(), ListSyntaxError> {
        self.text.extend_from_slice(bytes);
        while self.step(each)? {}
        self.text.drain(..self.at);
        self.at = 0;
        if self.text.len() > MOST_BYTES {
            return Err(ListSyntaxError::TooLarge);
        }
        Ok(())
    }

    /// Returns the list's metadata, once it is complete. Like client-go, requires a kind: other
    /// JSON with status 200, such as a proxy's `{"error":…}`, would count as an empty list.
    pub(crate) fn finish(self) -> Result<ListEnd, ListSyntaxError> {
        match (self.state, self.kind) {
            (State::Done, Kind::List) => Ok(self.end),
            (State::Done, Kind::Status) => Err(failure(self.status)),
            (State::Done, Kind::Unknown) => Err(ListSyntaxError::NoKind),
            _ => Err(ListSyntaxError::Cut),
        }
    }

    /// Advances by one token; returns false if that needs more bytes.
    fn step(&mut self, each: &mut impl FnMut(&[u8])) -> Result<bool, ListSyntaxError> {
        if matches!(self.state, State::Value | State::Item) {
            return self.step_value(each);
        }
        let Some(byte) = self.next_token() else {
            return Ok(false);
        };
        let (next, consumed) = match (self.state, byte) {
            (State::Start, b'{') => (State::Fields, 1),
            (State::Fields | State::Between, b',') => (self.state, 1),
            (State::Fields, b'}') => (State::Done, 1),
            (State::Fields, b'"') => match self.read_key() {
                Some(length) => (State::Colon, length),
                None => return Ok(false),
            },
            (State::Colon, b':') if self.field == "items" => (State::Items, 1),
            (State::Colon, b':') => (State::Value, 1),
            (State::Items, b'[') => (State::Between, 1),
            (State::Items, _) => (State::Value, 0),
            (State::Between, b']') => (State::Fields, 1),
            (State::Between, b'{') => (State::Item, 0),
            (_, other) => return Err(ListSyntaxError::Unexpected(char::from(other))),
        };
        self.at += consumed;
        self.state = next;
        Ok(true)
    }

    fn step_value(&mut self, each: &mut impl FnMut(&[u8])) -> Result<bool, ListSyntaxError> {
        if self.scan.offset == 0 && self.next_token().is_none() {
            return Ok(false);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(length) = self.scan.end_of_value(rest) else {
            return Ok(false);
        };
        let value = rest.get(..length).unwrap_or_default();
        if self.state == State::Item {
            each(value);
            self.state = State::Between;
        } else {
            let (field, value) = (std::mem::take(&mut self.field), value.to_vec());
            self.read_field(&field, &value)?;
            self.state = State::Fields;
        }
        self.at += length;
        self.scan = Scan::default();
        Ok(true)
    }

    fn read_field(&mut self, field: &str, value: &[u8]) -> Result<(), ListSyntaxError> {
        match field {
            "metadata" => {
                let metadata: Metadata = serde_json::from_slice(value)
                    .map_err(|error| ListSyntaxError::Metadata(error.to_string()))?;
                self.end.resource_version = metadata.resource_version.unwrap_or_default();
                self.end.continue_token = metadata.continue_token.filter(|token| !token.is_empty());
            }
            "kind" => {
                let kind: String = serde_json::from_slice(value).unwrap_or_default();
                self.kind = match kind.as_str() {
                    "Status" => Kind::Status,
                    list if list.ends_with("List") => Kind::List,
                    _ => return Err(ListSyntaxError::WrongKind(kind)),
                };
            }
            "status" | "code" | "message" | "reason" | "details" if self.kind != Kind::List => {
                let value = serde_json::from_slice(value).unwrap_or_default();
                self.status.insert(field.to_owned(), value);
            }
            _ => {}
        }
        Ok(())
    }

    /// Skips white space and returns the next byte.
    fn next_token(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        let blank = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.at += blank;
        self.text.get(self.at).copied()
    }

    /// Reads the key at the cursor and returns its length with quotes.
    fn read_key(&mut self) -> Option<usize> {
        let rest = self.text.get(self.at + 1..)?;
        let length = memchr::memchr(b'"', rest)?;
        self.field = String::from_utf8_lossy(rest.get(..length)?).into_owned();
        Some(length + 2)
    }
}

/// Returns the error for an answer of kind `Status`.
fn failure(fields: Map<String, Value>) -> ListSyntaxError {
    match serde_json::from_value::<Status>(Value::Object(fields)) {
        Ok(status) if status.is_failure() => ListSyntaxError::Failure(status.boxed()),
        _ => ListSyntaxError::WrongKind("Status".to_owned()),
    }
}

impl Scan {
    /// Returns the length of the JSON value at the start of `rest`, if it is complete. Resumes
    /// where the last call stopped.
    fn end_of_value(&mut self, rest: &[u8]) -> Option<usize> {
        let first = *rest.first()?;
        if !matches!(first, b'{' | b'[' | b'"') {
            return rest
                .iter()
                .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace());
        }
        loop {
            let tail = rest.get(self.offset..)?;
            if self.in_string {
                let Some(found) = memchr::memchr2(b'"', b'\\', tail) else {
                    self.offset = rest.len();
                    return None;
                };
                if tail.get(found) == Some(&b'\\') {
                    // The escaped byte may not have arrived yet; then the search resumes from the
                    // backslash.
                    if found + 1 >= tail.len() {
                        self.offset += found;
                        return None;
                    }
                    self.offset += found + 2;
                    continue;
                }
                self.in_string = false;
                self.offset += found + 1;
            } else {
                let Some(found) = tail
                    .iter()
                    .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
                else {
                    self.offset = rest.len();
                    return None;
                };
                self.offset += found + 1;
                match tail.get(found) {
                    Some(b'"') => self.in_string = true,
                    Some(b'{' | b'[') => self.depth += 1,
                    _ => self.depth = self.depth.saturating_sub(1),
                }
            }
            if self.depth == 0 && !self.in_string {
                return Some(self.offset);
            }
        }
    }
}
