//! A line-based scan of YAML: where quoted scalars continue, and how far their lines must be
//! indented.
//!
//! It knows just enough of the syntax not to mistake a quote in a comment, block scalar or plain
//! scalar for the start of a quoted scalar.

use std::ops::Range;

use crate::read::yaml::underscores;

/// The context in which the next line starts.
#[derive(Clone, Copy, Debug, Default)]
enum Within {
    /// Between nodes.
    #[default]
    Nothing,
    /// A quoted scalar, whose lines must be indented by at least `least` spaces.
    Quoted { quote: u8, least: usize },
    /// A block scalar, whose lines are indented deeper than its key.
    Block { key: usize },
    /// A plain scalar, which more deeply indented lines continue.
    Plain { key: usize },
}

/// The state between lines.
#[derive(Debug, Default)]
pub(super) struct Scan {
    within: Within,
    /// The number of open brackets and braces.
    flow: usize,
    /// The numbers with underscores on the line, as byte ranges.
    pub(super) numbers: Vec<Range<usize>>,
    /// Whether the line continues a plain scalar.
    pub(super) continues_plain: bool,
}

impl Scan {
    /// Processes the next line. Returns the minimum indentation if a quoted scalar continues on it.
    pub(super) fn line(&mut self, line: &str) -> Option<usize> {
        let mut bytes = line.as_bytes();
        while let [rest @ .., b'\n' | b'\r'] = bytes {
            bytes = rest;
        }
        let indent = bytes.iter().take_while(|&&byte| byte == b' ').count();
        let starts = bytes.get(indent).is_some_and(u8::is_ascii_graphic);
        let is_blank = !starts && line.trim().is_empty();
        self.numbers.clear();
        self.continues_plain = matches!(self.within, Within::Plain { key } if indent > key);
        match self.within {
            Within::Quoted { quote, least } => {
                if let Some(end) = end_of_quoted(bytes, quote) {
                    self.within = Within::Nothing;
                    self.tokens(bytes, end, least.saturating_sub(1));
                }
                return Some(least);
            }
            Within::Block { key } | Within::Plain { key } if is_blank || indent > key => {
                return None;
            }
            _ => {}
        }
        let is_separator = bytes.starts_with(b"---") || bytes.starts_with(b"...");
        if is_separator {
            self.flow = 0;
        }
        self.within = Within::Nothing;
        if !is_blank {
            self.tokens(bytes, if is_separator { 3 } else { indent }, indent);
        }
        None
    }

    /// Processes the tokens of a line from a byte on; `key` is the column of the line's node.
    fn tokens(&mut self, bytes: &[u8], from: usize, mut key: usize) {
        let mut at = from;
        // Whether a node may start here, and whether a plain scalar has started.
        let (mut fresh, mut plain) = (true, false);
        while let Some(&byte) = bytes.get(at) {
            let spaced = bytes
                .get(at + 1)
                .is_none_or(|next| matches!(next, b' ' | b'\t'));
            match byte {
                b' ' | b'\t' => {
                    at += 1;
                    continue;
                }
                b'#' if at == 0 || matches!(bytes.get(at - 1), Some(b' ' | b'\t')) => break,
                b'-' | b'?' if fresh && spaced => {
                    at += 1;
                    if self.flow == 0 {
                        let rest = bytes.get(at..).unwrap_or_default();
                        key = at + rest.iter().take_while(|&&byte| byte == b' ').count();
                    }
                    continue;
                }
                b':' if spaced || self.flow > 0 => (fresh, plain) = (true, false),
                b',' if self.flow > 0 => (fresh, plain) = (true, false),
                b'[' | b'{' if fresh => self.flow += 1,
                b']' | b'}' if self.flow > 0 => {
                    self.flow -= 1;
                    (fresh, plain) = (false, false);
                }
                b'\'' | b'"' if fresh => {
                    let rest = bytes.get(at + 1..).unwrap_or_default();
                    let Some(length) = end_of_quoted(rest, byte) else {
                        let least = key + 1;
                        self.within = Within::Quoted { quote: byte, least };
                        return;
                    };
                    at += length;
                    fresh = false;
                }
                b'|' | b'>' if fresh && self.flow == 0 => {
                    self.within = Within::Block { key };
                    return;
                }
                b'&' | b'!' if fresh => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest
                        .iter()
                        .take_while(|&&byte| !matches!(byte, b' ' | b'\t'))
                        .count();
                    continue;
                }
                _ => {
                    let number = fresh.then(|| underscores::at(bytes, at)).flatten();
                    (fresh, plain) = (false, true);
                    // Within brackets, a scalar may continue on the next line.
                    if let Some(number) = number
                        && (self.flow == 0 || number.end < bytes.len())
                    {
                        at = number.end;
                        self.numbers.push(number);
                        continue;
                    }
                }
            }
            at += 1;
        }
        if plain && self.flow == 0 {
            self.within = Within::Plain { key };
        }
    }
}

/// Returns the number of bytes up to and including the end of a quoted scalar. Two single quotes
/// are an escaped one, and a backslash escapes a double quote.
pub(super) fn end_of_quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        let &byte = bytes.get(at)?;
        let doubled = quote == b'\'' && bytes.get(at + 1) == Some(&quote);
        if byte == quote && !doubled {
            return Some(at + 1);
        }
        at += if byte == quote || (byte == b'\\' && quote == b'"') {
            2
        } else {
            1
        };
    }
}
