//! Attaches comments to items: the rules of Go's marker collectors, adapted to Rust's syntax.
//!
//! The comments above an item, field or variant form blocks separated by blank lines. The item owns
//! the adjacent block, the block above that one, every `///` line (as in rustdoc), and comments
//! between its attributes. In `mod.rs`, comments above the first item belong to the package, except
//! for a block adjacent to a type. A marker without an owner is an error.

use std::{iter, ops::Range, sync::Arc};

use super::scan::{Comment, CommentKind};
use crate::{
    diag::{Diagnostic, Diagnostics, Place, newlines},
    read::markers::{IgnoredMarkers, RawMarker, is_marker},
};

/// The comments of one file, and which of them have been assigned.
#[derive(Clone, Debug)]
pub(super) struct Comments {
    name: Arc<str>,
    text: Arc<str>,
    comments: Vec<Comment>,
    used: Vec<bool>,
    /// Assigned comments that would be markers without the space after their `+`, with the
    /// corrected text.
    spaced: Vec<(Range<usize>, String)>,
    /// The markers of other tools.
    ignored: Vec<String>,
}

/// The markers above an item.
#[derive(Debug, Default)]
pub(super) struct Lead {
    /// Those adjacent to the item or in its documentation.
    pub(super) own: Vec<RawMarker>,
    /// Those in the block above.
    pub(super) apart: Vec<RawMarker>,
    /// Those further above.
    pub(super) far: Vec<RawMarker>,
}

impl Comments {
    pub(super) fn new(
        name: Arc<str>,
        text: Arc<str>,
        comments: Vec<Comment>,
        ignored: IgnoredMarkers<'_>,
    ) -> Self {
        let used = vec![false; comments.len()];
        Self {
            name,
            text,
            comments,
            used,
            spaced: Vec::new(),
            ignored: ignored.0.to_vec(),
        }
    }

    /// Whether a marker belongs to another tool.
    pub(super) fn is_ignored(&self, marker: &RawMarker) -> bool {
        IgnoredMarkers(&self.ignored).contains(marker)
    }

