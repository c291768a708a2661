//! Parses the declarations of a Go file.
//!
//! Comments are attached as in Go's own parser: the group that ends on the line before a
//! declaration documents it, and the group that starts on its last line trails it. Markers are
//! attached by the rules of controller-tools' collector, see [`Owner`].

use super::{
    scan::{Kind, ScanError, Scanner, Token, is_keyword},
    syntax::{File, Group, Owner, Span},
};

/// The maximum nesting of types and constants. No real API comes close, and recursive code can rely
/// on it.
pub(super) const MAX_DEPTH: usize = 200;

/// The syntax error of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) message: String,
    pub(super) label: String,
    pub(super) range: Span,
}

pub(super) type Parsed<T> = Result<T, SyntaxError>;

impl From<ScanError> for SyntaxError {
    fn from(error: ScanError) -> Self {
        Self {
            message: error.message.to_owned(),
            label: String::new(),
            range: error.range,
        }
    }
}

/// Parses a file.
///
/// # Errors
///
/// The first syntax error, as far as declarations are concerned.
pub(super) fn parse(text: &str) -> Parsed<File> {
    parse_piece(text, &(0..text.len()))
}

/// Parses a piece of a file: its beginning, or whole declarations.
///
/// # Errors
///
/// The same as for [`parse`].
pub(super) fn parse_piece(text: &str, piece: &Span) -> Parsed<File> {
    let mut parser = Parser::start(text, piece)?;
    if piece.start == 0 {
        parser.head()?;
    }
    parser.declarations()?;
    parser.file.comments = parser.scanner.comments;
    Ok(parser.file)
}

/// Returns the name in the package clause, without parsing the rest.
pub(super) fn package_clause(text: &str) -> Parsed<&str> {
    let mut parser = Parser::start(text, &(0..text.len()))?;
    let name = parser.clause()?;
    Ok(parser.text_of(&name))
}

/// The state of the parser.
pub(super) struct Parser<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    /// The current token.
    pub(super) token: Token,
    /// The end of the previous token.
    before: usize,
    /// The comment group that ends on the line before the current token.
    pub(super) lead: Option<usize>,
    /// The comment group that trails the previous token.
    pub(super) behind: Option<usize>,
    /// The number of comments already grouped.
    grouped: usize,
    /// The first comment group without an owner.
    pub(super) cursor: usize,
    pub(super) depth: usize,
    pub(super) file: File,
}

impl<'a> Parser<'a> {
    fn start(text: &'a str, piece: &Span) -> Parsed<Self> {
        let text = text.get(..piece.end).unwrap_or(text);
        let mut parser = Self {
            text,
            scanner: Scanner::new(text, piece.start),
            token: Token {
                kind: Kind::End,
                start: 0,
                end: 0,
                line: usize::MAX,
                last_line: usize::MAX,
            },
            before: 0,
            lead: None,
            behind: None,
            grouped: 0,
            cursor: 0,
            depth: 0,
            file: File::default(),
        };
        parser.reserve(piece.len());
        parser.advance()?;
        Ok(parser)
    }

    /// Reserves memory for a typical number of comments in API types: one per line, in groups of
    /// several.
    fn reserve(&mut self, bytes: usize) {
        let lines = bytes / 100;
        self.scanner.comments.reserve(lines);
        self.file.groups.reserve(lines / 3);
        self.file.owners.reserve(lines / 3);
    }

