//! Go's regular expression syntax (RE2), in which schemas write patterns: a check, and a
//! translation into the `regex` crate's.
//!
//! The two agree on most of it. They differ in classes (`[` is literal inside Go's, and `&&`, `--`
//! and `~~` mean nothing), in `\d`, `\s`, `\w` and `\b` (ASCII in Go), in `{` (literal in Go when
//! it starts no repetition), in octal escapes, `\Q…\E` and `\<`, and in repetition (`a**` and
//! counts above 1000 are errors in Go).

mod class;

use std::{error::Error, fmt};

use self::class::perl_class;

/// A syntax error, worded as Go's `regexp/syntax` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    code: &'static str,
    expression: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, expression } = self;
        write!(f, "error parsing regexp: {code}: `{expression}`")
    }
}

impl Error for SyntaxError {}

/// Checks a Go pattern; names of Unicode classes (`\p{Greek}`) are not checked.
///
/// # Errors
///
/// A syntax error, worded as Go words it.
pub fn check(source: &str) -> Result<(), SyntaxError> {
    translate(source, &|_| true).map(|_| ())
}

/// Rewrites a Go pattern for the `regex` crate. `is_class` says whether that crate knows a Unicode
/// class (`\p{Greek}`).
///
/// # Errors
///
/// A syntax error, worded as Go words it.
pub fn translate(source: &str, is_class: &dyn Fn(&str) -> bool) -> Result<String, SyntaxError> {
    let mut translator = Translator {
        source,
        is_class,
        chars: source.chars().collect(),
        pos: 0,
        out: String::with_capacity(source.len() + 16),
        depth: 0,
        repeatable: false,
        last_repeat: None,
    };
    translator.run()?;
    Ok(translator.out)
}

