//! The grammar of values: controller-tools' own, so that markers carry over from Go unchanged.
//!
//! A string is bare up to `,`, `;` or `}` (and `:` in a map key), in double quotes with Go's
//! escapes, or raw in backticks. A list is `a;b` or `{a,b}`; a map is `{key: value}`.
//! [`ValueKind::Any`] infers the type.

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::{Number, Value};

use super::ValueKind;

/// An error in a value, with its place in the marker's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// The problem.
    pub message: String,
    /// A suggested fix; may be empty.
    pub help: String,
    /// The byte range in the text.
    pub range: Range<usize>,
}

/// The maximum nesting of lists and maps.
const MAX_DEPTH: usize = 16;

/// A cursor over the arguments of one marker.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// The position of a word, which decides what terminates it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Value,
    /// A map key: also terminated by `:`.
    Key,
}

type Read<T> = Result<T, ValueError>;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    pub(super) fn is_empty(&mut self) -> bool {
        self.peek().is_none()
    }

    pub(super) fn error(&self, range: Range<usize>, message: impl Into<String>) -> ValueError {
        ValueError {
            message: message.into(),
            help: String::new(),
            range,
        }
    }

    /// Reads the name of an argument; empty if there is none.
    pub(super) fn name(&mut self) -> &'a str {
        self.peek();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads a value of the specified kind; at the `top`, a list needs no braces.
    pub(super) fn value(&mut self, kind: ValueKind) -> Read<Value> {
        match kind {
            ValueKind::Bool => self.bool(),
            ValueKind::Int => self.int(),
            ValueKind::Number => self.number(),
            ValueKind::String => self.string(Word::Value).map(Value::String),
            ValueKind::Length => self.length(),
            ValueKind::Choice(words) => self.choice(words, str::eq),
            ValueKind::ChoiceAnyCase(words) => self.choice(words, str::eq_ignore_ascii_case),
            ValueKind::Strings => {
                self.list(&mut |cursor| cursor.string(Word::Value).map(Value::String))
            }
            ValueKind::Values => self.list(&mut |cursor| cursor.any(0)),
            ValueKind::Any => self.any_or_list(),
            ValueKind::Json => self.json(),
            ValueKind::Words => self.words(),
            ValueKind::Raw => Ok(Value::from(self.rest_of_line())),
        }
    }

    fn bool(&mut self) -> Read<Value> {
        let (range, text) = self.bare(Word::Value);
        match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(self.error(range, format!("expected true or false, found `{text}`"))),
        }
    }

    fn int(&mut self) -> Read<Value> {
        let (range, text) = self.bare(Word::Value);
        text.parse::<i64>()
            .map(Value::from)
            .map_err(|_| self.error(range, format!("expected an integer, found `{text}`")))
    }

    fn number(&mut self) -> Read<Value> {
        let (range, text) = self.bare(Word::Value);
        number(text)
            .map(Value::Number)
            .ok_or_else(|| self.error(range, format!("expected a number, found `{text}`")))
    }

    fn length(&mut self) -> Read<Value> {
        let (range, text) = self.bare(Word::Value);
        let length = text.parse::<i64>().ok().filter(|length| *length >= 0);
        length.map(Value::from).ok_or_else(|| {
            self.error(
                range,
                format!("expected a non-negative integer, found `{text}`"),
            )
        })
    }

    /// Reads one of the words, and returns it in the table's spelling.
    fn choice(&mut self, words: &[&str], same: fn(&str, &str) -> bool) -> Read<Value> {
        self.peek();
        let start = self.at;
        if let Some(word) = words.iter().find(|word| **word == self.rest().trim_end()) {
            self.at = self.text.len();
            return Ok(Value::from(*word));
        }
        let text = self.string(Word::Value)?;
        if let Some(word) = words.iter().find(|word| same(word, &text)) {
            return Ok(Value::from(*word));
        }
        let mut error = self.error(
            start..self.at,
            format!("expected {}, found `{text}`", alternatives(words)),
        );
        if let Some(near) = crate::suggest::closest(&text, words.iter().copied()) {
            error.help = format!("did you mean `{near}`?");
        }
        Err(error)
    }

    fn string(&mut self, word: Word) -> Read<String> {
        match self.peek() {
            Some('"') => self.quoted(),
            Some('`') if self.rest()[1..].contains('`') => Ok(self.raw()),
            _ => Ok(self.bare(word).1.to_owned()),
        }
    }

    /// Reads a string in backticks, without escapes.
    fn raw(&mut self) -> String {
        let inner = &self.rest()[1..];
        let end = inner.find('`').unwrap_or(inner.len());
        self.at += end + 2;
        inner[..end].to_owned()
    }

    /// Reads a string in double quotes, with Go's escapes.
    fn quoted(&mut self) -> Read<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + offset + 1;
                    return Ok(text);
                }
                '\\' => {
                    let escaped = chars.next().map(|(_, c)| c);
                    let plain = match escaped {
                        Some('n') => Some('\n'),
                        Some('t') => Some('\t'),
                        Some('r') => Some('\r'),
                        Some(c @ ('"' | '\\' | '\'')) => Some(c),
                        Some('u') => unicode_escape(&mut chars, 4),
                        Some('U') => unicode_escape(&mut chars, 8),
                        Some('x') => unicode_escape(&mut chars, 2),
                        _ => None,
                    };
                    let Some(plain) = plain else {
                        let mut error =
                            self.error(start + offset..start + offset + 1, "unknown escape");
                        error.help = "text in backticks needs no escapes: `\\d+`".to_owned();
                        return Err(error);
                    };
                    text.push(plain);
                }
                c => text.push(c),
            }
        }
        let end = self.text.len();
        self.at = end;
        Err(self.error(start..end, "the string has no closing quote"))
    }

    /// Reads a bare string up to a delimiter, without surrounding spaces.
    fn bare(&mut self, word: Word) -> (Range<usize>, &'a str) {
        self.peek();
        let rest = self.rest();
        let delimiter = |c: char| matches!(c, ',' | ';' | '}') || (word == Word::Key && c == ':');
        let end = bare_end(rest, delimiter);
        let text = rest[..end].trim_end();
        let range = self.at..self.at + text.len();
        self.at += end;
        (range, text)
    }

    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Read<Value>) -> Read<Value> {
        if self.eat('{') {
            return self.braced(item);
        }
        let mut items = Vec::new();
        while !matches!(self.peek(), None | Some(',' | '}')) {
            self.refuse_empty(';')?;
            items.push(item(self)?);
            if !self.eat(';') {
                break;
            }
        }
        Ok(Value::Array(items))
    }

    /// Reads the items of a list after its `{`.
    fn braced(&mut self, item: &mut dyn FnMut(&mut Self) -> Read<Value>) -> Read<Value> {
        let mut items = Vec::new();
        while !self.eat('}') {
            if self.is_empty() {
                return Err(self.error(self.at..self.at, "the list has no closing brace"));
            }
            self.refuse_empty(',')?;
            items.push(item(self)?);
            if !self.eat(',') && self.peek() != Some('}') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        Ok(Value::Array(items))
    }

    /// Rejects an empty item, which controller-gen would misread: `a;;b` as `a` and `;b`.
    fn refuse_empty(&mut self, delimiter: char) -> Read<()> {
        if self.peek() != Some(delimiter) {
            return Ok(());
        }
        let mut error = self.error(self.at..self.at + 1, "the list has an empty item");
        error.help = format!("remove one `{delimiter}`, or write `\"\"` for the empty string");
        Err(error)
    }

    fn any_or_list(&mut self) -> Read<Value> {
        if self.peek() == Some('[') {
            return self.json_list();
        }
        let first = self.any(0)?;
        if self.peek() != Some(';') {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(';') && !self.is_empty() {
            self.refuse_empty(';')?;
            items.push(self.any(0)?);
        }
        Ok(Value::Array(items))
    }

    /// Rejects `[1,2]`, which is not a list in Go's grammar and would be cut at the comma.
    fn json_list(&self) -> Read<Value> {
        let mut error = self.error(self.at..self.text.len(), "a list is written in braces");
        error.help = "write `{1,2}` in place of `[1,2]`".to_owned();
        Err(error)
    }

    fn any(&mut self, depth: usize) -> Read<Value> {
        if depth > MAX_DEPTH {
            return Err(self.error(self.at..self.at, "the value is nested too deeply"));
        }
        match self.peek() {
            Some('"') => self.string(Word::Value).map(Value::String),
            Some('`') => self.string(Word::Value).map(Value::String),
            Some('{') => self.list_or_map(depth),
            _ => {
                let (_, text) = self.bare(Word::Value);
                Ok(guess(text))
            }
        }
    }

    fn list_or_map(&mut self, depth: usize) -> Read<Value> {
        self.eat('{');
        if self.eat('}') {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        let start = self.at;
        let is_map =
            self.peek() != Some('{') && self.string(Word::Key).is_ok() && self.peek() == Some(':');
        self.at = start;
        if !is_map {
            return self.braced(&mut |cursor| cursor.any(depth + 1));
        }
        let mut map = serde_json::Map::new();
        while !self.eat('}') {
            if self.is_empty() {
                return Err(self.error(self.at..self.at, "the object has no closing brace"));
            }
            let key_start = self.at;
            let key = self.string(Word::Key)?;
            if !self.eat(':') {
                return Err(self.unexpected("`:`"));
            }
            let value = self.any(depth + 1)?;
            if map.insert(key.clone(), value).is_some() {
                return Err(self.error(key_start..self.at, format!("`{key}` is given twice")));
            }
            if !self.eat(',') && self.peek() != Some('}') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        Ok(Value::Object(map))
    }

    fn json(&mut self) -> Read<Value> {
        self.peek();
        let range = self.at..self.text.len();
        let text = self.rest();
        self.at = self.text.len();
        serde_json::from_str(text).map_err(|error| {
            let mut wrong = self.error(range, format!("the value is not JSON: {error}"));
            wrong.help = if text.starts_with("ref(") {
                "write the value itself: constants are not evaluated".to_owned()
            } else {
                format!("put a string in quotes: `+default={:?}`", text)
            };
            wrong
        })
    }

    fn rest_of_line(&mut self) -> &'a str {
        self.peek();
        let rest = self.rest();
        self.at = self.text.len();
        rest.trim_end()
    }

    fn words(&mut self) -> Read<Value> {
        self.peek();
        let start = self.at;
        let rest = self.rest();
        self.at = self.text.len();
        let words: Vec<&str> = rest.split(',').map(str::trim).collect();
        if words.iter().any(|word| word.is_empty()) {
            return Err(self.error(start..self.at, "missing word between commas"));
        }
        Ok(words.into_iter().map(Value::from).collect())
    }

    pub(super) fn unexpected(&mut self, expected: &str) -> ValueError {
        match self.peek() {
            Some(c) => self.error(
                self.at..self.at + c.len_utf8(),
                format!("expected {expected}, found `{c}`"),
            ),
            None => self.error(
                self.at..self.at,
                format!("expected {expected}, found the end"),
            ),
        }
    }
}

fn unicode_escape(chars: &mut impl Iterator<Item = (usize, char)>, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + chars.next()?.1.to_digit(16)?;
    }
    char::from_u32(code)
}

/// Returns the end of a bare string. A quote within it hides delimiters up to the closing quote, as
/// in Go's scanner.
fn bare_end(text: &str, delimiter: impl Fn(char) -> bool) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if delimiter(c) => return at,
            None if matches!(c, '"' | '`') && text[at + 1..].contains(c) => quote = Some(c),
            None => {}
        }
    }
    text.len()
}

/// Infers the value of a bare string.
fn guess(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// Parses a decimal number; an integer if it is written as one.
fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let number = text.parse::<f64>().ok()?;
    let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    if exact && !text.contains(['.', 'e', 'E']) {
        return None;
    }
    Number::from_f64(number)
}

fn alternatives(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
