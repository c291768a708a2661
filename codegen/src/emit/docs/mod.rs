//! Descriptions as documentation: any text as Markdown that rustdoc and clippy take.
//!
//! Descriptions in CRDs are written for `kubectl explain`: URLs stand bare, brackets and angles mean nothing, lists are half
//! Markdown, and any text may try to leave its comment. Here they become paragraphs, lists and code blocks of known shape,
//! wrapped to one width, with everything that Markdown would misread escaped.
//!
//! rustdoc shows the first paragraph of an item in lists of items; a long one is its first sentence here. Fields stand in no list.

mod blocks;
pub(crate) mod demands;
pub(crate) mod describe;
mod inline;
#[cfg(test)]
mod tests;
pub(crate) mod together;

use std::borrow::Cow;

pub(crate) use self::inline::code;
use self::{
    blocks::{Kind, blocks},
    inline::escape,
};

/// Width of the text after `/// `.
const WIDTH: usize = 120;

/// How much of a description its documentation has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it, with a summary for lists of items.
    Item,
    /// All of it.
    Field,
    /// Its first sentence.
    Summary,
}

/// The lines of an item's description, without leading space; none for an empty one.
pub(crate) fn lines(text: &str) -> Vec<String> {
    lines_of(text, Extent::Item)
}

/// The lines of a field's description.
pub(crate) fn of_field(text: &str) -> Vec<String> {
    lines_of(text, Extent::Field)
}

/// The first sentence of a description, or its first paragraph where none ends in it.
pub(crate) fn summary(text: &str) -> Vec<String> {
    lines_of(text, Extent::Summary)
}

fn lines_of(text: &str, extent: Extent) -> Vec<String> {
    let is_clean = |b: u8| b == b'\n' || (b' '..0x7f).contains(&b);
    let clean: Cow<'_, str> = if text.bytes().all(is_clean) {
        text.into()
    } else {
        // Go's tools format comments with tabs.
        let text = text.replace('\t', "    ");
        text.chars().filter_map(clean).collect()
    };
    // Two backticks are one of reStructuredText's.
    let clean: Cow<'_, str> = if clean.contains("``") && !clean.contains("```") {
        clean.replace("``", "`").into()
    } else {
        clean
    };
    let mut lines = Vec::new();
    let mut before: Option<Kind> = None;
    for block in blocks(&clean, extent) {
        let kind = block.kind();
        let is_apart = before.is_some_and(|before| is_apart(before, kind));
        if is_apart {
            lines.push(String::new());
        }
        block.write(&mut lines);
        before = Some(kind);
    }
    lines
}

/// Whether a blank line parts a block from the one before: items of one list stand together, and lists and code with the paragraph
/// that leads to them.
const fn is_apart(before: Kind, kind: Kind) -> bool {
    !matches!(
        (before, kind),
        (Kind::Item | Kind::Paragraph, Kind::Item) | (Kind::Paragraph, Kind::Code)
    )
}

/// Control characters, and those that change the direction of text, have no place in source.
fn clean(c: char) -> Option<char> {
    match c {
        '\n' => Some('\n'),
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => None,
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

/// Escapes a word that would open a list, a heading, a quote, a table or a rule at the start of a line.
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
