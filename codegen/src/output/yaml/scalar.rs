//! Scalars: choosing and writing a style.

use memchr::memchr2_iter;

use super::{Around, Context, Emitter, Folding, resolve};

/// The column after which a scalar is folded at its next space.
const WIDTH: usize = 80;

/// A scalar's text and its style.
pub(super) struct Scalar<'a> {
    text: &'a str,
    style: Style,
}

#[derive(Clone, Copy)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

impl<'a> Scalar<'a> {
    /// A scalar without quotes: a number, `true`, `null`.
    pub(super) const fn plain(text: &'a str) -> Self {
        Self {
            text,
            style: Style::Plain,
        }
    }

    /// A string.
    pub(super) fn of(text: &'a str, context: Context) -> Self {
        let facts = Facts::of(text);
        let style = if facts.has_lines {
            if facts.may_be_block(text) && context != Context::SimpleKey {
                Style::Literal
            } else {
                Style::Double
            }
        } else if resolve::is_ambiguous(text) {
            Style::Double
        } else if facts.may_be_plain(text) {
            Style::Plain
        } else if facts.may_be_single() {
            Style::Single
        } else {
            Style::Double
        };
        Self { text, style }
    }
}

/// Properties of a string's characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    /// Whether it contains `\n`.
    has_lines: bool,
    /// Whether it contains any line break.
    has_breaks: bool,
    /// Whether a character must be escaped.
    is_special: bool,
    /// Whether a space follows a line break, and a line break a space.
    break_space: bool,
    space_break: bool,
}

impl Facts {
    fn of(text: &str) -> Self {
        Self::of_ascii(text.as_bytes()).unwrap_or_else(|| Self::of_any(text))
    }

    /// The facts for printable ASCII with line feeds, which most strings are; `None` for others.
    /// Loops without early exits are vectorized.
    fn of_ascii(text: &[u8]) -> Option<Self> {
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
        if !text.iter().fold(true, |all, byte| all & is_plain(byte)) {
            return None;
        }
        let has_lines = text.contains(&b'\n');
        let has_pair = |first: u8, second: u8| {
            let pairs = text.iter().zip(text.iter().skip(1));
            pairs.fold(false, |any, (a, b)| any | ((*a == first) & (*b == second)))
        };
        Some(Self {
            has_lines,
            has_breaks: has_lines,
            is_special: false,
            break_space: has_lines && has_pair(b'\n', b' '),
            space_break: has_lines && has_pair(b' ', b'\n'),
        })
    }

    fn of_any(text: &str) -> Self {
        let mut facts = Self {
            has_lines: text.contains('\n'),
            has_breaks: false,
            is_special: false,
            break_space: false,
            space_break: false,
        };
        let mut before = None;
        for c in text.chars() {
            facts.has_breaks |= is_break(c);
            facts.is_special |= !is_printable(c);
            facts.break_space |= is_space(c) && before.is_some_and(is_break);
            facts.space_break |= is_break(c) && before.is_some_and(is_space);
            before = Some(c);
        }
        facts
    }

    fn may_be_plain(self, text: &str) -> bool {
        let has_outer_spaces = || text.starts_with(is_space) || text.ends_with(is_space);
        !(self.has_breaks || self.is_special || has_outer_spaces() || has_indicators(text))
    }

    const fn may_be_single(self) -> bool {
        !(self.break_space || self.space_break || self.is_special)
    }

    fn may_be_block(self, text: &str) -> bool {
        !(text.ends_with(' ') || self.space_break || self.is_special)
    }
}

