//! Extracts the comments of a Go file, with the context that decides whether controller-gen reads a
//! rule in them.

use std::ops::Range;

use super::{Attachment, Line, block_lines};

/// Returns the lines of all comments, in order.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lexer = Lexer {
        text,
        at: 0,
        depth: 0,
        code_on_line: false,
        lines: Vec::new(),
        group: Vec::new(),
        newlines: 0,
    };
    lexer.run();
    lexer.lines
}

/// Keywords of declarations whose doc comments controller-gen treats as documentation only.
const DECLARATIONS: [&str; 5] = ["func", "type", "var", "const", "import"];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// The number of open delimiters.
    depth: usize,
    code_on_line: bool,
    lines: Vec<Line>,
    /// The lines of the comment group just read.
    group: Vec<usize>,
    /// The number of line endings since that group.
    newlines: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match (byte, bytes.get(self.at + 1)) {
                (b'\n', _) => {
                    self.at += 1;
                    self.newlines += 1;
                    self.code_on_line = false;
                }
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', Some(b'/')) => self.line_comment(),
                (b'/', Some(b'*')) => self.block_comment(),
                _ => self.code(byte),
            }
        }
    }

    fn line_comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = self.at + rest.find('\n').unwrap_or(rest.len());
        let content = self.text.get(self.at + 2..end).unwrap_or_default();
        let start = end - content.trim_start().len();
        if self.newlines > 1 {
            self.group.clear();
        }
        self.newlines = 0;
        let attachment = if self.code_on_line {
            Attachment::BehindCode
        } else if self.depth > 0 {
            Attachment::Attached
        } else {
            self.group.push(self.lines.len());
            Attachment::Free
        };
        let range = start..start + content.trim().len();
        self.lines.push(Line { range, attachment });
        self.at = end;
    }

    fn block_comment(&mut self) {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
        let range: Range<usize> = self.at..self.at + 2 + end;
        self.lines.extend(block_lines(self.text, range.clone()));
        self.at = range.end;
        self.group.clear();
    }

    fn code(&mut self, byte: u8) {
        self.code_on_line = true;
        if self.newlines <= 1 && !self.group.is_empty() {
            self.attach();
        }
        self.group.clear();
        match byte {
            b'"' | b'\'' => self.quoted(byte),
            b'`' => {
                let rest = self.text.get(self.at + 1..).unwrap_or_default();
                self.at += 1 + rest.find('`').map_or(rest.len(), |end| end + 1);
            }
            b'{' | b'(' => {
                self.depth += 1;
                self.at += 1;
            }
            b'}' | b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// Marks the group as the doc comment of the declaration that starts here.
    fn attach(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if DECLARATIONS.contains(&word) {
            for &index in &self.group {
                if let Some(line) = self.lines.get_mut(index) {
                    line.attachment = Attachment::Attached;
                }
            }
        }
    }

    fn quoted(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
    }
}
