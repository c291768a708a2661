//! The lexer: produces Go's tokens, including the semicolons inserted at line ends, and the
//! comments between them.
//!
//! Function bodies are most of a Go file and do not affect types: [`Scanner::skip_block`] scans
//! over them byte by byte.

#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

use memchr::{memchr, memchr_iter, memchr3, memmem};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The lines on which it starts and ends, 0-based.
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
    /// A string, quoted or raw.
    String,
    /// A rune.
    Rune,
    /// A semicolon; not `written` if it was inserted at a line end.
    Semicolon { written: bool },
    /// A bracket, a comma, a dot or other single-byte sign.
    Sign(u8),
    /// An operator of several bytes.
    Operator,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    // 32 bits each, since no source file comes close to 4 GiB: comments are most of a file's
    // memory.
    start: u32,
    end: u32,
    first_line: u32,
    last_line: u32,
}

impl Comment {
    fn new(range: Range<usize>, lines: RangeInclusive<usize>) -> Self {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            start: short(range.start),
            end: short(range.end),
            first_line: short(*lines.start()),
            last_line: short(*lines.end()),
        }
    }

    /// The byte range of the comment with its delimiters, without the line end.
    pub(super) const fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The 0-based line on which it starts.
    pub(super) const fn first_line(&self) -> usize {
        self.first_line as usize
    }

    /// The 0-based line on which it ends.
    pub(super) const fn last_line(&self) -> usize {
        self.last_line as usize
    }
}

/// A lexical error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanError {
    pub(super) message: &'static str,
    pub(super) range: Range<usize>,
}

/// The state of the lexer.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Whether a line end here counts as a semicolon.
    ends_statement: bool,
    /// The comments so far.
    pub(super) comments: Vec<Comment>,
}

type Scanned<T> = Result<T, ScanError>;

impl<'a> Scanner<'a> {
    /// Creates a scanner that starts at a byte of the text.
    pub(super) fn new(text: &'a str, start: usize) -> Self {
        // A byte order mark is allowed only at the start of a file.
        let is_marked = start == 0 && text.starts_with('\u{feff}');
        let at = if is_marked { 3 } else { start };
        let before = text.as_bytes().get(..start).unwrap_or_default();
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            line: memchr_iter(b'\n', before).count(),
            ends_statement: false,
            comments: Vec::new(),
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Returns the next byte that is not a space.
    pub(super) fn peek(&self) -> Option<u8> {
        let rest = self.bytes.get(self.at..)?;
        rest.iter()
            .copied()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
    }

    /// Returns the next token.
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

    /// Skips spaces and comments, up to a line end that counts as a semicolon; returns whether
    /// there is one.
    fn skip_space(&mut self) -> Scanned<bool> {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => {
                    if self.ends_statement {
                        // The line end belongs to the line that it terminates.
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
        self.at = self.line_end(start);
        let text = self.text.get(start..self.at).unwrap_or_default();
        let range = start..start + text.trim_end_matches('\r').len();
        self.comments
            .push(Comment::new(range, self.line..=self.line));
    }

    /// Returns the end of the line that contains `at`: its line end, or the end of the text.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.bytes.len(), |length| at + length)
    }

    fn block_comment(&mut self) -> Scanned<()> {
        let (start, first_line) = (self.at, self.line);
        self.skip_block_comment()?;
        self.comments
            .push(Comment::new(start..self.at, first_line..=self.line));
        Ok(())
    }

    fn skip_block_comment(&mut self) -> Scanned<()> {
        let start = self.at;
        self.at += 2;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memmem::find(rest, b"*/");
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.line += memchr_iter(b'\n', inside).count();
        self.at += inside.len();
        if end.is_some() {
            self.at += 2;
            return Ok(());
        }
        Err(ScanError {
            message: "the comment is not terminated",
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
                message: "invalid character",
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
                message: "invalid character",
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
        if quote == b'`' {
            if self.skip_raw() {
                return Ok(());
            }
        } else {
            loop {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let found = memchr3(quote, b'\\', b'\n', rest);
                self.at += found.unwrap_or(rest.len());
                match self.byte(0) {
                    None | Some(b'\n') => break,
                    Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 1,
                    Some(b'\\') => self.at += 2,
                    Some(_) => {
                        self.at += 1;
                        return Ok(());
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        let message = match quote {
            b'\'' => "the rune is not terminated on its line",
            b'"' => "the string is not terminated on its line",
            _ => "the string is not terminated",
        };
        let first = self.text.get(start..self.at).unwrap_or_default();
        let length = first.lines().next().unwrap_or_default().len();
        Err(ScanError {
            message,
            range: start..start + length.max(1),
        })
    }

    /// Skips the rest of a raw string, or of the text if it is unterminated; returns whether it is
    /// terminated.
    fn skip_raw(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memchr(b'`', rest);
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.line += memchr_iter(b'\n', inside).count();
        self.at += inside.len() + usize::from(end.is_some());
        end.is_some()
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

    /// Skips the rest of a block whose `{` was the last token, without interpreting it; returns the
    /// line on which it ends.
    ///
    /// # Errors
    ///
    /// The block, or a string or comment in it, is unterminated.
    pub(super) fn skip_block(&mut self, open: &Token) -> Scanned<usize> {
        let mut depth = 1_usize;
        while let Some(byte) = self.byte(0) {
            if !IN_BLOCK[usize::from(byte)] {
                self.at += 1;
                continue;
            }
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
                    self.at = self.line_end(self.at);
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

/// The bytes relevant to [`Scanner::skip_block`]; most bytes of a block are not.
const IN_BLOCK: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = *b"{}\n\"`'/";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

/// Whether a word is a Go keyword.
pub(super) fn is_keyword(word: &str) -> bool {
    // By length first, since every word of a file is looked up.
    match word.len() {
        2 => matches!(word, "go" | "if"),
        3 => matches!(word, "for" | "map" | "var"),
        4 => matches!(word, "case" | "chan" | "else" | "func" | "goto" | "type"),
        5 => matches!(word, "break" | "const" | "defer" | "range"),
        6 => matches!(word, "import" | "return" | "select" | "struct" | "switch"),
        7 => matches!(word, "default" | "package"),
        8 => word == "continue",
        9 => word == "interface",
        11 => word == "fallthrough",
        _ => false,
    }
}
