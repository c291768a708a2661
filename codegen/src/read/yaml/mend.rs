//! Rewrites YAML that Go's readers accept but the parser rejects, before it is parsed.
//!
//! Removes byte order marks at the start of later lines and underscores within decimal numbers, and
//! indents continuation lines of quoted scalars that are not indented beyond their key or are
//! indented with tabs. Most texts need none of it and are borrowed.

mod scan;

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memchr2_iter};
use serde::de::IgnoredAny;

use self::scan::{Scan, end_of_quoted};
use super::underscores;

/// A byte order mark.
const BOM: char = '\u{feff}';

/// A text that the parser accepts, with a mapping of its bytes to the source.
pub(super) struct Mended<'a> {
    pub(super) text: Cow<'a, str>,
    /// Edits, by position in `text`, with the cumulative change of length from there on.
    shifts: Vec<(usize, isize)>,
}

impl Mended<'_> {
    /// Whether it differs from the source.
    pub(super) const fn is_changed(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Maps a byte of the text to the source; an added byte maps to the next original one.
    pub(super) fn original(&self, at: usize) -> usize {
        let after = self.shifts.partition_point(|(from, _)| *from <= at);
        let shift = after
            .checked_sub(1)
            .and_then(|index| self.shifts.get(index));
        at.saturating_add_signed(-shift.map_or(0, |(_, shift)| *shift))
    }
}

/// How far to look for the end of a quoted scalar, in bytes: JSON may have all its quotes on one
/// line.
const NEAR: usize = 4096;

/// Whether a text may need mending: a quote that can start a scalar is not closed nearby on its
/// line, or there is a byte order mark or an underscore in what may be a number. Quotes in prose,
/// which are most quotes in schemas, are skipped.
fn may_need_mending(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_open = |at: usize| {
        let (before, from) = bytes.split_at(at);
        let [quote, rest @ ..] = from else {
            return false;
        };
        may_start(before) && {
            let rest = rest.get(..NEAR).unwrap_or(rest);
            let line = memchr(b'\n', rest).and_then(|end| rest.get(..end));
            // At the very end, the quote may be the first half of an escaped quote.
            end_of_quoted(line.unwrap_or(rest), *quote).is_none_or(|end| end == NEAR)
        }
    };
    memchr2_iter(b'\'', b'"', bytes).any(is_open)
        || text.contains(BOM)
        || underscores::may_have(text)
}

/// Whether a quoted scalar may start after these bytes: at the start of a line, or after an
/// indicator, a tag or an anchor.
fn may_start(before: &[u8]) -> bool {
    let line = before.trim_ascii_end();
    let blank = before.get(line.len()..).unwrap_or_default();
    let Some(last) = line.last().filter(|_| !blank.contains(&b'\n')) else {
        return true;
    };
    let is_word = |byte: &u8| !byte.is_ascii_whitespace();
    let mut word = line.iter().rev().take_while(|byte| is_word(byte));
    b":-?,[{".contains(last)
        || line.ends_with(b"...")
        || (!blank.is_empty() && word.any(|byte| b"&!".contains(byte)))
}

/// Returns the text in a form that the parser accepts.
pub(super) fn mend(text: &str) -> Mended<'_> {
    if may_need_mending(text) {
        rewrite(text)
    } else {
        as_it_is(text)
    }
}

fn rewrite(text: &str) -> Mended<'_> {
    let mut edits = Edits {
        source: text,
        copied: 0,
        text: String::new(),
        shifts: Vec::new(),
    };
    let mut scan = Scan::default();
    let mut start = 0;
    // Numbers of the previous line, unless this line continues them.
    let mut numbers: Vec<Range<usize>> = Vec::new();
    for line in text.split_inclusive('\n') {
        let (mark, body) = match line.strip_prefix(BOM) {
            Some(body) => (line.len() - body.len(), body),
            None => (0, line),
        };
        let continued = scan.line(body);
        let is_blank = body.trim().is_empty();
        let from = start + mark;
        if !is_blank {
            if !scan.continues_plain {
                edits.join(&numbers);
            }
            let of_line = scan.numbers.drain(..);
            numbers = of_line
                .map(|range| from + range.start..from + range.end)
                .collect();
        }
        edits.replace(start..from, 0);
        if let Some(least) = continued {
            let white = body.len() - body.trim_start_matches([' ', '\t']).len();
            let spaces = if is_blank { 0 } else { white.max(least) };
            if spaces != white
                || body
                    .as_bytes()
                    .iter()
                    .take(white)
                    .any(|&byte| byte == b'\t')
            {
                edits.replace(from..from + white, spaces);
            }
        }
        start += line.len();
    }
    edits.join(&numbers);
    edits.finish()
}

