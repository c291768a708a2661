//! Tokens of Go, with the semicolons that line ends stand for, and the comments between them.
//!
//! Function bodies are most of a Go file and say nothing about types: [`Scanner::skip_block`] runs over them byte by byte.

use std::ops::Range;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The lines on which it starts and ends, from 0.
    pub(super) line: usize,
    pub(super) last_line: usize,
}

impl Token {
    pub(super) const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The end of the file.
    End,
    /// A name or keyword.
    Word,
    /// An integer, in any base.
    Integer,
    /// Any other number.
    Number,
    /// A string, quoted either way.
    String,
    /// A rune.
    Rune,
    /// A semicolon; `written` unless a line end stands for it.
    Semicolon { written: bool },
    /// A bracket, a comma, a dot and the like, by its byte.
    Sign(u8),
    /// An operator of several bytes.
    Operator,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// The comment with its slashes, without the line end.
    pub(super) range: Range<usize>,
    /// The lines on which it starts and ends, from 0.
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    /// Whether it is a `/* … */`.
    pub(super) is_block: bool,
}

/// Text that is not a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanError {
    pub(super) message: &'static str,
    pub(super) range: Range<usize>,
}

/// Walks over a text.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Whether a line end here is a semicolon.
    ends_statement: bool,
    /// The comments since they were last taken.
    pub(super) comments: Vec<Comment>,
}

