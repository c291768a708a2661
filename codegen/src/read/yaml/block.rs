//! A line-based fast path from text to nodes, for the YAML that CRDs are usually written in: block
//! maps and lists, and scalars of all styles.
//!
//! A full YAML parser turns characters into tokens and tokens into events, which takes half the
//! time of generating types. It is the fallback for everything not handled here: anchors, tags,
//! directives, tabs, multi-line flow collections, merge keys, duplicate keys, complex keys, and
//! errors. Whatever is read here gives the same result as serde-saphyr.

mod scalar;

use std::ops::Range;

use memchr::{memchr, memchr3};

use self::scalar::{is_text, value_of};
use super::{Entry, MAX_DOCUMENTS, MAX_NODES, Node, Yaml};

/// Deeper nesting is left to serde-saphyr, which rejects it at some depth.
const MAX_DEPTH: usize = 500;

/// The maximum length of a key in the full parser.
const MAX_KEY: usize = 1_000;

/// Returns the non-empty documents of a text, or `None` if serde-saphyr has to read it.
pub(super) fn read(text: &str) -> Option<Vec<Node>> {
    // A text has at most as many nodes as bytes.
    if text.len() > MAX_NODES || !is_printable(text) {
        return None;
    }
    let mut reader = Reader {
        length: text.len(),
        rest: text,
        indent: None,
        blank: None,
        depth: 0,
        parts: String::new(),
    };
    reader.documents()
}

/// Whether a text has no control characters except line feeds, and no characters that YAML rejects
/// or gives a meaning to.
fn is_printable(text: &str) -> bool {
    let is_plain = |byte: &u8| (b' '..0x7f).contains(byte) || *byte == b'\n';
    let mut blocks = text.as_bytes().chunks(1024);
    // Without an early exit within a block, one instruction handles many bytes.
    blocks.all(|block| block.iter().fold(true, |all, byte| all & is_plain(byte)))
        || text.chars().all(|char| match char {
            '\n' | ' '..='~' => true,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
            char => char >= '\u{a0}',
        })
}

struct Reader<'a> {
    /// The number of bytes of the text.
    length: usize,
    /// The unread text; between nodes it starts with the content of a line.
    rest: &'a str,
    /// The column at which that content starts; `None` at the end of a document.
    indent: Option<usize>,
    /// The number of preceding blank lines; `None` if there were comments.
    blank: Option<usize>,
    depth: usize,
    /// A buffer for assembling strings.
    parts: String,
}

impl<'a> Reader<'a> {
    fn documents(&mut self) -> Option<Vec<Node>> {
        let mut documents = Vec::new();
        self.next_line();
        for _ in 0..MAX_DOCUMENTS {
            if let Some(indent) = self.indent {
                if !self.is_item() && self.key().is_none() {
                    return None;
                }
                documents.push(self.block(indent, 1)?);
            }
            if self.indent.is_some() {
                return None;
            }
            if self.rest.is_empty() {
                return Some(documents);
            }
            self.rest = self.rest.strip_prefix("---")?;
            self.end_line()?;
        }
        None
    }

    /// The byte at which the unread text starts.
    const fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    /// Advances to the content of the next non-empty line.
    fn next_line(&mut self) {
        self.blank = Some(0);
        self.indent = loop {
            let indent = self.skip_spaces();
            match self.rest.as_bytes() {
                [] => break None,
                [b'\n', ..] => self.blank = self.blank.map(|blank| blank + 1),
                [b'#', ..] => self.blank = None,
                [b'-', b'-', b'-', ..] if indent == 0 => break None,
                _ => break Some(indent),
            }
            self.take_line();
        };
    }

    /// Advances to the next line; fails unless the rest of this one is blank or a comment.
    fn end_line(&mut self) -> Option<()> {
        let spaces = self.skip_spaces();
        let is_end = match self.rest.as_bytes() {
            [] | [b'\n', ..] => true,
            [b'#', ..] => spaces > 0,
            _ => false,
        };
        is_end.then(|| {
            self.take_line();
            self.next_line();
        })
    }

