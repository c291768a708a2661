//! Descriptions: documentation comments as they appear in a schema.

use crate::model::Origin;

/// The user-visible part of an item's documentation, as plain text.
pub(crate) fn of_item(docs: &str, origin: Origin) -> String {
    match origin {
        Origin::Rust => description(&of_rustdoc(docs), Blank::Single),
        Origin::Go => description(docs, Blank::Single),
        Origin::Crd => docs.to_owned(),
    }
}

/// How to treat blank lines around removed lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// One is kept between two lines, and none at the end.
    Single,
    /// All are kept.
    Kept,
}

/// The user-visible lines of documentation: those before a `---` line, without lines that start with `TODO`. Both are ordinary
/// text in fenced blocks. [`Blank::Kept`] reproduces controller-gen's output byte for byte.
pub(crate) fn description(docs: &str, blank: Blank) -> String {
    let mut lines = Vec::new();
    let mut fenced = false;
    for line in docs.lines() {
        let line = line.trim_end();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        if !fenced && line.starts_with("TODO") {
            continue;
        }
        if !fenced && line.starts_with("---") {
            break;
        }
        let doubles = || lines.last().is_none_or(|last: &&str| last.is_empty());
        if blank == Blank::Kept || !(line.is_empty() && doubles()) {
            lines.push(line);
        }
    }
    let text = lines.join("\n");
    match blank {
        Blank::Kept => text,
        Blank::Single => text.trim_end_matches('\n').to_owned(),
    }
}

/// Converts rustdoc to a description: cuts it off at the first example and replaces links by their text.
pub(crate) fn of_rustdoc(docs: &str) -> String {
    let is_example = |line: &&str| matches!(line.trim_end(), "# Example" | "# Examples");
    let lines: Vec<String> = docs
        .lines()
        .take_while(|line| !is_example(line))
        .map(unlinked)
        .collect();
    lines.join("\n")
}

/// Replaces ``[`Name`]`` by `` `Name` `` in a line.
fn unlinked(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("[`") {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest.find("`]") else {
            text.push('[');
            break;
        };
        text.push_str(&rest[..=end]);
        rest = &rest[end + 2..];
        let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        if let Some((_, after)) = target {
            rest = after;
        }
    }
    text + rest
}

/// Truncates a description to at most `most` bytes, at the end of a sentence or else of a word; 0 yields an empty string.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if most == 0 {
        return String::new();
    }
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
    let text = &text[..end.unwrap_or(0)];
    let is_terminal = |c: char| {
        matches!(
            c,
            '!' | '.' | '?' | '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{203c}' | '\u{203d}'
                | '\u{2047}'..='\u{2049}' | '\u{3002}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}'
        )
    };
    if let Some((at, end)) = text.char_indices().rfind(|(_, c)| is_terminal(*c))
        && at > 0
    {
        return text[..at + end.len_utf8()].to_owned();
    }
    match text.rfind(char::is_whitespace) {
        Some(at) if at > 0 => format!("{}...", &text[..at]),
        _ => format!("{text}..."),
    }
}
