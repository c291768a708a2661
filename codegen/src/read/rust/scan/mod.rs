//! Scans Rust source for comments and nesting, in one pass.
//!
//! syn's tree has no `//` comments, which is where markers are. This lexer knows just enough of
//! Rust to distinguish comments from literals: strings with escapes, raw strings, characters as
//! opposed to lifetimes, nested block comments. It also measures nesting, so that no input
//! overflows the parser's stack.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// The byte range with the delimiters, without the line end.
    pub(super) range: Range<usize>,
    /// The 0-based lines that it spans.
    pub(super) lines: Range<usize>,
    /// Its kind.
    pub(super) kind: CommentKind,
    /// Whether only spaces precede it on its line.
    pub(super) alone: bool,
}

/// The kinds of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommentKind {
    /// `//`
    Line,
    /// `///`
    Doc,
    /// `//!`
    InnerDoc,
    /// `/* */`, documentation or not.
    Block,
}

impl Comment {
    /// The byte range after the slashes of a `///` or `//!` line.
    pub(super) fn words(&self) -> Option<Range<usize>> {
        let is_docs = matches!(self.kind, CommentKind::Doc | CommentKind::InnerDoc);
        is_docs.then_some(self.range.start + 3..self.range.end)
    }

    /// Returns the range of the text without the slashes and surrounding spaces.
    pub(super) fn content(&self, text: &str) -> Range<usize> {
        let slashes = if self.kind == CommentKind::Line { 2 } else { 3 };
        let comment = text.get(self.range.clone()).unwrap_or_default();
        let inner = comment.get(slashes..).unwrap_or_default();
        let start = self.range.end - inner.trim_start().len();
        start..start + inner.trim().len()
    }
}

/// The findings of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// The comments, in order.
    pub(super) comments: Vec<Comment>,
    /// Where the source nests too deeply to be parsed.
    pub(super) too_deep: Option<usize>,
    /// The first unbalanced delimiter.
    pub(super) unbalanced: Option<Unbalanced>,
    /// Possible ends of items: positions outside of all delimiters.
    pub(super) ends: Vec<usize>,
}

/// An unbalanced delimiter, by its byte position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unbalanced {
    /// It is never closed.
    Open(usize),
    /// It has no opening delimiter.
    Close(usize),
    /// The second closes the first, but is of another kind.
    Mismatched(usize, usize),
}

/// The maximum number of open delimiters.
const MAX_OPEN: usize = 64;

/// The maximum number of tokens between separators, summed over all open delimiters: each may cost
/// the parser a stack frame.
const MAX_RUN: usize = 4096;

/// Scans a source.
pub(super) fn scan(text: &str) -> Scan {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        // A byte order mark is not code.
        at: text
            .strip_prefix('\u{feff}')
            .map_or(0, |rest| text.len() - rest.len()),
        line: 0,
        code_on_line: false,
        scan: Scan::default(),
        runs: vec![Run::default()],
        total: 0,
    };
    lexer.run();
    let innermost = lexer.runs.last().and_then(|run| run.opened);
    lexer.scan.unbalanced = lexer.scan.unbalanced.or(innermost.map(Unbalanced::Open));
    lexer.scan
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    code_on_line: bool,
    scan: Scan,
    /// One run per open delimiter, and one for the file.
    runs: Vec<Run>,
    /// The number of tokens in all runs.
    total: usize,
}