    /// Returns the rest of the line, and advances past it.
    fn take_line(&mut self) -> &'a str {
        let end = memchr(b'\n', self.rest.as_bytes());
        let (line, rest) = end
            .and_then(|end| Some((self.rest.get(..end)?, self.rest.get(end + 1..)?)))
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Skips spaces, and returns their number.
    fn skip_spaces(&mut self) -> usize {
        let spaces = spaces(self.rest);
        self.rest = self.rest.get(spaces..).unwrap_or_default();
        spaces
    }

    /// Whether a list item starts here.
    fn is_item(&self) -> bool {
        matches!(self.rest.as_bytes(), [b'-'] | [b'-', b' ' | b'\n', ..])
    }

    /// Returns the key at the current position, its place, and the text after its colon.
    fn key(&self) -> Option<(&'a str, Range<usize>, &'a str)> {
        let bytes = self.rest.as_bytes();
        let (key, rest) = if let [quote @ (b'"' | b'\''), ref bytes @ ..] = *bytes {
            let end = memchr3(quote, b'\\', b'\n', bytes)?;
            let (key, rest) = self.rest.get(1..)?.split_at_checked(end)?;
            (
                key,
                rest.strip_prefix(char::from(quote))?.strip_prefix(':')?,
            )
        } else {
            let is_end = |at: usize| matches!(bytes.get(at + 1), None | Some(b' ' | b'\n'));
            let mut others = bytes
                .iter()
                .enumerate()
                .skip_while(|(at, byte)| match byte {
                    b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-' | b'.' | b'/' | b'$' => {
                        true
                    }
                    b':' => *at > 0 && !is_end(*at),
                    _ => false,
                });
            let (end, _) = others.next().filter(|(_, byte)| **byte == b':')?;
            let key = self.rest.get(..end).filter(|key| is_text(key))?;
            (key, self.rest.get(end + 1..)?)
        };
        let is_key = matches!(rest.as_bytes(), [] | [b' ' | b'\n', ..]);
        let range = self.at()..self.length - rest.len() - 1;
        (is_key && key.len() < MAX_KEY && key != "<<").then_some((key, range, rest))
    }

    /// Reads the list, map or scalar that starts at a column here. Continuation lines of a scalar
    /// are indented by at least `least` spaces.
    fn block(&mut self, column: usize, least: usize) -> Option<Node> {
        self.depth += 1;
        let read = if self.depth > MAX_DEPTH {
            None
        } else if self.is_item() {
            self.list(column)
        } else if self.key().is_some() {
            self.map(column)
        } else {
            self.scalar(least)
        };
        self.depth -= 1;
        read
    }

    fn map(&mut self, column: usize) -> Option<Node> {
        let start = self.at();
        let mut entries = Vec::new();
        loop {
            let (key, range, rest) = self.key()?;
            self.rest = rest;
            self.skip_spaces();
            let value = if !self.is_blank() {
                self.scalar(column + 1)?
            } else {
                self.take_line();
                self.next_line();
                match self.indent {
                    Some(indent) if indent > column => self.block(indent, column + 1)?,
                    Some(indent) if indent == column && self.is_item() => {
                        self.list_of_key(column)?
                    }
                    _ => node(Yaml::Null, range.end..range.end),
                }
            };
            entries.push(entry(key, range, value));
            if self.indent != Some(column) {
                break;
            }
        }
        let is_sound = self.indent < Some(column) && has_distinct_keys(&entries);
        is_sound.then(|| node(Yaml::Map(entries), start..start))
    }

    /// Reads a list that is indented as its key is: it starts where its first item does.
    fn list_of_key(&mut self, column: usize) -> Option<Node> {
        self.depth += 1;
        let list = if self.depth > MAX_DEPTH {
            None
        } else {
            self.list(column)
        };
        self.depth -= 1;
        let mut list = list?;
        let start = list.items().first()?.range.start;
        list.range = start..start;
        Some(list)
    }

    fn list(&mut self, column: usize) -> Option<Node> {
        let start = self.at();
        let mut items = Vec::new();
        while self.indent == Some(column) && self.is_item() || items.is_empty() {
            self.rest = self.rest.strip_prefix('-')?;
            let spaces = self.skip_spaces();
            items.push(if !self.is_blank() {
                self.block(column + 1 + spaces, column + 1)?
            } else {
                // An item without a value is behind its comment.
                let at = self.at();
                let end = at + self.take_line().len();
                self.next_line();
                match self.indent {
                    Some(indent) if indent > column => self.block(indent, column + 1)?,
                    _ => node(Yaml::Null, end..end),
                }
            });
        }
        (self.indent <= Some(column)).then(|| node(Yaml::List(items), start..start))
    }

    /// Whether the line has no more content.
    fn is_blank(&self) -> bool {
        matches!(self.rest.as_bytes(), [] | [b'\n' | b'#', ..])
    }

    /// Reads a flow list or map on one line, or a scalar within it.
    fn flow(&mut self) -> Option<Node> {
        self.depth += 1;
        let start = self.at();
        let read = match self.rest.as_bytes().first()? {
            _ if self.depth > MAX_DEPTH => None,
            b'[' => self.flow_list(),
            b'{' => self.flow_map(),
            b'"' | b'\'' => self.quoted_on_line().map(Yaml::String),
            _ => self.flow_word().and_then(value_of),
        };
        self.depth -= 1;
        let end = match read {
            // Of these, the place is the bracket.
            Some(Yaml::List(_) | Yaml::Map(_)) => start + 1,
            _ => self.at(),
        };
        Some(node(read?, start..end))
    }

    fn flow_list(&mut self) -> Option<Yaml> {
        let mut items = Vec::new();
        self.rest = self.rest.strip_prefix('[')?;
        while !self.ends_with(']') {
            items.push(self.flow()?);
            self.separator(']')?;
        }
        Some(Yaml::List(items))
    }

    fn flow_map(&mut self) -> Option<Yaml> {
        let mut entries = Vec::new();
        self.rest = self.rest.strip_prefix('{')?;
        while !self.ends_with('}') {
            let start = self.at();
            let key = if self.rest.starts_with(['"', '\'']) {
                self.quoted_on_line()?
            } else {
                self.flow_word().filter(|word| is_text(word))?.to_owned()
            };
            let range = start..self.at();
            self.rest = self.rest.strip_prefix(": ")?;
            self.skip_spaces();
            let value = self.flow()?;
            entries.push(entry(&key, range, value));
            self.separator('}')?;
        }
        has_distinct_keys(&entries).then_some(Yaml::Map(entries))
    }

    /// Consumes the end of a list or map, if present.
    fn ends_with(&mut self, end: char) -> bool {
        self.skip_spaces();
        let rest = self.rest.strip_prefix(end);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes the comma between two items, or stops at the end after the last.
    fn separator(&mut self, end: char) -> Option<()> {
        self.skip_spaces();
        if !self.rest.starts_with(end) {
            self.rest = self.rest.strip_prefix(',')?;
        }
        Some(())
    }
}

fn spaces(text: &str) -> usize {
    let mut bytes = text.bytes();
    bytes.position(|byte| byte != b' ').unwrap_or(text.len())
}

const fn node(value: Yaml, range: Range<usize>) -> Node {
    Node { value, range }
}

fn entry(key: &str, range: Range<usize>, value: Node) -> Entry {
    Entry {
        key: key.to_owned(),
        range,
        value,
    }
}

/// Whether keys are distinct. Tools write keys in sorted order, so usually no sorting is needed.
pub(super) fn has_distinct_keys(entries: &[Entry]) -> bool {
    let keys = entries.iter().map(|entry| entry.key.as_str());
    if keys.clone().is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut keys: Vec<&str> = keys.collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests;
