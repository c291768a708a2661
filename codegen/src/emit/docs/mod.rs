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
        let text = text.replace('\t', "    ");
        text.chars().filter_map(clean).collect()
    };
    // Double backticks are reStructuredText.
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

/// Whether a blank line separates a block from the previous one. There is none between items of a list, nor between a paragraph
/// and the list or code that follows it.
const fn is_apart(before: Kind, kind: Kind) -> bool {
    !matches!(
        (before, kind),
        (Kind::Item | Kind::Paragraph, Kind::Item) | (Kind::Paragraph, Kind::Code)
    )
}

/// Drops control characters and bidirectional formatting characters, which are not allowed in source code.
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
