//! Descriptions as documentation: turns arbitrary text into Markdown that passes rustdoc and clippy.
//!
//! Descriptions in CRDs are written for `kubectl explain`: URLs are bare, brackets have no meaning, lists are half Markdown, and
//! any text may try to escape its comment. The result consists of paragraphs, lists and code blocks of a fixed form, wrapped to a
//! fixed width, with everything escaped that Markdown would misread.
//!
//! rustdoc shows the first paragraph of an item in overviews, so a long one is split after its first sentence. This does not
//! apply to fields, which are not listed in overviews.

mod blocks;
pub(crate) mod demands;
pub(crate) mod describe;
mod emphasis;
mod inline;
mod layout;
mod list;
mod marks;
#[cfg(test)]
mod tests;
mod ticks;
pub(crate) mod together;
mod yaml;

use std::borrow::Cow;

pub(crate) use self::inline::code;
use self::{blocks::blocks, inline::escape};

/// The width of a line after `/// `.
const WIDTH: usize = 120;

/// How much of a description to use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it, starting with a summary for overviews.
    Item,
    /// All of it.
    Field,
    /// The first sentence.
    Summary,
}

/// The lines of an item's documentation, without leading space; empty for an empty description.
pub(crate) fn lines(text: &str) -> Vec<String> {
    lines_of(text, Extent::Item)
}

/// The lines of a field's documentation.
pub(crate) fn of_field(text: &str) -> Vec<String> {
    lines_of(text, Extent::Field)
}

/// The first sentence of a description, or its first paragraph if no sentence ends within it.
pub(crate) fn summary(text: &str) -> Vec<String> {
    lines_of(text, Extent::Summary)
}

fn lines_of(text: &str, extent: Extent) -> Vec<String> {
    let is_clean = |b: u8| b == b'\n' || (b' '..0x7f).contains(&b);
    let clean: Cow<'_, str> = if text.bytes().all(is_clean) {
        text.into()
    } else {
        // gofmt indents comments with tabs.
        let text = text.replace("\r\n", "\n").replace('\t', "    ");
        text.chars().filter_map(clean).collect()
    };
    layout::write(&blocks(&clean, extent))
}

/// Drops control characters and bidirectional formatting characters, which are not allowed in source code. Other ends of lines become
/// newlines, and joiners stay, which emoji and some scripts need.
fn clean(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{b}' | '\u{c}' => Some(' '),
        '\u{200c}' | '\u{200d}' => Some(c),
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => None,
        '\u{2060}'..='\u{206f}' | '\u{feff}' => None,
        c if c.is_control() => None,
        c => Some(c),
    }
}

fn wrap(words: &[&str], first: &str, rest: &str, lines: &mut Vec<String>) {
    let mut line = first.to_owned();
    let mut length = line.len();
    let mut empty = true;
    for word in escape(words) {
        let word_length = width(&word);
        if !empty && length + 1 + word_length > WIDTH {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            length = line.len();
            empty = true;
        }
        if empty {
            let word = at_line_start(&word);
            line.push_str(&word);
            length += width(&word);
        } else {
            line.push(' ');
            line.push_str(&word);
            length += 1 + word_length;
        }
        empty = false;
    }
    if !empty {
        lines.push(line);
    }
}

/// The number of characters.
fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Escapes a word that would start a list, heading, quote, table or rule at the beginning of a line.
fn at_line_start(word: &str) -> Cow<'_, str> {
    let number = word
        .strip_suffix(['.', ')'])
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty());
    if let Some(digits) = number {
        return format!("{digits}\\{}", &word[digits.len()..]).into();
    }
    let marks = |c: char| word.chars().all(|other| other == c);
    let opens =
        marks('-') || marks('+') || marks('=') || marks('#') || marks('_') || word.starts_with('|');
    if opens {
        format!("\\{word}").into()
    } else {
        word.into()
    }
}
