//! Rendering in the style of rustc, with the lines in question.
//!
//! Only a window of the source goes to the renderer: the lines of the labels, and of a long line the part around the label.
//! So a source of any size and a line of any length cost little and print little.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
    renderer::DEFAULT_TERM_WIDTH,
};

use super::{Diagnostic, Diagnostics, Label, Place, Severity};

/// Characters of a line that are shown before and after a label, if the line is longer than it is shown.
const AROUND: usize = 60;

/// Bytes of a line that may be shown whole.
const LONG_LINE: usize = 400;

/// Characters of a message that are shown.
const LONG_TEXT: usize = 1000;

/// Lines between two labels that may be shown in one snippet; the renderer folds those in between.
const FAR: usize = 200;

/// Whether rendered text carries ANSI colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// Text with ANSI escape sequences, for a terminal.
    Colored,
}

impl Diagnostics {
    /// Renders every finding as rustc would: message, place, the lines in question, help and notes; a blank line after each.
    ///
    /// Text of the source cannot break out of its line: control characters are shown as symbols.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Colored => Renderer::styled(),
        };
        let renderer = renderer.term_width(DEFAULT_TERM_WIDTH);
        let mut text = String::new();
        for diagnostic in &self.0 {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}\n", diagnostic.render(&renderer));
        }
        text
    }
}

impl Diagnostic {
    fn render(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(short(&self.message));
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
        renderer.render(&[group])
    }
}

/// Text that may come from the source: cropped, and without control characters.
fn shown(text: &str) -> String {
    normalize_untrusted_str(&short(text))
}

/// The text, or its start if it is very long.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONG_TEXT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A part of a source with the labels in it.
struct Window<'a> {
    place: &'a Place,
    /// The part's bytes in the source.
    part: Range<usize>,
    /// The line on which the part starts, from 1.
    line: usize,
    /// Whether the part starts or ends within a line.
    cut: bool,
    /// The labels, each with whether it is the diagnostic's primary one.
    labels: Vec<(&'a Label, AnnotationKind)>,
}

/// The parts to show: labels of one source that are near each other share one.
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

    /// Whether a label is near enough to stand in this window too.
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

    /// The place in words, where the renderer cannot count columns because the line is cut.
    fn origin(&self) -> Option<Origin<'a>> {
        let (line, column) = self.place.line_column();
        self.cut.then(|| {
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

/// The label's range, within the text and between characters.
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

/// The lines that a range touches, without the last line's end.
fn lines_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |at| range.end + at);
    start..end
}

/// The lines, or the part around the label's start if they are too long; and whether they were cut.
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

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
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