type Scanned<T> = Result<T, ScanError>;

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // A byte order mark may start a file, and only that.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            line: 0,
            ends_statement: false,
            comments: Vec::new(),
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// The first byte from here on that is not a space.
    pub(super) fn peek(&self) -> Option<u8> {
        let rest = self.bytes.get(self.at..)?;
        rest.iter()
            .copied()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Scanned<Token> {
        let line_end = self.skip_space()?;
        let (start, line) = (self.at, self.line);
        let kind = if line_end {
            Kind::Semicolon { written: false }
        } else if start >= self.bytes.len() {
            if self.ends_statement {
                Kind::Semicolon { written: false }
            } else {
                Kind::End
            }
        } else {
            self.token()?
        };
        self.ends_statement = self.can_end_statement(kind, start);
        Ok(Token {
            kind,
            start,
            end: self.at,
            line,
            last_line: self.line,
        })
    }

    fn can_end_statement(&self, kind: Kind, start: usize) -> bool {
        match kind {
            Kind::Integer | Kind::Number | Kind::String | Kind::Rune => true,
            Kind::Word => {
                let word = self.text.get(start..self.at).unwrap_or_default();
                !is_keyword(word) || matches!(word, "break" | "continue" | "fallthrough" | "return")
            }
            Kind::Sign(sign) => matches!(sign, b')' | b']' | b'}'),
            Kind::Operator => matches!(self.text.get(start..self.at), Some("++" | "--")),
            Kind::End | Kind::Semicolon { .. } => false,
        }
    }

    /// Skips spaces and comments, up to a line end that is a semicolon; whether it met one.
    fn skip_space(&mut self) -> Scanned<bool> {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => {
                    if self.ends_statement {
                        // The line end belongs to the line that it ends.
                        self.ends_statement = false;
                        return Ok(true);
                    }
                    self.at += 1;
                    self.line += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(1) == Some(b'/') => self.line_comment(),
                b'/' if self.byte(1) == Some(b'*') => {
                    let line = self.line;
                    self.block_comment()?;
                    if self.line > line && self.ends_statement {
                        self.ends_statement = false;
                        return Ok(true);
                    }
                }
                _ => break,
            }
        }
        Ok(false)
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at = length.map_or(self.bytes.len(), |length| start + length);
        let text = self.text.get(start..self.at).unwrap_or_default();
        self.comments.push(Comment {
            range: start..start + text.trim_end_matches('\r').len(),
            first_line: self.line,
            last_line: self.line,
            is_block: false,
        });
    }

    fn block_comment(&mut self) -> Scanned<()> {
        let (start, first_line) = (self.at, self.line);
        self.skip_block_comment()?;
        self.comments.push(Comment {
            range: start..self.at,
            first_line,
            last_line: self.line,
            is_block: true,
        });
        Ok(())
    }

    fn skip_block_comment(&mut self) -> Scanned<()> {
        let start = self.at;
        self.at += 2;
        while let Some(byte) = self.byte(0) {
            if byte == b'*' && self.byte(1) == Some(b'/') {
                self.at += 2;
                return Ok(());
            }
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
        Err(ScanError {
            message: "the comment does not end",
            range: start..start + 2,
        })
    }

    fn token(&mut self) -> Scanned<Kind> {
        let start = self.at;
        let Some(byte) = self.byte(0) else {
            return Ok(Kind::End);
        };
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.byte(1).is_some_and(|next| next.is_ascii_digit()) => Ok(self.number()),
            b'"' | b'`' | b'\'' => {
                self.skip_quoted()?;
                Ok(if byte == b'\'' {
                    Kind::Rune
                } else {
                    Kind::String
                })
            }
            b';' => {
                self.at += 1;
                Ok(Kind::Semicolon { written: true })
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b'~' => {
                self.at += 1;
                Ok(Kind::Sign(byte))
            }
            b'!'..=b'~' if !matches!(byte, b'#' | b'$' | b'?' | b'@' | b'\\') => {
                Ok(self.operator(byte))
            }
            _ => Err(ScanError {
                message: "this character is not part of Go",
                range: start..start + 1,
            }),
        }
    }

    fn word(&mut self) -> Scanned<Kind> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let ascii = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
            .unwrap_or(rest.len());
        let is_ascii = rest.as_bytes().get(ascii).is_none_or(u8::is_ascii);
        let length = if is_ascii {
            ascii
        } else {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len())
        };
        if length == 0 {
            let width = rest.chars().next().map_or(1, char::len_utf8);
            return Err(ScanError {
                message: "this character is not part of Go",
                range: start..start + width,
            });
        }
        self.at += length;
        Ok(Kind::Word)
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let mut exponent = false;
        while let Some(byte) = self.byte(0) {
            let sign = exponent && matches!(byte, b'+' | b'-');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign) {
                break;
            }
            let text = self.text.get(start..self.at).unwrap_or_default();
            let is_hex = text.starts_with("0x") || text.starts_with("0X");
            exponent = matches!(byte, b'p' | b'P') || (!is_hex && matches!(byte, b'e' | b'E'));
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let is_based = text.len() > 2 && text.starts_with('0') && !text.contains(['.', 'p', 'P']);
        let is_decimal = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        let is_based = is_based && text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
        if (is_decimal || is_based) && !text.ends_with('i') {
            Kind::Integer
        } else {
            Kind::Number
        }
    }

    /// Skips a string or a rune.
    fn skip_quoted(&mut self) -> Scanned<()> {
        let start = self.at;
        let quote = self.byte(0).unwrap_or_default();
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            match byte {
                _ if byte == quote => return Ok(()),
                b'\\' if quote != b'`' && self.byte(0) != Some(b'\n') => self.at += 1,
                b'\n' if quote != b'`' => {
                    self.at -= 1;
                    break;
                }
                b'\n' => self.line += 1,
                _ => {}
            }
        }
        self.at = self.at.min(self.bytes.len());
        let message = match quote {
            b'\'' => "the rune does not end on its line",
            b'"' => "the string does not end on its line",
            _ => "the string does not end",
        };
        let first = self.text.get(start..self.at).unwrap_or_default();
        let length = first.lines().next().unwrap_or_default().len();
        Err(ScanError {
            message,
            range: start..start + length.max(1),
        })
    }

    fn operator(&mut self, first: u8) -> Kind {
        const LONG: [&str; 24] = [
            "<<=", ">>=", "&^=", "...", "&&", "||", "<-", "++", "--", "==", "!=", "<=", ">=", ":=",
            "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
        ];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = LONG
            .iter()
            .find(|operator| rest.starts_with(operator.as_bytes()));
        self.at += found.map_or(1, |operator| operator.len());
        found.map_or(Kind::Sign(first), |_| Kind::Operator)
    }

    /// Skips the rest of a block whose `{` was the last token, without regard to what is in it; the line on which it ends.
    ///
    /// # Errors
    ///
    /// The block, a string or a comment in it does not end.
    pub(super) fn skip_block(&mut self, open: &Token) -> Scanned<usize> {
        let mut depth = 1_usize;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        self.ends_statement = true;
                        return Ok(self.line);
                    }
                }
                b'\n' => self.line += 1,
                b'"' | b'`' | b'\'' => {
                    self.skip_quoted()?;
                    continue;
                }
                b'/' if self.byte(1) == Some(b'/') => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    self.at += length.unwrap_or(rest.len());
                    continue;
                }
                b'/' if self.byte(1) == Some(b'*') => {
                    self.skip_block_comment()?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Err(ScanError {
            message: "the brace is not closed",
            range: open.range(),
        })
    }
}

