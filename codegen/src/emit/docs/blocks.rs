//! Blocks of a description: paragraphs, list items and code.

use super::{Extent, inline, wrap};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    Item,
    Code,
}

pub(super) enum Block<'a> {
    /// Words that are wrapped.
    Paragraph(Vec<&'a str>),
    /// A list item: its nesting depth and its words.
    Item { depth: usize, words: Vec<&'a str> },
    /// Lines that are kept verbatim.
    Code(Vec<&'a str>),
}

impl Block<'_> {
    pub(super) const fn kind(&self) -> Kind {
        match self {
            Self::Paragraph(_) => Kind::Paragraph,
            Self::Item { .. } => Kind::Item,
            Self::Code(_) => Kind::Code,
        }
    }

    pub(super) fn write(&self, lines: &mut Vec<String>) {
        match self {
            Self::Paragraph(words) => wrap(words, "", "", lines),
            Self::Item { depth, words } => {
                let indent = " ".repeat(depth * 2);
                let first = format!("{indent}- ");
                wrap(words, &first, &" ".repeat(first.len()), lines);
            }
            Self::Code(code) => {
                let indents = code.iter().filter(|line| !line.trim().is_empty());
                let margin = indents.map(|line| indent(line)).min().unwrap_or(0);
                lines.push("```text".to_owned());
                lines.extend(code.iter().map(|line| {
                    let line = line.get(margin..).unwrap_or_default();
                    line.trim_end().replace("```", "'''")
                }));
                lines.push("```".to_owned());
            }
        }
    }
}

/// Splits a description, or its first sentence, into blocks. Blank lines, list markers, fences and code start a new block.
pub(super) fn blocks(text: &str, extent: Extent) -> Vec<Block<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader::default();
    let mut at = 0;
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
        at += reader.read(rest);
    }
    let mut blocks = reader.blocks;
    let Some(Block::Paragraph(words)) = blocks.first_mut() else {
        return blocks;
    };
    match extent {
        Extent::Item if inline::is_long(words) => {
            if let Some(end) = inline::first_sentence(words) {
                let rest = words.split_off(end);
                blocks.insert(1, Block::Paragraph(rest));
            }
        }
        Extent::Summary => {
            words.truncate(inline::first_sentence(words).unwrap_or(words.len()));
            // After a colon, the next block belongs to the sentence.
            if words.last().is_none_or(|last| !last.ends_with(':')) {
                blocks.truncate(1);
            }
        }
        Extent::Item | Extent::Field => {}
    }
    blocks
}

/// A line-by-line parser.
#[derive(Default)]
struct Reader<'a> {
    blocks: Vec<Block<'a>>,
    /// Whether the next line may belong to the last block.
    open: bool,
    /// Whether the last line ended in a colon.
    announced: bool,
    /// The indentation of the items that enclose the last one, outermost first.
    indents: Vec<usize>,
}