    pub(super) fn place(&self, range: Range<usize>) -> Place {
        Place {
            file: Arc::clone(&self.name),
            text: Arc::clone(&self.text),
            range,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first byte at or after `at` that is neither a space nor in a comment.
    pub(super) fn skip_trivia(&self, mut at: usize) -> usize {
        let mut index = self.first_from(at);
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            at += rest.len() - rest.trim_start().len();
            match self.comments.get(index) {
                Some(comment) if comment.range.start == at => {
                    at = comment.range.end;
                    index += 1;
                }
                _ => return at,
            }
        }
    }

    /// Returns the consecutive `///` or `//!` lines that start at a byte.
    pub(super) fn docs_at(&self, at: usize) -> Option<&[Comment]> {
        let first = self.first_from(at);
        let is_here = |comment: &Comment| comment.range.start == at && comment.words().is_some();
        let mut last = self
            .comments
            .get(first)
            .filter(|it| is_here(it))
            .map(|_| first)?;
        while self.continues_docs(last + 1) {
            last += 1;
        }
        self.comments.get(first..=last)
    }

    /// Whether a comment continues the documentation of the comment before it.
    fn continues_docs(&self, index: usize) -> bool {
        let Some([before, comment]) = index
            .checked_sub(1)
            .and_then(|at| self.comments.get(at..=index))
        else {
            return false;
        };
        let between = self.text.get(before.range.end..comment.range.start);
        comment.words().is_some()
            && before.kind == comment.kind
            && between.is_some_and(|it| it.trim_ascii().is_empty())
    }

    /// Returns a range of the text.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Returns a part of the text for the parser: documentation keeps only the slashes of its first
    /// line. Documentation is most of a file of types, and the parser would process it several
    /// times. All other bytes keep their position.
    pub(super) fn without_docs(&self, part: Range<usize>) -> String {
        let mut parsed = String::with_capacity(part.len());
        let mut done = part.start;
        let indices = self.indices(part.clone());
        for (index, comment) in indices.clone().zip(&self.comments[indices]) {
            let Some(mut words) = comment.words() else {
                continue;
            };
            // Keep carriage returns: the parser rejects them here, with their place.
            if words.start < done || self.slice(words.clone()).contains('\r') {
                continue;
            }
            let continues = self.continues_docs(index);
            if continues {
                words.start = comment.range.start;
            }
            if words.is_empty() {
                continue;
            }
            parsed.push_str(self.slice(done..words.start));
            // Terminates the line with the slashes.
            parsed.push(if continues { ' ' } else { '\n' });
            parsed.extend(iter::repeat_n(' ', words.len() - 1));
            done = words.end;
        }
        parsed.push_str(self.slice(done..part.end));
        parsed
    }

    fn first_from(&self, at: usize) -> usize {
        self.comments
            .partition_point(|comment| comment.range.start < at)
    }

    fn indices(&self, range: Range<usize>) -> Range<usize> {
        self.first_from(range.start)..self.first_from(range.end)
    }

    /// Takes the markers above the item that starts after `from` and whose name is at `name_at`.
    pub(super) fn lead(&mut self, from: usize, name_at: usize) -> Lead {
        let start = self.skip_trivia(from);
        let above = self.indices(from..start);
        let blocks = self.blocks(above.clone(), start);
        let mut lead = Lead::default();
        let between = self.indices(start..name_at.max(start));
        for (index, raw) in self.take(above.start..between.end) {
            if index >= blocks.touching || self.comments[index].kind == CommentKind::Doc {
                lead.own.push(raw);
            } else if index >= blocks.second {
                lead.apart.push(raw);
            } else {
                lead.far.push(raw);
            }
        }
        lead
    }

    /// Finds the two blocks that belong to the item at `start`.
    fn blocks(&self, above: Range<usize>, start: usize) -> Blocks {
        let mut next_line = self.line_of(start, above.clone());
        let mut blocks = Blocks {
            touching: above.end,
            second: above.end,
        };
        let mut reached = Block::None;
        for index in above.rev() {
            let comment = &self.comments[index];
            let gap = comment.lines.end < next_line;
            reached = match (reached, gap) {
                _ if !comment.alone => break,
                (Block::None, false) => Block::Touching,
                (Block::None | Block::Touching, true) => Block::Second,
                (Block::Second, true) => break,
                (same, false) => same,
            };
            if reached == Block::Touching {
                blocks.touching = index;
            }
            blocks.second = index;
            next_line = comment.lines.start;
        }
        blocks
    }

    /// Returns the line of a byte, relative to the line numbers of the comments in `above`.
    fn line_of(&self, at: usize, above: Range<usize>) -> usize {
        let Some(last) = above.last().and_then(|index| self.comments.get(index)) else {
            return 0;
        };
        let between = self.text.get(last.range.end..at).unwrap_or_default();
        last.lines.end - 1 + newlines(between)
    }

    /// Takes the markers of comments on lines of their own, in order, each with the index of its
    /// comment.
    fn take(&mut self, indices: Range<usize>) -> Vec<(usize, RawMarker)> {
        let mut found = Vec::new();
        let mut fenced = false;
        for index in indices {
            let comment = &self.comments[index];
            let kind = comment.kind;
            if !comment.alone || kind == CommentKind::Block {
                continue;
            }
            self.used[index] = true;
            let content = comment.content(&self.text);
            let text = self.text.get(content.clone()).unwrap_or_default();
            if kind == CommentKind::Line {
                fenced = false;
            } else if text.starts_with("```") {
                fenced = !fenced;
            }
            let raw = RawMarker {
                place: self.place(content),
            };
            // In documentation, a plus and a space start a list item.
            if kind == CommentKind::Line {
                let meant = raw.spaced();
                let range = || raw.place.range.clone();
                self.spaced.extend(meant.map(|meant| (range(), meant)));
            }
            if !fenced && is_marker(raw.text()) && !self.is_ignored(&raw) {
                found.push((index, raw));
            }
        }
        found
    }

    /// Takes the markers of a range, regardless of their item.
    pub(super) fn markers_in(&mut self, range: Range<usize>) -> Vec<RawMarker> {
        let indices = self.indices(range);
        self.take(indices).into_iter().map(|(_, raw)| raw).collect()
    }

    /// Marks comments within code as assigned, since their markers have no effect.
    pub(super) fn ignore(&mut self, range: Range<usize>) {
        for index in self.indices(range) {
            self.used[index] = true;
        }
    }

    /// Reports markers in unassigned comments.
    pub(super) fn report_rest(&self, diagnostics: &mut Diagnostics) {
        for (range, meant) in &self.spaced {
            diagnostics.push(
                Diagnostic::error("a marker must not have a space after its `+`")
                    .at(self.place(range.clone()), "not read as a marker")
                    .help(format!("write `// {meant}`")),
            );
        }
        for (comment, _) in self
            .comments
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !**used)
        {
            if comment.kind == CommentKind::Block {
                self.report_block(comment, diagnostics);
                continue;
            }
            let content = comment.content(&self.text);
            if !is_marker(self.text.get(content.clone()).unwrap_or_default()) {
                continue;
            }
            let place = self.place(content);
            diagnostics.push(if comment.alone {
                Diagnostic::error("the marker has no effect here")
                    .at(place, "no type or field follows")
                    .help("put it directly above the type or field that it applies to")
            } else {
                Diagnostic::error("a marker must not follow code on its line")
                    .at(place, "this line also contains code")
                    .help("put it on a line of its own, above the type or field that it applies to")
            });
        }
    }