/// Whether a word is one of Go's keywords.
pub(super) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 25] = [
        "break",
        "case",
        "chan",
        "const",
        "continue",
        "default",
        "defer",
        "else",
        "fallthrough",
        "for",
        "func",
        "go",
        "goto",
        "if",
        "import",
        "interface",
        "map",
        "package",
        "range",
        "return",
        "select",
        "struct",
        "switch",
        "type",
        "var",
    ];
    word.len() >= 2
        && word.len() <= 11
        && word.as_bytes()[0].is_ascii_lowercase()
        && KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text with `;` for a line end that is a semicolon, and its comments.
    fn scan(text: &str) -> Result<(String, Vec<&str>), ScanError> {
        let mut scanner = Scanner::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = scanner.next()?;
            match token.kind {
                Kind::End => break,
                Kind::Semicolon { written: false } => tokens.push(";"),
                _ => tokens.push(&text[token.range()]),
            }
        }
        let comments = scanner.comments.iter();
        let comments = comments.map(|comment| &text[comment.range.clone()]);
        Ok((tokens.join(" "), comments.collect()))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(
            scan(text).map(|(tokens, _)| tokens).as_deref(),
            Ok(expected)
        );
    }

    #[test]
    fn line_ends_are_semicolons_where_a_statement_can_end() {
        check("a\nb", "a ; b ;");
        check("a /* x\n */ b", "a ; b ;");
        check("a /* x */ b // c\n", "a b ;");
        check("f(a,\n b)\n", "f ( a , b ) ;");
        check("return\nx++\ny +\n1", "return ; x ++ ; y + 1 ;");
        check("type\nA = 'x'\n", "type A = 'x' ;");
    }

    #[test]
    fn numbers_and_strings_are_whole() {
        check(
            "1e+5 0x1p-2 0xE+1 1_000 .5 3i",
            "1e+5 0x1p-2 0xE + 1 1_000 .5 3i ;",
        );
        check("\"a\\\"b\" `a\n\"` '\\''", "\"a\\\"b\" `a\n\"` '\\'' ;");
        check("größe ... <-x", "größe ... <- x ;");
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        for (text, message) in [
            ("\"a\nb\"", "the string does not end on its line"),
            ("\"a\\", "the string does not end on its line"),
            ("`a\n", "the string does not end"),
            ("'a", "the rune does not end on its line"),
            ("/* a", "the comment does not end"),
            ("a # b", "this character is not part of Go"),
            ("\u{a0}", "this character is not part of Go"),
        ] {
            let error = scan(text).map_err(|error| error.message);
            assert_eq!(error, Err(message), "{text}");
        }
    }

    #[test]
    fn keywords_are_sorted() {
        for word in ["break", "chan", "interface", "type", "var", "package"] {
            assert!(is_keyword(word), "{word}");
        }
        assert!(!is_keyword("string") && !is_keyword("é"));
    }
}
