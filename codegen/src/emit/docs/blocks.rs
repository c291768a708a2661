//! Blocks of a description: paragraphs, headings, quotes, list items and code.

use std::mem;

use super::{
    Extent, inline,
    list::{self, Number},
    marks::{self, indent},
    yaml::yaml,
};

/// A part of a description.
pub(super) struct Block<'a> {
    /// The number of list items around it.
    pub(super) depth: usize,
    pub(super) body: Body<'a>,
}

pub(super) enum Body<'a> {
    /// Words that are wrapped.
    Paragraph(Vec<&'a str>),
    /// A heading on one line.
    Heading { level: usize, words: Vec<&'a str> },
    /// The words of quoted lines.
    Quote(Vec<&'a str>),
    /// A list item.
    Item {
        number: Option<Number>,
        words: Vec<&'a str>,
    },
    /// Lines that are kept verbatim.
    Code(Vec<&'a str>),
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
    if extent == Extent::Summary && blocks.len() > 1 {
        let is_heading = |block: &Block<'_>| matches!(block.body, Body::Heading { .. });
        let headings = blocks.iter().take_while(|block| is_heading(block)).count();
        blocks.drain(..headings.min(blocks.len() - 1));
    }
    let Some(Body::Paragraph(words)) = blocks.first_mut().map(|block| &mut block.body) else {
        return blocks;
    };
    match extent {
        Extent::Item if inline::is_long(words) => {
            if let Some(end) = inline::first_sentence(words) {
                let body = Body::Paragraph(words.split_off(end));
                blocks.insert(1, Block { depth: 0, body });
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
    /// Whether the last line had several words, as a key of YAML does not.
    in_words: bool,
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
        let in_words = mem::replace(
            &mut self.in_words,
            trimmed.trim_start_matches("- ").contains(' '),
        );
        self.announced = trimmed.ends_with(':');
        if is_fence(trimmed) {
            return self.read_fence(lines);
        }
        let example = if announced && in_words {
            yaml(lines)
        } else {
            0
        };
        let code = match example {
            0 => code(lines, self.open, !self.indents.is_empty()),
            example => example,
        };
        if code > 0 {
            let depth = self.depth(indent(line), 1);
            self.push_code(depth, lines.get(..code).unwrap_or_default());
            return code;
        }
        let apart = self.read_apart(lines);
        if apart > 0 {
            return apart;
        }
        if self.open && announced {
            let definitions = definitions(lines, in_words);
            for line in lines.iter().take(definitions) {
                self.push_item(indent(line), list::Item::of(line.trim()));
            }
            if definitions > 0 {
                return definitions;
            }
        }
        let in_list = self.open && !self.indents.is_empty();
        if let Some(item) = list::item(trimmed, announced || in_list) {
            self.push_item(indent(line), item);
            return 1;
        }
        self.push_words(line);
        1
    }

    /// Parses a heading, a rule or a quote. Returns the number of lines consumed, 0 if there is none.
    fn read_apart(&mut self, lines: &[&'a str]) -> usize {
        let mut trimmed = lines.iter().map(|line| line.trim());
        let (line, next) = (trimmed.next().unwrap_or_default(), trimmed.next());
        if let Some((level, text)) =
            marks::heading(line).filter(|(level, _)| !self.open || *level > 1)
        {
            self.push_apart(Body::Heading {
                level,
                words: text.split_whitespace().collect(),
            });
            return 1;
        }
        if let Some(level) = next
            .and_then(|next| marks::underline(line, next))
            .filter(|_| !self.open)
        {
            self.push_apart(Body::Heading {
                level,
                words: line.split_whitespace().collect(),
            });
            return 2;
        }
        if self.open && marks::is_rule(line) {
            self.push_apart(Body::Paragraph(vec![line]));
            return 1;
        }
        let quoted = lines.iter().map_while(|line| marks::quoted(line.trim()));
        let quoted: Vec<&str> = quoted.collect();
        if self.open || !line.starts_with("> ") {
            return 0;
        }
        let words = quoted.iter().flat_map(|line| line.split_whitespace());
        self.push_apart(Body::Quote(words.collect()));
        quoted.len()
    }

    fn read_fence(&mut self, lines: &[&'a str]) -> usize {
        let mut rest = lines.iter().skip(1);
        let end = rest.position(|line| is_fence(line.trim()));
        let end = end.map_or(lines.len(), |end| end + 1);
        let first = lines.first().copied().unwrap_or_default();
        // Several words after a fence are code: a description may have lost its line breaks.
        let language = first.trim().trim_start_matches(['`', '~']).trim();
        let start = usize::from(!language.contains(' '));
        let mut code = lines.get(start..end).unwrap_or_default().to_vec();
        if let Some(first) = code.first_mut().filter(|_| start == 0) {
            *first = language;
        }
        self.push_code(self.depth(indent(first), 1), &code);
        end + 1
    }

    /// The number of items that a block with this indentation is part of: those whose markers are at least `least` to the left.
    fn depth(&self, indent: usize, least: usize) -> usize {
        let around = self
            .indents
            .iter()
            .filter(|outer| **outer + least <= indent);
        around.count().min(list::MAX_DEPTH)
    }

    fn push(&mut self, depth: usize, body: Body<'a>) {
        if depth == 0 && !matches!(body, Body::Item { .. }) {
            self.indents.clear();
        }
        self.blocks.push(Block { depth, body });
    }

    /// Adds a block that the next line does not belong to.
    fn push_apart(&mut self, body: Body<'a>) {
        self.push(0, body);
        self.open = false;
    }

    fn push_code(&mut self, depth: usize, code: &[&'a str]) {
        if code.iter().any(|line| !line.trim().is_empty()) {
            self.push(depth, Body::Code(code.to_vec()));
        }
        self.open = false;
    }

    fn push_item(&mut self, indent: usize, item: list::Item<'a>) {
        let depth = list::nest(&mut self.indents, indent);
        let words = item.text.split_whitespace().collect();
        let number = item.number;
        self.push(depth, Body::Item { number, words });
        self.open = true;
    }

    fn push_words(&mut self, line: &'a str) {
        let words = line.split_whitespace();
        let last = self.blocks.last_mut().map(|last| &mut last.body);
        match last.filter(|_| self.open) {
            Some(Body::Paragraph(last) | Body::Item { words: last, .. }) => last.extend(words),
            _ => {
                let depth = self.depth(indent(line), 2);
                self.push(depth, Body::Paragraph(words.collect()));
            }
        }
        self.open = true;
    }
}

/// Whether the line is a fence; text after three backticks that has another one is a code span.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("```")
        .is_some_and(|rest| !rest.trim_start_matches('`').contains('`'))
        || line.starts_with("~~~")
}

/// The minimum indentation of code without a fence, as in Go comments, where it is a tab.
const CODE: usize = 4;

/// The number of leading lines that are code: indented lines after a blank line, including blank lines between them, or table
/// rows.
fn code(lines: &[&str], open: bool, in_list: bool) -> usize {
    let rows = table(lines);
    if rows > 0 {
        return rows;
    }
    if open || in_list {
        return 0;
    }
    let is_code = |line: &&&str| line.trim().is_empty() || indent(line) >= CODE;
    let within = lines.iter().take_while(is_code).count();
    let code = lines.get(..within).unwrap_or_default();
    let blank = code.iter().rev().take_while(|line| line.trim().is_empty());
    let end = within - blank.count();
    let first = code.first().map_or("", |line| line.trim());
    // A single line is an indented paragraph or a list item.
    if end < 2 || list::item(first, false).is_some() && !first.ends_with(':') {
        0
    } else {
        end
    }
}

/// The number of leading lines that are a table: at least two rows, or a header, a rule and rows without bars around them.
fn table(lines: &[&str]) -> usize {
    let rows = lines.iter().take_while(|line| is_row(line.trim())).count();
    if rows > 1 {
        return rows;
    }
    let is_bare = |line: &&&str| line.trim().contains('|');
    let rows = lines.iter().take_while(is_bare).count();
    let is_rule = |line: &&str| line.contains("--") && line.chars().all(|c| "-|: ".contains(c));
    if lines.get(1).is_some_and(is_rule) && rows > 1 {
        rows
    } else {
        0
    }
}

/// Whether the line is a table row or the rule between two.
fn is_row(line: &str) -> bool {
    line.len() > 2 && line.starts_with(['|', '+']) && line.ends_with(['|', '+'])
}

/// The number of leading lines that each define a term (`Localhost - a profile of the node`, `Localhost: a profile`), indented relative
/// to the text before.
fn definitions(lines: &[&str], announced_in_words: bool) -> usize {
    let first = lines.first().map_or(0, |line| indent(line));
    let is_set_in = |line: &&&str| indent(line) == first && !line.trim().is_empty();
    let count = lines.iter().take_while(is_set_in).count();
    let is_definition = |line: &&str| {
        let (word, rest) = line.trim().split_once(' ').unwrap_or_default();
        let rest = rest.trim_start();
        let (term, colon) = word
            .strip_suffix(':')
            .map_or((word, false), |term| (term, true));
        term.ends_with(|c: char| c.is_alphanumeric() || "\"'`".contains(c))
            && (colon && announced_in_words || rest.starts_with("- ") || rest.starts_with(": "))
    };
    let all = lines.get(..count).unwrap_or_default();
    if first > 0 && count > 1 && all.iter().all(is_definition) {
        count
    } else {
        0
    }
}