struct Translator<'a> {
    source: &'a str,
    is_class: &'a dyn Fn(&str) -> bool,
    chars: Vec<char>,
    pos: usize,
    out: String,
    depth: usize,
    /// Whether something stands before the cursor that a repetition can apply to.
    repeatable: bool,
    /// Where the repetition operator right before the cursor starts.
    last_repeat: Option<usize>,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), SyntaxError> {
        while let Some(c) = self.peek(0) {
            let repeat_before = self.last_repeat.take();
            match c {
                '(' => self.open()?,
                ')' => {
                    if self.depth == 0 {
                        return Err(error("unexpected )", self.source));
                    }
                    self.depth -= 1;
                    self.copy(1);
                    self.repeatable = true;
                }
                '|' => {
                    self.copy(1);
                    self.repeatable = false;
                }
                '*' | '+' | '?' => self.repeat(1, repeat_before)?,
                '{' => match self.counted_repeat()? {
                    Some(length) => self.repeat(length, repeat_before)?,
                    None => self.literal('{', 1),
                },
                '[' => {
                    self.class()?;
                    self.repeatable = true;
                }
                '\\' => self.escape()?,
                '.' | '^' | '$' => {
                    self.copy(1);
                    self.repeatable = true;
                }
                other => self.literal(other, 1),
            }
        }
        if self.depth > 0 {
            return Err(error("missing closing )", self.source));
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.pos + ahead).copied()
    }

    fn copy(&mut self, count: usize) {
        self.out
            .extend(self.chars.iter().skip(self.pos).take(count));
        self.pos += count;
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.chars
            .iter()
            .skip(from)
            .take(to.saturating_sub(from))
            .collect()
    }

    fn literal(&mut self, c: char, consumed: usize) {
        push_literal(&mut self.out, c);
        self.pos += consumed;
        self.repeatable = true;
    }

    fn open(&mut self) -> Result<(), SyntaxError> {
        if self.peek(1) != Some('?') {
            self.copy(1);
            self.depth += 1;
            self.repeatable = false;
            return Ok(());
        }
        let start = self.pos;
        let named = match (self.peek(2), self.peek(3)) {
            (Some('P'), Some('<')) => Some(4),
            (Some('<'), Some(_)) => Some(3),
            _ => None,
        };
        if let Some(name_at) = named {
            let Some(end) = self
                .chars
                .iter()
                .skip(start)
                .position(|c| *c == '>')
                .map(|i| start + i)
            else {
                return Err(error(
                    "invalid named capture",
                    self.text(start, self.chars.len()),
                ));
            };
            let name = self.text(start + name_at, end);
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(error("invalid named capture", self.text(start, end + 1)));
            }
            // The regex crate wants names that start with a letter, and captures are not read here.
            self.out.push('(');
            self.pos = end + 1;
            self.depth += 1;
            self.repeatable = false;
            return Ok(());
        }
        self.flags(start)
    }

    fn flags(&mut self, start: usize) -> Result<(), SyntaxError> {
        let mut at = start + 2;
        loop {
            match self.chars.get(at).copied() {
                Some('i' | 'm' | 's' | 'U' | '-') => at += 1,
                Some(end @ (':' | ')')) => {
                    self.copy(at + 1 - start);
                    if end == ':' {
                        self.depth += 1;
                    }
                    self.repeatable = false;
                    return Ok(());
                }
                Some(_) => {
                    return Err(error(
                        "invalid or unsupported Perl syntax",
                        self.text(start, at + 1),
                    ));
                }
                None => {
                    return Err(error(
                        "invalid or unsupported Perl syntax",
                        self.text(start, at),
                    ));
                }
            }
        }
    }

    /// The length of `{n}`, `{n,}` or `{n,m}` at the cursor; `None` when the brace is literal.
    fn counted_repeat(&self) -> Result<Option<usize>, SyntaxError> {
        let Some(length) = self.chars.iter().skip(self.pos).position(|c| *c == '}') else {
            return Ok(None);
        };
        let body = self.text(self.pos + 1, self.pos + length);
        let (low, high) = match body.split_once(',') {
            Some((low, high)) => (low, high),
            None => (body.as_str(), body.as_str()),
        };
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        if low.is_empty() || !digits(low) || !digits(high) {
            return Ok(None);
        }
        let low = low.parse::<u32>().unwrap_or(u32::MAX);
        let high = if high.is_empty() {
            low
        } else {
            high.parse::<u32>().unwrap_or(u32::MAX)
        };
        if low > 1000 || high > 1000 || low > high {
            return Err(error(
                "invalid repeat count",
                self.text(self.pos, self.pos + length + 1),
            ));
        }
        Ok(Some(length + 1))
    }

    fn repeat(&mut self, length: usize, before: Option<usize>) -> Result<(), SyntaxError> {
        let start = self.pos;
        let length = length + usize::from(self.peek(length) == Some('?'));
        if let Some(before) = before {
            return Err(error(
                "invalid nested repetition operator",
                self.text(before, start + length),
            ));
        }
        if !self.repeatable {
            return Err(error(
                "missing argument to repetition operator",
                self.text(start, start + length),
            ));
        }
        self.copy(length);
        self.last_repeat = Some(start);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let Some(c) = self.peek(1) else {
            return Err(error("trailing backslash at end of expression", ""));
        };
        match c {
            'A' | 'z' => self.copy(2),
            'b' | 'B' => {
                self.out
                    .push_str(if c == 'b' { "(?-u:\\b)" } else { "(?-u:\\B)" });
                self.pos += 2;
            }
            'Q' => return self.quoted(),
            'd' | 's' | 'w' | 'D' | 'S' | 'W' => {
                let (negated, set) = perl_class(c);
                self.out.push_str(if negated { "[^" } else { "[" });
                self.out.push_str(set);
                self.out.push(']');
                self.pos += 2;
            }
            'p' | 'P' => self.unicode_class()?,
            _ => {
                let (c, length) = self.single_escape()?;
                self.literal(c, length);
            }
        }
        self.repeatable = true;
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), SyntaxError> {
        self.pos += 2;
        while let Some(c) = self.peek(0) {
            if c == '\\' && self.peek(1) == Some('E') {
                self.pos += 2;
                break;
            }
            self.literal(c, 1);
        }
        Ok(())
    }

    /// The character that the escape at the cursor stands for, and the escape's length.
    fn single_escape(&self) -> Result<(char, usize), SyntaxError> {
        let invalid = |length| {
            error(
                "invalid escape sequence",
                self.text(self.pos, self.pos + length),
            )
        };
        let Some(c) = self.peek(1) else {
            return Err(error("trailing backslash at end of expression", ""));
        };
        let simple = match c {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        if let Some(c) = simple {
            return Ok((c, 2));
        }
        match c {
            '0'..='7' => {
                if c != '0' && !matches!(self.peek(2), Some('0'..='7')) {
                    return Err(invalid(2));
                }
                let digits: Vec<u32> = (1..=3)
                    .map_while(|i| self.peek(i).and_then(|c| c.to_digit(8)))
                    .collect();
                let code = digits.iter().fold(0, |code, digit| code * 8 + digit);
                char::from_u32(code)
                    .map(|c| (c, 1 + digits.len()))
                    .ok_or_else(|| invalid(2))
            }
            'x' => {
                let (digits, length) = if self.peek(2) == Some('{') {
                    let end = self
                        .chars
                        .iter()
                        .skip(self.pos)
                        .position(|c| *c == '}')
                        .unwrap_or(2);
                    (self.text(self.pos + 3, self.pos + end), end + 1)
                } else {
                    (self.text(self.pos + 2, self.pos + 4), 4)
                };
                let short = length == 4 && self.peek(2) != Some('{') && digits.len() != 2;
                match u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                {
                    Some(c) if !short => Ok((c, length)),
                    _ => Err(invalid(length.min(4))),
                }
            }
            _ => Err(invalid(2)),
        }
    }
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
        out.push('\\');
    }
    out.push(c);
}

fn error(code: &'static str, expression: impl Into<String>) -> SyntaxError {
    SyntaxError {
        code,
        expression: expression.into(),
    }
}

#[cfg(test)]
mod tests;