/// A text under construction.
struct Edits<'a> {
    source: &'a str,
    /// The number of bytes of the source that are copied or replaced.
    copied: usize,
    text: String,
    shifts: Vec<(usize, isize)>,
}

impl<'a> Edits<'a> {
    /// Replaces a range of the source, which must follow all previous ones, with spaces.
    fn replace(&mut self, range: Range<usize>, spaces: usize) {
        if range.is_empty() && spaces == 0 {
            return;
        }
        self.text.push_str(
            self.source
                .get(self.copied..range.start)
                .unwrap_or_default(),
        );
        self.text.extend(std::iter::repeat_n(' ', spaces));
        self.copied = range.end;
        let shift = self.text.len().cast_signed() - range.end.cast_signed();
        self.shifts.push((self.text.len(), shift));
    }

    /// Removes the underscores of numbers.
    fn join(&mut self, numbers: &[Range<usize>]) {
        for range in numbers {
            let number = self.source.get(range.clone()).unwrap_or_default();
            for (at, _) in number.match_indices('_') {
                let at = range.start + at;
                self.replace(at..at + 1, 0);
            }
        }
    }

    fn finish(mut self) -> Mended<'a> {
        if self.shifts.is_empty() {
            return Mended {
                text: Cow::Borrowed(self.source),
                shifts: Vec::new(),
            };
        }
        self.text
            .push_str(self.source.get(self.copied..).unwrap_or_default());
        Mended {
            text: Cow::Owned(self.text),
            shifts: self.shifts,
        }
    }
}

/// Returns the byte ranges of consecutive JSON objects, as in JSON Lines; `None` if the text is
/// anything else, or a single object. They are not a stream of YAML documents, but kubectl reads
/// them.
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
    (objects.len() > 1).then_some(objects)
}

/// Wraps a text without changes.
pub(super) fn as_it_is(text: &str) -> Mended<'_> {
    Mended {
        text: Cow::Borrowed(text),
        shifts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Quotes that do not start a scalar are skipped; quotes that do are never skipped.
        #[test]
        fn no_text_that_needs_mending_is_passed_over(parts in prop::collection::vec(part(), 0..24)) {
            let text = parts.concat();
            let is_changed = rewrite(&text).is_changed();
            prop_assert!(!is_changed || may_need_mending(&text), "{text:?}");
        }
    }

    /// Covers quoted scalars that end at any length, including beyond the search limit.
    #[test]
    fn no_long_scalar_that_goes_on_is_passed_over() {
        for quote in ["'", "\""] {
            for length in NEAR - 3..NEAR + 3 {
                for inner in ["", "''", "\\\"", "\\"] {
                    let text = format!("a: {quote}{}{inner}\nb{quote}\n", "x".repeat(length));
                    let is_changed = rewrite(&text).is_changed();
                    assert!(!is_changed || may_need_mending(&text), "{length} {inner:?}");
                }
            }
        }
    }

    /// Searching for the end of the line at each of these quotes would take minutes.
    #[test]
    fn a_text_on_one_line_is_not_searched_again_for_each_quote() {
        let text = format!("[{}]", "\"it's\",".repeat(1 << 20));
        assert!(!may_need_mending(&text));
    }

    fn part() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a", "b: ", "c:", "- ", "\n", "\n  ", " ", "'", "'", "\"", "|\n", "# ", "[", "]", "{",
            "}", ", ", ",", ":", "? ", "&x ", "!!str ", "---", "...", "\t", "\r\n", "\\",
            "\u{feff}", "1_0",
        ])
    }
}