/// Whether characters of the string would be parsed as syntax.
fn has_indicators(text: &str) -> bool {
    if text.starts_with("---") || text.starts_with("...") {
        return true;
    }
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let starts_syntax = match text.chars().next() {
        Some(
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`',
        ) => true,
        Some('?' | '-') => ends(&text[1..]),
        _ => false,
    };
    // Only these two are indicators inside of a string.
    let mut within = memchr2_iter(b':', b'#', text.as_bytes());
    starts_syntax
        || within.any(|at| match text.split_at(at) {
            (before, rest) if rest.starts_with('#') => before.ends_with(is_blank),
            (_, rest) => ends(&rest[1..]),
        })
}

const fn is_space(c: char) -> bool {
    c == ' '
}

/// YAML 1.1's line breaks.
pub(super) const fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\0') || is_break(c)
}

/// Whether the writer keeps the character unescaped: not tabs, nor anything above U+FFFF.
const fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

impl Emitter {
    pub(super) fn write_scalar(&mut self, scalar: Scalar<'_>, folding: Folding) {
        let Scalar { text, style } = scalar;
        match style {
            Style::Plain => self.plain(text, folding),
            Style::Single => self.single(text, folding),
            Style::Double => self.double(text, folding),
            Style::Literal => self.literal(text),
        }
    }

    /// Whether a single space at the current column is a fold point.
    fn folds(&self, folding: Folding) -> bool {
        folding == Folding::Allowed && self.column > WIDTH
    }

    fn plain(&mut self, text: &str, folding: Folding) {
        if !self.whitespace {
            self.put(' ');
        }
        let mut rest = text;
        while folding == Folding::Allowed
            && let Some(at) = self.fold_in(rest)
        {
            self.run(&rest[..at]);
            self.indention = false;
            self.write_indent();
            rest = &rest[at + 1..];
        }
        self.run(rest);
        self.whitespace = false;
        self.indention = false;
    }

    /// The first space of the text to fold at: a single one, after the width limit. The text must
    /// not start with a space.
    fn fold_in(&self, text: &str) -> Option<usize> {
        let room = (WIDTH + 1).saturating_sub(self.column);
        if text.len() <= room {
            return None;
        }
        let beyond = text.char_indices().nth(room).map(|(at, _)| at)?;
        let bytes = text.as_bytes();
        let is_space = |at: usize| bytes.get(at) == Some(&b' ');
        (beyond.max(1)..bytes.len())
            .find(|&at| is_space(at) && !is_space(at - 1) && !is_space(at + 1))
    }

    fn single(&mut self, text: &str, folding: Folding) {
        self.open_quote("'");
        let mut spaces = false;
        let mut breaks = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c == ' ' {
                let next_is_space = chars.peek().is_some_and(|(_, next)| *next == ' ');
                let is_inner = at > 0 && at + 1 < text.len();
                if !spaces && self.folds(folding) && is_inner && !next_is_space {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                spaces = true;
            } else if is_break(c) {
                self.line_break(c);
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                if c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                spaces = false;
                breaks = false;
            }
        }
        self.close_quote("'");
    }

    fn double(&mut self, text: &str, folding: Folding) {
        self.open_quote("\"");
        // libyaml checks for a byte order mark at the start of the string, regardless of the
        // character it is at.
        let marked = text.starts_with('\u{feff}');
        let mut spaces = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if marked || !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
                self.escape(c);
                spaces = false;
            } else if c == ' ' {
                let is_inner = at > 0 && at + 1 < text.len();
                if !spaces && self.folds(folding) && is_inner {
                    self.write_indent();
                    if chars.peek().is_some_and(|(_, next)| *next == ' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                spaces = true;
            } else {
                self.put(c);
                spaces = false;
            }
        }
        self.close_quote("\"");
    }

    fn escape(&mut self, c: char) {
        let text = match c {
            '\0' => "0".to_owned(),
            '\x07' => "a".to_owned(),
            '\x08' => "b".to_owned(),
            '\t' => "t".to_owned(),
            '\n' => "n".to_owned(),
            '\x0b' => "v".to_owned(),
            '\x0c' => "f".to_owned(),
            '\r' => "r".to_owned(),
            '\x1b' => "e".to_owned(),
            '"' | '\\' => c.to_string(),
            '\u{85}' => "N".to_owned(),
            '\u{a0}' => "_".to_owned(),
            '\u{2028}' => "L".to_owned(),
            '\u{2029}' => "P".to_owned(),
            ..='\u{ff}' => format!("x{:02X}", u32::from(c)),
            ..='\u{ffff}' => format!("u{:04X}", u32::from(c)),
            _ => format!("U{:08X}", u32::from(c)),
        };
        self.put('\\');
        text.chars().for_each(|c| self.put(c));
    }

    fn literal(&mut self, text: &str) {
        self.indicator(
            "|",
            Around {
                before: true,
                ..Around::default()
            },
        );
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", Around::default());
        }
        let mut end = text.chars().rev();
        match (
            end.next().is_some_and(is_break),
            end.next().is_none_or(is_break),
        ) {
            (false, _) => self.indicator("-", Around::default()),
            (true, true) => self.indicator("+", Around::default()),
            (true, false) => {}
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let is_ascii = text.is_ascii();
        let mut rest = text;
        while !rest.is_empty() {
            let end = if is_ascii {
                rest.find('\n')
            } else {
                rest.find(is_break)
            };
            let (content, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !content.is_empty() {
                self.write_indent();
                self.run(content);
                self.indention = false;
            }
            let mut after = after.chars();
            if let Some(c) = after.next() {
                self.break_of(c);
                self.indention = true;
            }
            rest = after.as_str();
        }
    }

    fn open_quote(&mut self, quote: &str) {
        let around = Around {
            before: true,
            ..Around::default()
        };
        self.indicator(quote, around);
    }

    fn close_quote(&mut self, quote: &str) {
        self.indicator(quote, Around::default());
        self.whitespace = false;
        self.indention = false;
    }

    /// A line break in quotes. Never a plain `\n`, since strings with one are literal or escaped.
    fn line_break(&mut self, c: char) {
        self.break_of(c);
        self.indention = true;
    }

    fn break_of(&mut self, c: char) {
        if c == '\n' {
            self.put_break();
        } else {
            self.out.push(c);
            self.column = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_ascii_has_the_facts_of_any_text() {
        let texts = [
            "", "a", "a b", "a\nb", "a \nb", "a\n b", " \n", "\n ", "~ !\n\n",
        ];
        for text in texts {
            let facts = Facts::of_ascii(text.as_bytes());
            assert_eq!(facts, Some(Facts::of_any(text)), "{text:?}");
        }
        for text in ["\t", "\r", "\u{7f}", "\0", "é"] {
            assert_eq!(Facts::of_ascii(text.as_bytes()), None, "{text:?}");
        }
    }
}