/// The tokens since the last separator between two delimiters.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    tokens: usize,
    /// The position of the opening delimiter; `None` for the file itself.
    opened: Option<usize>,
    /// The number of open `<`, if they are brackets: a comma between them is not a separator.
    angles: usize,
    /// Whether there is a `|`: a comma may then be between closure parameters, which is not a
    /// separator.
    pipes: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'\n', _) => self.newline(),
                (b'/', Some(b'/')) => self.line_comment(),
                (b'/', Some(b'*')) => self.block_comment(),
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                _ => {
                    self.code_on_line = true;
                    self.token(byte);
                }
            }
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.code_on_line = false;
    }

    fn token(&mut self, byte: u8) {
        match byte {
            b'"' => self.string(),
            b'\'' => self.character_or_lifetime(),
            b'(' | b'[' | b'{' => {
                self.open();
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                let ends = self.close();
                self.at += 1;
                if ends {
                    self.end();
                }
            }
            b'<' | b'>' => {
                self.angle(byte);
                self.at += 1;
            }
            b'|' => {
                self.count();
                if let Some(run) = self.runs.last_mut() {
                    run.pipes = true;
                }
                self.at += 1;
            }
            b',' | b';' => {
                let inner = |run: &Run| run.angles > 0 || run.pipes;
                if byte == b',' && self.runs.last().is_some_and(inner) {
                    self.count();
                } else {
                    self.separator();
                }
                self.at += 1;
                if byte == b';' {
                    self.end();
                }
            }
            _ if byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80 => self.word(),
            _ => {
                self.count();
                self.at += 1;
            }
        }
    }

    fn count(&mut self) {
        self.total += 1;
        if let Some(run) = self.runs.last_mut() {
            run.tokens += 1;
        }
        if self.total > MAX_RUN {
            self.scan.too_deep.get_or_insert(self.at);
        }
    }

    fn separator(&mut self) {
        if let Some(run) = self.runs.last_mut() {
            self.total -= run.tokens;
            *run = Run {
                opened: run.opened,
                ..Run::default()
            };
        }
    }

    /// Processes `<` and `>`. The arrows `->` and `=>` are not brackets. Before a `=>` is a match
    /// pattern, in which `|` and `<` are neither closures nor brackets.
    fn angle(&mut self, byte: u8) {
        self.count();
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        if let Some(run) = self.runs.last_mut() {
            match (byte, before) {
                (b'<', _) => run.angles += 1,
                (_, Some(b'=')) => (run.angles, run.pipes) = (0, false),
                (_, Some(b'-')) => {}
                _ => run.angles = run.angles.saturating_sub(1),
            }
        }
    }

    fn open(&mut self) {
        self.count();
        self.runs.push(Run {
            opened: Some(self.at),
            ..Run::default()
        });
        if self.runs.len() > MAX_OPEN {
            self.scan.too_deep.get_or_insert(self.at);
        }
    }

    /// Processes a closing delimiter; returns whether it may end an item.
    fn close(&mut self) -> bool {
        self.check_close();
        if self.runs.len() > 1
            && let Some(run) = self.runs.pop()
        {
            self.total -= run.tokens;
        }
        let ends = self.peek(0) == Some(b'}') && self.starts_anew();
        if ends {
            self.separator();
        }
        ends
    }

    fn end(&mut self) {
        if self.runs.len() == 1 {
            self.scan.ends.push(self.at);
        }
    }

    /// Records a closing delimiter without a matching opening one.
    fn check_close(&mut self) {
        let opened = self.runs.last().and_then(|run| run.opened);
        let open = opened.and_then(|at| self.bytes.get(at));
        let found = match (open, self.peek(0)) {
            (Some(b'('), Some(b')')) | (Some(b'['), Some(b']')) | (Some(b'{'), Some(b'}')) => None,
            _ => Some(opened.map_or(Unbalanced::Close(self.at), |open| {
                Unbalanced::Mismatched(open, self.at)
            })),
        };
        self.scan.unbalanced = self.scan.unbalanced.or(found);
    }

    /// Whether the text after a `}` cannot continue an expression that the `}` belongs to: a word,
    /// a literal, or an attribute.
    fn starts_anew(&self) -> bool {
        let rest = self
            .bytes
            .get(self.after_comments(self.at + 1)..)
            .unwrap_or_default();
        let is_word = |word: &[u8]| {
            let after = rest.get(word.len());
            rest.starts_with(word)
                && !after.is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric())
        };
        match rest.first() {
            None | Some(b'#' | b'"' | b'\'' | b'_' | b'}') => true,
            Some(&byte) => {
                (byte.is_ascii_alphanumeric() || byte >= 0x80)
                    && !is_word(b"else")
                    && !is_word(b"as")
            }
        }
    }

    /// Returns the first byte at or after `at` that is neither a space nor in a comment.
    fn after_comments(&self, mut at: usize) -> usize {
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let length = match rest {
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                [b'/', b'/', ..] => rest
                    .iter()
                    .position(|&byte| byte == b'\n')
                    .unwrap_or(rest.len()),
                [b'/', b'*', ..] => block_comment_length(rest),
                _ => return at,
            };
            at += length;
        }
    }

    /// Scans a word, or a string with a prefix (`r"…"`, `br#"…"#`, `c"…"`).
    fn word(&mut self) {
        self.count();
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80)
        {
            self.at += 1;
        }
        match &self.bytes[start..self.at] {
            b"r" | b"br" | b"cr" => self.raw_string(),
            b"b" | b"c" if self.peek(0) == Some(b'"') => self.string(),
            b"b" if self.peek(0) == Some(b'\'') => self.character_or_lifetime(),
            _ => {}
        }
    }

    /// Scans after `r`: hashes and a quote start a raw string; anything else is a raw identifier or
    /// a word.
    fn raw_string(&mut self) {
        let mut hashes = 0;
        while self.peek(hashes) == Some(b'#') {
            hashes += 1;
        }
        if self.peek(hashes) != Some(b'"') {
            return;
        }
        self.at += hashes + 1;
        while let Some(byte) = self.peek(0) {
            if byte == b'\n' {
                self.newline();
                self.code_on_line = true;
                continue;
            }
            self.at += 1;
            if byte == b'"' && (0..hashes).all(|ahead| self.peek(ahead) == Some(b'#')) {
                self.at += hashes;
                return;
            }
        }
    }

    fn string(&mut self) {
        self.count();
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.newline();
                    self.code_on_line = true;
                }
                b'\\' => self.escape(),
                b'"' => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) {
        self.at += 1;
        if self.peek(0) == Some(b'\n') {
            self.newline();
            self.code_on_line = true;
        } else if self.peek(0).is_some() {
            self.at += 1;
        }
    }

    /// Distinguishes characters (`'a'` and `'\n'`) from lifetimes (`'a`).
    fn character_or_lifetime(&mut self) {
        self.count();
        self.at += 1;
        if self.peek(0) == Some(b'\\') {
            self.escape();
            while !matches!(self.peek(0), None | Some(b'\'' | b'\n')) {
                self.at += 1;
            }
            self.at += usize::from(self.peek(0) == Some(b'\''));
            return;
        }
        // The length of the character, if a quote follows it.
        let width = match self.peek(0) {
            None | Some(b'\'' | b'\n') => return,
            Some(byte) if byte < 0x80 => 1,
            Some(byte) => (byte.leading_ones() as usize).clamp(1, 4),
        };
        if self.peek(width) == Some(b'\'') {
            self.at += width + 1;
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
        let mut end = start + length;
        if self.bytes.get(end - 1) == Some(&b'\r') {
            end -= 1;
        }
        // `////` is a plain comment.
        let kind = match (rest.get(2), rest.get(3)) {
            (Some(b'/'), Some(b'/')) => CommentKind::Line,
            (Some(b'/'), _) => CommentKind::Doc,
            (Some(b'!'), _) => CommentKind::InnerDoc,
            _ => CommentKind::Line,
        };
        self.comment(start..end, self.line, kind);
        self.at = start + length;
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let first_line = self.line;
        let length = block_comment_length(self.bytes.get(start..).unwrap_or_default());
        let newlines = self.bytes[start..start + length]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        self.at = start + length;
        self.line += newlines;
        self.comment(start..self.at, first_line, CommentKind::Block);
        // No code precedes the comment on its last line if it spans several lines.
        self.code_on_line &= newlines == 0;
    }

    fn comment(&mut self, range: Range<usize>, first_line: usize, kind: CommentKind) {
        self.scan.comments.push(Comment {
            range,
            lines: first_line..self.line + 1,
            kind,
            alone: !self.code_on_line,
        });
    }
}

/// Returns the length of the block comment at the start of the bytes; block comments nest.
fn block_comment_length(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) => return bytes.len(),
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (Some(b'/'), Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    at
}
