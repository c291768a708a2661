//! Scalars: plain, quoted and block.

use std::{borrow::Cow, mem, ops::Range};

use memchr::{memchr, memchr2, memchr2_iter, memchr3};

use super::{Reader, node, spaces};
use crate::read::yaml::{Node, Yaml, parse_scalar};

impl<'a> Reader<'a> {
    /// Reads the scalar, or the single-line flow list or map, that makes up the whole value here.
    /// Continuation lines are indented by at least `least` spaces.
    pub(super) fn scalar(&mut self, least: usize) -> Option<Node> {
        let start = self.at();
        let found = match self.rest.as_bytes().first()? {
            b'|' | b'>' => {
                let mut range = 0..0;
                let text =
                    self.put_together(|reader, text| reader.text_block(least, text, &mut range))?;
                return Some(node(Yaml::String(text), range));
            }
            b'"' | b'\'' => {
                let text = self.quoted(least)?;
                node(Yaml::String(text), start..self.at())
            }
            b'[' | b'{' => self.flow()?,
            _ => return self.plain(least),
        };
        self.end_line()?;
        Some(found)
    }

    fn plain(&mut self, least: usize) -> Option<Node> {
        if self.is_item() || self.rest.starts_with(INDICATORS) {
            return None;
        }
        let start = self.at();
        let (first, mut may_continue) = plain_part(self.take_line())?;
        let mut end = start + first.len();
        let mut text = Cow::Borrowed(first);
        self.next_line();
        while self.indent >= Some(least) {
            let blank = self.blank.filter(|_| may_continue)?;
            let from = self.at();
            let part;
            (part, may_continue) = plain_part(self.take_line())?;
            end = from + part.len();
            push_break(text.to_mut(), blank);
            text.to_mut().push_str(part);
            self.next_line();
        }
        let is_one_line = matches!(text, Cow::Borrowed(_));
        let value = (is_one_line || is_text(&text)).then(|| value_of(&text))?;
        Some(node(value?, start..end))
    }

    /// Reads a word within a flow list or map.
    pub(super) fn flow_word(&mut self) -> Option<&'a str> {
        let bytes = self.rest.as_bytes();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./$+".contains(byte);
        let end = bytes.iter().position(|byte| !is_word(byte))?;
        let (word, rest) = self.rest.split_at_checked(end)?;
        // A lone dash starts an item.
        let is_plain = !word.is_empty() && word.bytes().any(|byte| byte != b'-');
        self.rest = rest;
        (is_plain && rest.starts_with([' ', ',', ':', ']', '}'])).then_some(word)
    }

    /// Reads a quoted scalar that ends on its line.
    pub(super) fn quoted_on_line(&mut self) -> Option<String> {
        self.quoted(usize::MAX)
    }

    fn quoted(&mut self, least: usize) -> Option<String> {
        let quote = self.take(1)?;
        self.put_together(|reader, text| match quote {
            "'" => reader.single_quoted(least, text),
            _ => reader.double_quoted(least, text),
        })
    }

    /// Returns the string that `read` assembles, allocated at its exact length because descriptions
    /// live long.
    fn put_together(
        &mut self,
        read: impl FnOnce(&mut Self, &mut String) -> Option<()>,
    ) -> Option<String> {
        let mut text = mem::take(&mut self.parts);
        text.clear();
        let whole = read(self, &mut text).map(|()| text.as_str().to_owned());
        self.parts = text;
        whole
    }

    fn single_quoted(&mut self, least: usize, text: &mut String) -> Option<()> {
        loop {
            let part = self.take(memchr2(b'\'', b'\n', self.rest.as_bytes())?)?;
            if let Some(rest) = self.rest.strip_prefix('\n') {
                self.rest = rest;
                text.push_str(part.trim_end_matches(' '));
                let blank = self.continue_quoted(least)?;
                push_break(text, blank);
                continue;
            }
            text.push_str(part);
            self.rest = self.rest.strip_prefix('\'')?;
            let Some(rest) = self.rest.strip_prefix('\'') else {
                return Some(());
            };
            self.rest = rest;
            text.push('\'');
        }
    }

    fn double_quoted(&mut self, least: usize, text: &mut String) -> Option<()> {
        loop {
            let part = self.take(memchr3(b'"', b'\\', b'\n', self.rest.as_bytes())?)?;
            let end = self.take(1)?;
            if end == "\n" {
                text.push_str(part.trim_end_matches(' '));
                let blank = self.continue_quoted(least)?;
                push_break(text, blank);
                continue;
            }
            text.push_str(part);
            if end == "\"" {
                return Some(());
            }
            match self.take(1)? {
                "\n" => {
                    // An escaped line break joins the lines.
                    if self.continue_quoted(least)? > 0 {
                        return None;
                    }
                }
                "n" => text.push('\n'),
                "t" => text.push('\t'),
                "r" => text.push('\r'),
                "x" => text.push(self.code_point(2)?),
                "u" => text.push(self.code_point(4)?),
                "U" => text.push(self.code_point(8)?),
                same @ ("\"" | "\\" | "/" | " ") => text.push_str(same),
                _ => return None,
            }
        }
    }

    /// Reads a character of `digits` hexadecimal digits.
    fn code_point(&mut self, digits: usize) -> Option<char> {
        let digits = self.take(digits)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok();
        code.filter(|_| is_number).and_then(char::from_u32)
    }

    /// Advances to the content of the next line of a quoted scalar; returns the number of blank
    /// lines before it.
    fn continue_quoted(&mut self, least: usize) -> Option<usize> {
        let mut blank = 0;
        loop {
            let indent = self.skip_spaces();
            match self.rest.strip_prefix('\n') {
                Some(rest) => self.rest = rest,
                None => return (indent >= least).then_some(blank),
            }
            blank += 1;
        }
    }

    /// Reads a literal or folded block scalar. Its place is from its first word to the next line's.
    fn text_block(
        &mut self,
        least: usize,
        text: &mut String,
        range: &mut Range<usize>,
    ) -> Option<()> {
        let (is_folded, ends) = match self.take_line().trim_end_matches(' ') {
            "|" => (false, Ends::One),
            "|-" => (false, Ends::None),
            "|+" => (false, Ends::All),
            ">" => (true, Ends::One),
            ">-" => (true, Ends::None),
            ">+" => (true, Ends::All),
            _ => return None,
        };
        let mut indent = None;
        // Line breaks not yet added to the text, and whether an earlier line is indented further.
        let (mut open, mut was_spaced) = (0, false);
        loop {
            let spaces = spaces(self.rest);
            let is_blank = match self.rest.as_bytes().get(spaces) {
                None if spaces > 0 => return None,
                None => break,
                Some(byte) => *byte == b'\n',
            };
            // Lines of spaces are content if they are longer than the indentation.
            if is_blank && spaces <= indent.unwrap_or(least) {
                self.take_line();
                open += 1;
                continue;
            }
            if indent.is_none() {
                range.start = self.at() + spaces;
            }
            let indent = *indent.get_or_insert(spaces);
            if is_blank || indent < least {
                return None;
            }
            if spaces < indent {
                break;
            }
            let is_spaced = spaces > indent;
            if is_folded && !is_spaced && !was_spaced && !text.is_empty() {
                push_break(text, open - 1);
            } else {
                text.extend(std::iter::repeat_n('\n', open));
            }
            let line = self.take(memchr(b'\n', self.rest.as_bytes())?)?;
            text.push_str(line.get(indent..)?);
            self.take_line();
            (open, was_spaced) = (1, is_spaced);
        }
        indent?;
        range.end = self.at() + spaces(self.rest);
        match ends {
            Ends::None => {}
            Ends::One => text.push('\n'),
            Ends::All => text.extend(std::iter::repeat_n('\n', open)),
        }
        self.next_line();
        Some(())
    }

    /// Consumes `bytes` bytes.
    fn take(&mut self, bytes: usize) -> Option<&'a str> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }
}