    pub(super) fn text_of(&self, span: &Span) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    pub(super) fn word(&self) -> &'a str {
        if self.token.kind == Kind::Word {
            self.text_of(&self.token.range())
        } else {
            ""
        }
    }

    pub(super) fn is(&self, sign: u8) -> bool {
        self.token.kind == Kind::Sign(sign)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.scanner.peek()
    }

    /// Advances to the next token, and groups the comments in between.
    pub(super) fn advance(&mut self) -> Parsed<()> {
        if !matches!(self.token.kind, Kind::Semicolon { written: false }) {
            self.before = self.token.end;
        }
        let before_line = self.token.last_line;
        self.token = self.scanner.next()?;
        self.lead = None;
        self.behind = None;
        if self.grouped < self.scanner.comments.len() {
            self.group(before_line);
        }
        Ok(())
    }

    /// Groups the comments before the current token.
    fn group(&mut self, before_line: usize) {
        let line_end = matches!(
            self.token.kind,
            Kind::Semicolon { written: false } | Kind::End
        );
        let mut last_line = None;
        let first = std::mem::replace(&mut self.grouped, self.scanner.comments.len());
        for (number, comment) in self.scanner.comments.iter().enumerate().skip(first) {
            let is_behind = comment.first_line() == before_line;
            let joins = last_line.is_some_and(|last| {
                let gap = usize::from(before_line != last);
                comment.first_line() <= last + gap
            });
            last_line = Some(comment.last_line());
            match self.file.groups.last_mut() {
                Some(group) if joins => group.grow(),
                _ => {
                    self.file.groups.push(Group::starting(number));
                    self.file.owners.push(Owner::Package);
                    if is_behind {
                        let index = self.file.groups.len() - 1;
                        self.file.owners[index] = Owner::Behind;
                        self.behind = Some(index);
                    }
                }
            }
        }
        let index = self.file.groups.len() - 1;
        let last_line = last_line.unwrap_or_default();
        if self.behind == Some(index) && !line_end && self.token.line == last_line {
            // Between tokens of one line: not a trailing comment.
            self.behind = None;
        } else if self.file.owners[index] != Owner::Behind && last_line + 1 == self.token.line {
            self.lead = Some(index);
        }
    }

    pub(super) fn error<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Semicolon { written: false } => "the end of the line".to_owned(),
            _ => {
                let text = self.text_of(&self.token.range());
                let short: String = text.chars().take(40).collect();
                format!("`{short}`")
            }
        };
        let range = match self.token.kind {
            Kind::End | Kind::Semicolon { written: false } => self.before..self.before,
            _ => self.token.range(),
        };
        Err(SyntaxError {
            message: format!("expected {wanted}, found {found}"),
            label: format!("expected {wanted}"),
            range,
        })
    }

    pub(super) fn eat(&mut self, sign: u8) -> Parsed<bool> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: u8) -> Parsed<()> {
        if self.eat(sign)? {
            return Ok(());
        }
        self.error(&format!("`{}`", char::from(sign)))
    }

    /// Parses a name; keywords are rejected.
    pub(super) fn name(&mut self) -> Parsed<Span> {
        let word = self.word();
        if word.is_empty() || is_keyword(word) {
            return self.error("a name");
        }
        let range = self.token.range();
        self.advance()?;
        Ok(range)
    }

    /// Parses the end of a statement: a semicolon, or the closing bracket that follows. Returns the
    /// trailing comment.
    pub(super) fn statement_end(&mut self) -> Parsed<Option<usize>> {
        match self.token.kind {
            Kind::Semicolon { written } => {
                let before = self.behind;
                self.advance()?;
                Ok(if written { self.behind } else { before })
            }
            Kind::Sign(b')' | b'}') | Kind::End => Ok(None),
            _ => self.error("the end of the line or `;`"),
        }
    }

    /// Skips a bracketed section; the current token is the opening bracket.
    pub(super) fn skip_balanced(&mut self) -> Parsed<()> {
        let open = self.token;
        let mut stack = Vec::new();
        loop {
            match self.token.kind {
                Kind::Sign(b'{') => {
                    let open = self.token;
                    self.token.last_line = self.scanner.skip_block(&open)?;
                }
                Kind::Sign(sign @ (b'(' | b'[')) => stack.push(sign),
                Kind::Sign(sign @ (b')' | b']' | b'}')) => {
                    let opened = if sign == b')' { b'(' } else { b'[' };
                    if stack.pop() != Some(opened) {
                        return self.error("a different closing bracket");
                    }
                }
                Kind::End => {
                    return Err(SyntaxError {
                        message: "the bracket is not closed".to_owned(),
                        label: String::new(),
                        range: open.range(),
                    });
                }
                _ => {}
            }
            self.advance()?;
            if stack.is_empty() {
                return Ok(());
            }
        }
    }

    /// Skips the rest of a statement.
    pub(super) fn skip_statement(&mut self) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::Semicolon { .. } | Kind::End | Kind::Sign(b')' | b'}' | b']') => {
                    return Ok(());
                }
                Kind::Sign(b'(' | b'[' | b'{') => self.skip_balanced()?,
                _ => self.advance()?,
            }
        }
    }

    pub(super) fn clause(&mut self) -> Parsed<Span> {
        if self.word() != "package" {
            return self.error("the package clause");
        }
        self.advance()?;
        self.name()
    }

    /// Assigns owners to the comment groups before the current token: its doc comment and the
    /// closest group above that. Groups further above keep the package as owner. `to` returns the
    /// owner of the doc comment (`true`) or of the group above it (`false`).
    pub(super) fn own(&mut self, doc: Option<usize>, to: impl Fn(bool) -> Owner) {
        let end = self.file.groups.len();
        let mut apart = None;
        for index in self.cursor..end {
            if Some(index) == doc {
                self.file.owners[index] = to(true);
            } else if self.file.owners[index] != Owner::Behind {
                apart = Some(index);
            }
        }
        if let Some(apart) = apart {
            self.file.owners[apart] = to(false);
        }
        self.cursor = end;
    }

    /// Like [`own`](Self::own) within braces, where groups further above belong to nothing.
    pub(super) fn own_inside(&mut self, doc: Option<usize>, to: impl Fn(bool) -> Owner) {
        let from = self.cursor;
        self.disown(from);
        self.cursor = from;
        self.own(doc, to);
    }

    /// Marks the comment groups from index `from` on as belonging to nothing.
    pub(super) fn disown(&mut self, from: usize) {
        for owner in self.file.owners.iter_mut().skip(from) {
            if *owner == Owner::Package {
                *owner = Owner::Nothing;
            }
        }
        self.cursor = self.file.owners.len();
    }

    /// Skips a token, or a bracketed section.
    pub(super) fn skip_item(&mut self) -> Parsed<()> {
        match self.token.kind {
            Kind::Sign(b'(' | b'[' | b'{') => self.skip_balanced(),
            Kind::End => self.error("a closing bracket"),
            _ => self.advance(),
        }
    }
}
