//! Texts that Go's readers take and the parser does not, written as the parser takes them.

use std::ops::Range;

use serde::de::IgnoredAny;

/// A byte order mark.
pub(super) const BOM: char = '\u{feff}';

/// The text without the defect that the parser's message names, if it has it.
pub(super) fn mend(text: &str, message: &str) -> Option<String> {
    let mended = if message.contains("indentation in multiline quoted scalar")
        || message.contains("tab cannot be used as indentation")
    {
        indent_quoted(text)
    } else if message.contains("BOM must not appear") {
        without_marks(text)
    } else {
        return None;
    };
    (mended != text).then_some(mended)
}

/// The bytes of JSON objects that stand one after another, as in JSON lines; none if the text is anything else. They are no
/// stream of YAML documents, but kubectl reads them.
pub(super) fn json_objects(text: &str) -> Option<Vec<Range<usize>>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut objects = Vec::new();
    let mut start = 0;
    while let Some(object) = stream.next() {
        object.ok()?;
        objects.push(start..stream.byte_offset());
        start = stream.byte_offset();
    }
    Some(objects)
}

/// Without byte order marks at starts of lines, which files have that were put one after another; empty lines, of as many
/// bytes, stand for them.
fn without_marks(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(BOM) {
            Some(rest) => {
                clean.extend(std::iter::repeat_n('\n', BOM.len_utf8()));
                clean.push_str(rest);
            }
            None => clean.push_str(line),
        }
    }
    clean
}

/// Indents lines at which a quoted scalar goes on no deeper than its key, or with tabs. Go's reader takes such lines and real
/// CRDs have them; white space at the start of a line is no part of the scalar.
fn indent_quoted(text: &str) -> String {
    let mut indented = String::with_capacity(text.len() + text.len() / 8);
    let mut open: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        let Some((quote, key_indent)) = open else {
            let indent = line.len() - line.trim_start_matches(' ').len();
            open = opened_quote(line).map(|quote| (quote, indent));
            indented.push_str(line);
            continue;
        };
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - rest.len();
        let least = if rest.trim().is_empty() {
            0
        } else {
            key_indent + 1
        };
        indented.extend(std::iter::repeat_n(' ', indent.max(least)));
        indented.push_str(rest);
        if closes(line, quote) {
            open = None;
        }
    }
    indented
}

/// The quote of a value that starts on the line and does not end there.
fn opened_quote(line: &str) -> Option<char> {
    let (_, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
    let value = value.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    (!closes(&value[1..], quote)).then_some(quote)
}

/// Whether the quote ends on the line; two single quotes are one, and a backslash escapes a double quote.
fn closes(line: &str, quote: char) -> bool {
    let escaped = if quote == '\'' { "''" } else { "\\\"" };
    line.replace(escaped, "").contains(quote)
}