/// How trailing line breaks of a block scalar are handled.
enum Ends {
    None,
    One,
    All,
}

/// Characters that a plain scalar cannot start with, or only in some cases.
const INDICATORS: [char; 18] = [
    ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '?', ':',
];

/// Returns the part of a line that belongs to a plain scalar, and whether it is not followed by a
/// comment; `None` if there is a key.
fn plain_part(line: &str) -> Option<(&str, bool)> {
    let bytes = line.as_bytes();
    for at in memchr2_iter(b':', b'#', bytes) {
        let (before, from) = line.split_at_checked(at)?;
        match from.as_bytes() {
            [b'#', ..] if before.ends_with(' ') => {
                return Some((before.trim_end_matches(' '), false));
            }
            [b':'] | [b':', b' ', ..] => return None,
            _ => {}
        }
    }
    Some((line.trim_end_matches(' '), true))
}

/// Appends a line break within a scalar: a space, or line feeds for blank lines.
fn push_break(text: &mut String, blank: usize) {
    if blank == 0 {
        text.push(' ');
    }
    text.extend(std::iter::repeat_n('\n', blank));
}

/// Parses the value of a plain scalar.
pub(super) fn value_of(text: &str) -> Option<Yaml> {
    if is_text(text) {
        return Some(Yaml::String(text.to_owned()));
    }
    match text {
        "true" => return Some(Yaml::Bool(true)),
        "false" => return Some(Yaml::Bool(false)),
        _ => {}
    }
    let is_decimal = text.len() < 19
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    match text.parse::<u64>() {
        Ok(number) if is_decimal => Some(Yaml::Number(number.into())),
        _ => parse_scalar(text),
    }
}

/// Whether a plain scalar is certainly a string, both in the core schema and in YAML 1.1: not null,
/// a boolean or a number.
pub(super) fn is_text(text: &str) -> bool {
    match text.as_bytes() {
        [] | [b'~'] => false,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => !text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)),
        bytes if bytes.len() > "false".len() => true,
        _ => !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)),
    }
}

/// Words that are not strings, in any letter case; none is longer than `false`.
const WORDS: [&str; 9] = ["true", "yes", "y", "on", "false", "no", "n", "off", "null"];
