//! Renders diagnostics in the style of rustc, with source snippets.
//!
//! Only a window of the source reaches the renderer: the labelled lines, or the part around the
//! label if a line is long. Time and output therefore stay small for large sources and long lines.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
    renderer::DEFAULT_TERM_WIDTH,
};

use super::{
    Diagnostic, Diagnostics, Label, Place, Severity,
    alike::{Alike, group, places},
    newlines,
};

/// Characters shown before and after a label in a line that is too long to show whole.
const AROUND: usize = 60;

/// The maximum length in bytes of a line shown whole.
const LONG_LINE: usize = 400;

/// The maximum number of characters of a message that are shown.
const LONG_TEXT: usize = 1000;

/// The maximum number of lines between two labels that share a snippet; the renderer folds the
/// lines in between.
const FAR: usize = 200;

/// Whether rendered output contains ANSI colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    Plain,
    /// Colored with ANSI escape sequences, for a terminal.
    Colored,
}

impl Diagnostics {
    /// Renders every finding in the style of rustc: message, place, source lines, help and notes,
    /// followed by a blank line. Of many findings of one kind, only the first are rendered, and the
    /// others are listed by their places.
    ///
    /// Source text cannot break out of its line: control characters are replaced with symbols.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Colored => Renderer::styled(),
        };
        let renderer = renderer.term_width(DEFAULT_TERM_WIDTH);
        let mut text = String::new();
        for Alike { shown, others } in group(&self.0) {
            let last = shown.len() - 1;
            for (index, diagnostic) in shown.into_iter().enumerate() {
                let others = if index == last { &others[..] } else { &[] };
                // Writing into a String cannot fail.
                let _ = writeln!(text, "{}\n", diagnostic.render(others, &renderer));
            }
        }
        text
    }
}

impl Diagnostic {
    /// Renders the finding, followed by the places of others of its kind.
    fn render(&self, others: &[&Self], renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let code = self.shown_code().map(|code| code.to_string());
        let title = level.primary_title(short(&self.message));
        let title = match &code {
            Some(code) => title.id(code.as_str()),
            None => title,
        };
        let mut group = Group::with_title(title);
        for window in windows(&self.labels) {
            if let Some(origin) = window.origin() {
                group = group.element(origin);
            }
            group = group.element(window.snippet());
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(shown(note)));
        }
        for help in &self.help {
            group = group.element(Level::HELP.message(shown(help)));
        }
        if let Some(places) = places(others) {
            group = group.element(Level::NOTE.message(places));
        }
        renderer.render(&[group])
    }
}

/// Sanitizes text that may come from the source: crops it and replaces control characters.
fn shown(text: &str) -> String {
    normalize_untrusted_str(&short(text))
}

/// Returns the text, cropped if it is longer than [`LONG_TEXT`].
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONG_TEXT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A part of a source with its labels.
struct Window<'a> {
    place: &'a Place,
    /// The byte range of the part in the source.
    part: Range<usize>,
    /// The 1-based number of the first line of the part.
    line: usize,
    /// Whether the part starts or ends in the middle of a line.
    cut: bool,
    /// The labels with their kind: primary or context.
    labels: Vec<(&'a Label, AnnotationKind)>,
}

/// Splits labels into windows: labels close to each other in the same source share one.
fn windows(labels: &[Label]) -> Vec<Window<'_>> {
    let mut windows: Vec<Window<'_>> = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let kind = if index == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let near = windows.iter_mut().find(|window| window.reaches(label));
        match near {
            Some(window) => window.add(label, kind),
            None => windows.push(Window::new(label, kind)),
        }
    }
    windows
}

impl<'a> Window<'a> {
    fn new(label: &'a Label, kind: AnnotationKind) -> Self {
        let place = &label.place;
        let range = legal(place);
        let lines = lines_around(&place.text, &range);
        let (part, cut) = crop(&place.text, lines, &range);
        Self {
            place,
            line: newlines(&place.text[..part.start]) + 1,
            part,
            cut,
            labels: vec![(label, kind)],
        }
    }

    fn text(&self) -> &'a str {
        &self.place.text[self.part.clone()]
    }

    /// Whether the label is close enough to share this window.
    fn reaches(&self, label: &Label) -> bool {
        if self.cut || label.place.file != self.place.file {
            return false;
        }
        let other = Window::new(label, AnnotationKind::Context);
        let joined = self.part.start.min(other.part.start)..self.part.end.max(other.part.end);
        let text = &self.place.text[joined];
        !other.cut && newlines(text) <= FAR && text.lines().all(|line| line.len() <= LONG_LINE)
    }

    fn add(&mut self, label: &'a Label, kind: AnnotationKind) {
        let other = Window::new(label, kind);
        self.part = self.part.start.min(other.part.start)..self.part.end.max(other.part.end);
        self.line = self.line.min(other.line);
        self.labels.push((label, kind));
    }

    /// The place as text, for a cropped line in which the renderer cannot count columns.
    fn origin(&self) -> Option<Origin<'a>> {
        self.cut.then(|| {
            let (line, column) = self.place.line_column();
            Origin::path(normalize_untrusted_str(&self.place.file))
                .line(line)
                .char_column(column)
        })
    }

    fn snippet(&self) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let annotations = self.labels.iter().map(|(label, kind)| {
            let range = legal(&label.place);
            let clamp = |at: usize| at.clamp(self.part.start, self.part.end) - self.part.start;
            let text = (!label.text.is_empty()).then(|| shown(&label.text));
            kind.span(clamp(range.start)..clamp(range.end)).label(text)
        });
        let path = (!self.cut).then(|| normalize_untrusted_str(&self.place.file));
        Snippet::source(self.text())
            .line_start(self.line)
            .path(path)
            .annotations(annotations)
    }
}