    /// Reports the markers in a block comment, which are not read, as in Go.
    fn report_block(&self, comment: &Comment, diagnostics: &mut Diagnostics) {
        let mut at = comment.range.start;
        let text = self.text.get(comment.range.clone()).unwrap_or_default();
        for line in text.split_inclusive('\n') {
            let content = line
                .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/' | '!'));
            let start = at + line.len() - content.len();
            let content = content.trim_end().trim_end_matches("*/").trim_end();
            at += line.len();
            let range = start..start + content.len();
            let raw = RawMarker {
                place: self.place(range),
            };
            if is_marker(content) && raw.names_marker() {
                diagnostics.push(
                    Diagnostic::error("a marker must not be in a block comment")
                        .at(raw.place, "markers are read from line comments only")
                        .help(format!("write `// {content}`")),
                );
            }
        }
    }
}

/// The starts of the comment blocks above an item, as indices of comments.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    touching: usize,
    second: usize,
}

/// The block that an upward walk from an item has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    None,
    Touching,
    Second,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::rust::scan::scan;

    #[test]
    fn the_parser_gets_no_words_of_documentation_and_the_same_bytes() {
        let text = "#!/bin/x\n//! Of the é file.\n//! More.\n\n/// One.\n\n  /// Two.\n#[doc = \"x\"]\n/// Three.\r\n///\n//// No.\n/** Four. */\nstruct S; // ///\n";
        let comments = Comments::new(
            "a.rs".into(),
            text.into(),
            scan(text).comments,
            IgnoredMarkers(&[]),
        );
        let base = text.find('\n').unwrap_or_default();
        let parsed = comments.without_docs(base..text.len());
        assert_eq!(parsed.len(), text.len() - base);
        let words: Vec<&str> = parsed.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "//! /// #[doc = \"x\"] /// //// No. /** Four. */ struct S; // ///"
        );
        let docs = |start: &str| {
            comments
                .docs_at(text.find(start).unwrap_or_default())
                .map(<[_]>::len)
        };
        assert_eq!(
            (docs("//! Of"), docs("/// One"), docs("/// Three")),
            (Some(2), Some(2), Some(2))
        );
        assert_eq!(
            (docs("/// Two"), docs("//// No"), docs("/** F")),
            (Some(1), None, None)
        );
    }
}
