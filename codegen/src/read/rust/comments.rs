//! Which comment belongs to what: the rules of Go's marker collectors, for Rust's syntax.
//!
//! The comments above an item, field or variant form blocks, parted by blank lines. To it belong the block that touches it,
//! the block above that one, every `///` line (as for rustdoc), and what stands between its attributes. In `mod.rs`, what
//! stands above the first item belongs to the package, save for a block that touches a type. A marker that belongs to
//! nothing is an error.

use std::{iter, ops::Range, sync::Arc};

use super::scan::{Comment, CommentKind};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::markers::{IgnoredMarkers, RawMarker, is_marker},
};

/// The comments of one file, and which of them have been given away.
#[derive(Clone, Debug)]
pub(super) struct Comments {
    name: Arc<str>,
    text: Arc<str>,
    comments: Vec<Comment>,
    used: Vec<bool>,
    /// The markers among those given away that a space after the `+` hides, without that space.
    spaced: Vec<(Range<usize>, String)>,
    /// The markers of other tools.
    ignored: Vec<String>,
}

/// The markers above an item.
#[derive(Debug, Default)]
pub(super) struct Lead {
    /// Those that touch the item or stand in its documentation.
    pub(super) own: Vec<RawMarker>,
    /// Those of the block above that.
    pub(super) apart: Vec<RawMarker>,
    /// Those too far above.
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

    /// Whether a marker is another tool's.
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

    /// The first byte at or after `at` that is neither space nor comment.
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

    /// The `///` or `//!` lines that start at a byte and follow one another.
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

    /// Whether a comment is one more line of the documentation that the comment before it is.
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

    /// The words of a comment, or any other part of the text.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// A part of the text as the parser gets it: documentation keeps the slashes of its first line and loses everything else. It is
    /// most of a file of types, and the parser takes it apart several times. Every other byte stays where it is.
    pub(super) fn without_docs(&self, part: Range<usize>) -> String {
        let mut parsed = String::with_capacity(part.len());
        let mut done = part.start;
        let indices = self.indices(part.clone());
        for (index, comment) in indices.clone().zip(&self.comments[indices]) {
            let Some(mut words) = comment.words() else {
                continue;
            };
            // The parser refuses carriage returns here, and names their place.
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
            // Ends the line of the slashes.
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

    /// The markers above what starts after `from`, with its name at `name_at`.
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

    /// Finds the two blocks that belong to what starts at `start`.
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

    /// The line of a byte, counted on from the last of the given comments.
    fn line_of(&self, at: usize, above: Range<usize>) -> usize {
        let Some(last) = above.last().and_then(|index| self.comments.get(index)) else {
            return 0;
        };
        let between = self.text.get(last.range.end..at).unwrap_or_default();
        last.lines.end - 1 + between.matches('\n').count()
    }

    /// Takes the markers of the comments that stand alone, in order, each with the index of its comment.
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
            // In documentation a plus and a space start an item of a list.
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

    /// Gives away the comments inside of code, which mark nothing.
    pub(super) fn ignore(&mut self, range: Range<usize>) {
        for index in self.indices(range) {
            self.used[index] = true;
        }
    }

    /// Reports the markers of comments that belong to no item.
    pub(super) fn report_rest(&self, diagnostics: &mut Diagnostics) {
        for (range, meant) in &self.spaced {
            diagnostics.push(
                Diagnostic::error("a marker has no space after its `+`")
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
                Diagnostic::error("the marker marks nothing")
                    .at(place, "nothing follows that it could belong to")
                    .help("a marker stands right above the type or field that it marks")
            } else {
                Diagnostic::error("a marker stands behind code")
                    .at(place, "on the line of something else")
                    .help("put it on a line of its own, above what it marks")
            });
        }
    }

    /// Block comments hold no markers, as in Go; one that looks like a marker gets a warning.
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
                    Diagnostic::error("a marker stands in a block comment")
                        .at(raw.place, "not read there")
                        .help(format!("write `// {content}`")),
                );
            }
        }
    }
}

/// Where the blocks of comments above an item start, as indices of comments.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    touching: usize,
    second: usize,
}

/// The block of comments that a walk upwards from an item has reached.
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