/// Clamps the label's range to the source and to character boundaries.
fn legal(place: &Place) -> Range<usize> {
    let start = floor(&place.text, place.range.start);
    let end = floor(&place.text, place.range.end.max(start));
    start..end.max(start)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the lines that a range touches, without the final line ending.
fn lines_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |at| range.end + at);
    start..end
}

/// Returns the lines, cropped around the start of `range` if they are too long, and whether they
/// were cropped.
fn crop(text: &str, lines: Range<usize>, range: &Range<usize>) -> (Range<usize>, bool) {
    let shown = &text[lines.clone()];
    let too_long = shown.lines().any(|line| line.len() > LONG_LINE);
    if !too_long && newlines(shown) <= FAR {
        return (lines, false);
    }
    let first_line_end = text[range.start..lines.end]
        .find('\n')
        .map_or(lines.end, |at| range.start + at);
    let start = text[lines.start..range.start]
        .char_indices()
        .rev()
        .nth(AROUND)
        .map_or(lines.start, |(at, _)| lines.start + at);
    let end = text[range.start..first_line_end]
        .char_indices()
        .nth(2 * AROUND)
        .map_or(first_line_end, |(at, _)| range.start + at);
    (start..end, true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn place(text: &str, range: Range<usize>) -> Place {
        Place {
            file: Arc::from("src/types.rs"),
            text: Arc::from(text),
            range,
        }
    }

    fn render(diagnostic: Diagnostic) -> String {
        Diagnostics::from(diagnostic).render(Style::Plain)
    }

    #[test]
    fn a_finding_shows_its_line() {
        let text = "// +genclient:nonNamespacd\nstruct A;\n";
        let diagnostic = Diagnostic::error("unknown marker")
            .at(place(text, 3..26), "no generator knows it")
            .help("did you mean `+genclient:nonNamespaced`?")
            .note("seen while reading");
        insta::assert_snapshot!(render(diagnostic), @r"
        error: unknown marker
         --> src/types.rs:1:4
          |
        1 | // +genclient:nonNamespacd
          |    ^^^^^^^^^^^^^^^^^^^^^^^ no generator knows it
          |
          = note: seen while reading
          = help: did you mean `+genclient:nonNamespaced`?
        ");
    }

    #[test]
    fn two_places_of_one_file_share_a_snippet() {
        let text = "// +optional\n// +required\na: u8,\n";
        let diagnostic = Diagnostic::error("contradiction")
            .at(place(text, 16..25), "this one")
            .at(place(text, 3..12), "and this one");
        insta::assert_snapshot!(render(diagnostic), @r"
        error: contradiction
         --> src/types.rs:2:4
          |
        1 | // +optional
          |    --------- and this one
        2 | // +required
          |    ^^^^^^^^^ this one
        ");
    }

    #[test]
    fn a_long_line_is_cut_around_the_label() {
        let text = format!(
            "first\n{}bad{}\n",
            "a".repeat(1_000_000),
            "b".repeat(1_000_000)
        );
        let start = 6 + 1_000_000;
        let diagnostic = Diagnostic::error("wrong").at(place(&text, start..start + 3), "here");
        let shown = render(diagnostic);
        assert!(shown.len() < 1000, "{}", shown.len());
        assert!(shown.contains("src/types.rs:2:1000001"), "{shown}");
        assert!(shown.contains("bad"), "{shown}");
    }

    #[test]
    fn a_range_outside_of_the_text_does_not_panic() {
        render(Diagnostic::error("wrong").at(place("é", 1..9), "here"));
        let backwards = Range { start: 5, end: 2 };
        render(Diagnostic::error("wrong").at(place("", backwards), ""));
    }

    #[test]
    fn control_characters_stay_in_their_line() {
        let text = "// +a\u{1b}[31m\u{202e}\nstruct A;\n";
        let diagnostic = Diagnostic::error("unknown\nmarker\u{1b}").at(place(text, 3..8), "\u{7}");
        let shown = render(diagnostic);
        assert!(
            !shown.contains('\u{1b}') && !shown.contains('\u{202e}') && !shown.contains('\u{7}'),
            "{shown:?}"
        );
    }
}
