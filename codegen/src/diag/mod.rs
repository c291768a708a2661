//! Diagnostics: findings with their place, collected by every stage and rendered in the style of
//! rustc.
//!
//! A stage collects into a [`Diagnostics`] and ends with [`Diagnostics::finish`], so that one run
//! reports every problem.

mod alike;
pub mod codes;
mod render;

pub use render::Style;

use std::{fmt, ops::Range, panic::Location, sync::Arc};

use codes::Code;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it stops generation.
    pub severity: Severity,
    /// The class of an error about input, which `kube-codegen explain` explains.
    pub code: Option<Code>,
    /// The problem, on one line and without a full stop.
    pub message: String,
    /// The places; empty for a finding without a place.
    pub labels: Vec<Label>,
    /// Suggested fixes.
    pub help: Vec<String>,
    /// Facts that explain the finding, such as the schema path.
    pub notes: Vec<String>,
}

/// Whether a finding stops generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Generation stops after this stage.
    Error,
    /// Generation continues.
    Warning,
    /// Informational.
    Note,
}

/// A place with a remark; the first label of a diagnostic is the primary one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// The remark; may be empty.
    pub text: String,
}

/// A range of bytes in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the source.
    pub file: Arc<str>,
    /// The full source, so that rendering needs no other input.
    pub text: Arc<str>,
    /// The byte range in `text`.
    pub range: Range<usize>,
}

impl Place {
    /// Returns another range of the same source.
    #[must_use]
    pub fn at(&self, range: Range<usize>) -> Self {
        Self {
            range,
            ..self.clone()
        }
    }

    /// The source text of the range.
    #[must_use]
    pub fn written(&self) -> &str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    /// Locates `part`, a byte range of `text`, within this place. Returns `None` if the source does
    /// not contain `text` verbatim, for example because of escapes.
    #[must_use]
    pub fn part(&self, text: &str, part: &Range<usize>) -> Option<Self> {
        let start = self.range.start + self.written().find(text)?;
        Some(self.at(start + part.start..start + part.end))
    }
}

impl Diagnostic {
    /// Creates an error without a place. Its code is that of the check which calls this; a helper
    /// that creates errors for several checks is `#[track_caller]`.
    #[track_caller]
    pub fn error(message: impl Into<String>) -> Self {
        let code = Code::of(Location::caller().file());
        Self::new(Severity::Error, code, message)
    }

    /// Names the class of an error that its check finds beside those of its own class.
    #[must_use]
    pub(crate) fn of(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    fn new(severity: Severity, code: Option<Code>, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            labels: Vec::new(),
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Creates a warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, None, message)
    }

    /// Creates a note without a place.
    pub fn note_of(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, None, message)
    }

    /// Adds a place; the first added is the primary one.
    #[must_use]
    pub fn at(mut self, place: Place, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// Adds a suggested fix.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a fact that explains the finding.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
}

impl Diagnostic {
    /// The code to show: a finding that was an error elsewhere, and is a warning here, has none.
    #[must_use]
    pub fn shown_code(&self) -> Option<Code> {
        self.code.filter(|_| self.severity == Severity::Error)
    }
}

/// Findings of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Creates an empty collection.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds the findings of another stage or file.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The findings, in insertion order.
    #[must_use]
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Whether any finding stops generation.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Removes and returns the errors, in insertion order.
    #[must_use]
    pub fn split_errors(&mut self) -> Self {
        let is_error = |found: &mut Diagnostic| found.severity == Severity::Error;
        Self(self.0.extract_if(.., is_error).collect())
    }

    /// Returns `value` if there are no errors, or else the findings, sorted by place.
    ///
    /// # Errors
    ///
    /// The findings, if one is an error.
    pub fn finish<T>(self, value: T) -> Result<T, Self> {
        self.finish_with_warnings(value).map(|(value, _)| value)
    }

    /// Returns `value` with the warnings if there are no errors, or else all findings; both sorted
    /// by place.
    ///
    /// # Errors
    ///
    /// The findings, if one is an error.
    pub fn finish_with_warnings<T>(mut self, value: T) -> Result<(T, Self), Self> {
        self.sort();
        if self.has_errors() {
            Err(self)
        } else {
            Ok((value, self))
        }
    }

    /// Sorts by file, then place, then message, and removes duplicates; findings without a place
    /// come last.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| Self::key(a).cmp(&Self::key(b)));
        self.0.dedup();
    }

    fn key(diagnostic: &Diagnostic) -> (bool, &str, usize, &str) {
        diagnostic
            .labels
            .first()
            .map_or((true, "", 0, diagnostic.message.as_str()), |label| {
                (
                    false,
                    &*label.place.file,
                    label.place.range.start,
                    diagnostic.message.as_str(),
                )
            })
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    /// Formats one line per finding: `file:line:column: error: message`. [`render`](Self::render)
    /// adds codes and source snippets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            if let Some(label) = diagnostic.labels.first() {
                let (line, column) = label.place.line_column();
                write!(f, "{}:{line}:{column}: ", label.place.file)?;
            }
            let word = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            write!(f, "{word}: {}", diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The number of line breaks in a text, counted many bytes at a time: sources have megabytes, and
/// thousands of findings.
pub(crate) fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

impl Place {
    /// The 1-based line and column (in characters) at which the range starts.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        let before = self.text.get(..self.range.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            newlines(before) + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}