impl<'a> Reader<'a> {
    /// Parses the block that starts at the first line; `lines` must not be empty. Returns the number of lines consumed.
    fn read(&mut self, lines: &[&'a str]) -> usize {
        let Some(&line) = lines.first() else {
            return 1;
        };
        let trimmed = line.trim();
        let announced = self.announced;
        if trimmed.is_empty() {
            self.open = false;
            return 1;
        }
        self.announced = trimmed.ends_with(':');
        if is_fence(trimmed) {
            return self.read_fence(lines);
        }
        let code = code(
            lines,
            self.open,
            matches!(self.blocks.last(), Some(Block::Item { .. })),
        );
        if code > 0 {
            self.push_code(lines.get(..code).unwrap_or_default());
            return code;
        }
        if self.open && announced {
            let definitions = definitions(lines);
            for line in lines.iter().take(definitions) {
                self.push_item(indent(line), line.trim());
            }
            if definitions > 0 {
                return definitions;
            }
        }
        let in_list = self.open && matches!(self.blocks.last(), Some(Block::Item { .. }));
        if let Some(rest) = list_item(trimmed, announced || in_list) {
            self.push_item(indent(line), rest);
            return 1;
        }
        self.push_words(trimmed);
        1
    }

    fn read_fence(&mut self, lines: &[&'a str]) -> usize {
        let mut rest = lines.iter().skip(1);
        let end = rest.position(|line| is_fence(line.trim()));
        let end = end.map_or(lines.len(), |end| end + 1);
        self.push_code(lines.get(1..end).unwrap_or_default());
        end + 1
    }

    fn push_code(&mut self, code: &[&'a str]) {
        if code.iter().any(|line| !line.trim().is_empty()) {
            self.blocks.push(Block::Code(code.to_vec()));
        }
        self.open = false;
    }

    fn push_item(&mut self, indent: usize, text: &'a str) {
        if !matches!(self.blocks.last(), Some(Block::Item { .. })) {
            self.indents.clear();
        }
        let depth = nest(&mut self.indents, indent);
        self.blocks.push(Block::Item {
            depth,
            words: text.split_whitespace().collect(),
        });
        self.open = true;
    }

    fn push_words(&mut self, text: &'a str) {
        let words = text.split_whitespace();
        match self.blocks.last_mut().filter(|_| self.open) {
            Some(Block::Paragraph(last) | Block::Item { words: last, .. }) => last.extend(words),
            _ => self.blocks.push(Block::Paragraph(words.collect())),
        }
        self.open = true;
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The minimum indentation of code without a fence, as in Go comments, where it is a tab.
const CODE: usize = 4;

/// The number of leading lines that are code: indented lines after a blank line, including blank lines between them, or table
/// rows.
fn code(lines: &[&str], open: bool, after_item: bool) -> usize {
    let rows = lines.iter().take_while(|line| is_row(line.trim())).count();
    if rows > 1 {
        return rows;
    }
    if open || after_item {
        return 0;
    }
    let is_code = |line: &&&str| line.trim().is_empty() || indent(line) >= CODE;
    let within = lines.iter().take_while(is_code).count();
    let code = lines.get(..within).unwrap_or_default();
    let blank = code.iter().rev().take_while(|line| line.trim().is_empty());
    let end = within - blank.count();
    let first = code.first().map_or("", |line| line.trim());
    // A single line is an indented paragraph or a list item.
    if end < 2 || list_item(first, false).is_some() && !first.ends_with(':') {
        0
    } else {
        end
    }
}

/// Whether the line is a table row or the rule between two.
fn is_row(line: &str) -> bool {
    line.len() > 2 && line.starts_with(['|', '+']) && line.ends_with(['|', '+'])
}

/// The number of leading lines that each define a term (`Localhost - a profile of the node`), indented relative to the text
/// before.
fn definitions(lines: &[&str]) -> usize {
    let first = lines.first().map_or(0, |line| indent(line));
    let is_set_in = |line: &&&str| indent(line) == first && !line.trim().is_empty();
    let count = lines.iter().take_while(is_set_in).count();
    let is_definition = |line: &&str| {
        let (word, rest) = line.trim().split_once(' ').unwrap_or_default();
        let rest = rest.trim_start();
        word.ends_with(|c: char| c.is_alphanumeric() || "\"'`".contains(c))
            && (rest.starts_with("- ") || rest.starts_with(": "))
    };
    let all = lines.get(..count).unwrap_or_default();
    if first > 0 && count > 1 && all.iter().all(is_definition) {
        count
    } else {
        0
    }
}

/// The nesting depth of an item with this indentation, given those of enclosing items; the first item of a list has depth 0.
fn nest(indents: &mut Vec<usize>, indent: usize) -> usize {
    indents.retain(|&outer| outer < indent);
    indents.push(indent);
    // An ordered item would need three spaces. Descriptions do not make sensible use of more than two levels.
    (indents.len() - 1).min(2)
}

/// The text of a list item: after `-` or `*`, or including its number or letter, since descriptions skip numbers. If an item is
/// expected, in a list or after a colon, no space is needed between marker and word (`-hostPID`).
fn list_item(line: &str, expected: bool) -> Option<&str> {
    if let Some((marker, rest)) = line.split_once(char::is_whitespace) {
        if matches!(marker, "-" | "*" | "+" | "•") && !rest.trim().is_empty() {
            return Some(rest);
        }
        if let Some(number) = marker.strip_suffix(['.', ')']) {
            let digits = number.bytes().all(|b| b.is_ascii_digit());
            let letter = marker.ends_with(')') && number.bytes().all(|b| b.is_ascii_lowercase());
            let short = (1..=3).contains(&number.len()) && digits || number.len() == 1 && letter;
            return short.then_some(line);
        }
    }
    let rest = line.strip_prefix('-')?;
    (expected && rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(rest)
}
