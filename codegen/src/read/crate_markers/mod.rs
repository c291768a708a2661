//! Markers for rules and webhooks, from files that are not otherwise parsed.
//!
//! Controllers keep these markers next to the code that needs them, so any file of a crate or Go
//! package may contain some. No syntax tree is built: a lexer that distinguishes comments from
//! string literals is enough. Start reading at [`read`].

mod go;
pub(crate) mod owners;

use std::{ops::Range, sync::Arc};

use super::{
    markers::{self, IgnoredMarkers, MarkerDef, MarkerSet, RawMarker, is_marker},
    rust,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    options::Compat,
    source::Source,
    suggest,
};

/// Strings at least one of which occurs in every file with rules or webhooks.
const BEGINNINGS: [&str; 2] = ["+kubebuilder:rbac", "+kubebuilder:webhook"];

/// Whether a file may contain a rule or a webhook, or code that needs a rule; a file that does not
/// can be skipped.
#[must_use]
pub fn may_hold(text: &str) -> bool {
    has_marker(text) || owners::may_hold(text)
}

fn has_marker(text: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| text.contains(beginning))
}

/// A line of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// The byte range, without the comment delimiters and surrounding spaces.
    range: Range<usize>,
    attachment: Attachment,
}

/// The position of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attachment {
    /// On a line of its own, where both generators read markers.
    Free,
    /// On a line of its own, within or directly above a declaration: controller-gen ignores rules
    /// there.
    Attached,
    /// After code on the same line.
    BehindCode,
    /// In `/* */`.
    Block,
}

impl Attachment {
    /// The position in words.
    const fn words(self) -> &'static str {
        match self {
            Self::Free => "on a line of its own",
            Self::Attached => "within a declaration, or directly above one",
            Self::BehindCode => "behind code",
            Self::Block => "in a block comment",
        }
    }
}

/// Returns the rule and webhook markers of the files, in order.
#[must_use]
pub fn read<'a>(
    files: impl IntoIterator<Item = &'a Source>,
    ignored: IgnoredMarkers<'_>,
    compat: Compat,
    diagnostics: &mut Diagnostics,
) -> MarkerSet {
    let mut found = MarkerSet::default();
    for file in files.into_iter().filter(|file| has_marker(&file.text)) {
        let is_go = file.name.ends_with(".go");
        let lines = if is_go {
            go::lines(&file.text)
        } else {
            rust_lines(&file.text)
        };
        let name: Arc<str> = Arc::from(file.name.as_str());
        let reader = Reader {
            ignored,
            compat,
            is_go,
        };
        for line in lines {
            let raw = RawMarker {
                place: Place {
                    file: Arc::clone(&name),
                    text: Arc::clone(&file.text),
                    range: line.range,
                },
            };
            match reader.marker(&raw, line.attachment, diagnostics) {
                Ok(marker) => found.0.extend(marker),
                Err(error) => diagnostics.push(error),
            }
        }
    }
    found
}

/// The settings that decide how a file's markers are read.
struct Reader<'a> {
    ignored: IgnoredMarkers<'a>,
    compat: Compat,
    is_go: bool,
}

impl Reader<'_> {
    /// Parses the marker on a line. Returns `None` if the line has no marker, or one that another
    /// reader handles.
    fn marker(
        &self,
        raw: &RawMarker,
        attachment: Attachment,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<markers::Marker>, Diagnostic> {
        let text = raw.text();
        if !is_marker(text) || self.ignored.contains(raw) {
            return Ok(None);
        }
        let is_meant = BEGINNINGS
            .iter()
            .any(|beginning| text.starts_with(beginning));
        if !is_meant && (self.is_go || !is_near(raw)) {
            return Ok(None);
        }
        match (attachment, self.compat.is_strict()) {
            (Attachment::Free, _) | (Attachment::Attached, true) => {}
            (lost, false) => {
                diagnostics.push(
                    Diagnostic::warning("controller-gen does not read this marker")
                        .at(raw.place.clone(), lost.words())
                        .help("put it on a line of its own, apart from declarations"),
                );
                return Ok(None);
            }
            (Attachment::BehindCode, true) => {
                return Err(
                    Diagnostic::error("a marker must not follow code on its line")
                        .at(raw.place.clone(), "this line also contains code")
                        .help("put it on a line of its own"),
                );
            }
            (Attachment::Block, true) => {
                return Err(Diagnostic::error("a marker must not be in a block comment")
                    .at(
                        raw.place.clone(),
                        "markers are read from line comments only",
                    )
                    .help(format!("write `// {text}`")));
            }
        }
        let marker = raw.parse_as(self.compat)?;
        Ok(marker.def.stands_anywhere().then_some(marker))
    }
}

/// Whether an unknown marker is probably a misspelled rule or webhook marker.
fn is_near(raw: &RawMarker) -> bool {
    let name = raw.written_name();
    let outer = name.rsplit_once(':').map_or(name, |(outer, _)| outer);
    if !name.starts_with("kubebuilder:") || markers::find(name).or(markers::find(outer)).is_some() {
        return false;
    }
    let anywhere = |def: &&MarkerDef| def.stands_anywhere();
    let names = || markers::REGISTRY.iter().map(|def| def.name);
    [name, outer].into_iter().any(|name| {
        let near = suggest::closest(name, names()).and_then(markers::find);
        near.as_ref().is_some_and(anywhere)
    })
}

/// Returns the comment lines of a Rust file, without code examples in documentation.
fn rust_lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for comment in rust::comments(text) {
        if comment.is_block {
            lines.extend(block_lines(text, comment.range));
            continue;
        }
        let content = text.get(comment.range.clone()).unwrap_or_default();
        if !comment.is_doc {
            fenced = false;
        } else if content.starts_with("```") {
            fenced = !fenced;
        }
        if !fenced {
            lines.push(Line {
                range: comment.range,
                attachment: if comment.alone {
                    Attachment::Free
                } else {
                    Attachment::BehindCode
                },
            });
        }
    }
    lines
}

/// Returns the lines of a block comment, without leading asterisks.
fn block_lines(text: &str, range: Range<usize>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = range.start;
    for line in text.get(range).unwrap_or_default().split_inclusive('\n') {
        let content =
            line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/' | '!'));
        let start = at + line.len() - content.len();
        let content = content.trim_end().trim_end_matches("*/").trim_end();
        at += line.len();
        lines.push(Line {
            range: start..start + content.len(),
            attachment: Attachment::Block,
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the markers in a file, or the errors.
    fn found(name: &str, text: &str, compat: Compat) -> Result<Vec<String>, String> {
        let mut diagnostics = Diagnostics::new();
        let file = Source::new(name, text);
        let set = read([&file], IgnoredMarkers(&[]), compat, &mut diagnostics);
        let texts = set
            .0
            .iter()
            .map(|marker| marker.place.text[marker.place.range.clone()].to_owned());
        let texts = texts.collect();
        diagnostics
            .finish(texts)
            .map_err(|errors| errors.to_string())
    }

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        let found = found(name, text, Compat::Strict).expect("no error");
        assert_eq!(found, expected, "{text}");
    }

    const A: &str = "+kubebuilder:rbac:urls=/a,verbs=get";

    #[test]
    fn a_rule_stands_anywhere_in_rust() {
        rows![check:
            ("a.rs", &format!("// {A}\nfn a() {{\n    // {A}\n}}\n"), &[A, A]),
            ("a.rs", &format!("/// {A}\nstruct A;"), &[A]),
            ("a.rs", &format!("const A: &str = \"// {A}\";"), &[]),
            ("a.rs", &format!("const A: &str = r#\"\n// {A}\n\"#;"), &[]),
            ("a.rs", &format!("/// ```\n/// {A}\n/// ```\nstruct A;"), &[]),
            ("a.rs", &format!("// see `{A}`\n"), &[]),
        ];
    }

    #[test]
    fn markers_about_types_are_left_alone() {
        check(
            "a.rs",
            &format!("// {A}\n// +kubebuilder:object:root=true\n// +other:thing\nstruct A;"),
            &[A],
        );
    }

    #[test]
    fn a_rule_stands_anywhere_in_go() {
        let text = format!(
            "package a\n\n// {A}\n\nimport \"fmt\"\n\n// {A}\nfunc A() {{\n\t// {A}\n\tfmt.Print(`\n// {A}\n`, \"// {A}\", '\"')\n}}\n"
        );
        check("a.go", &text, &[A, A, A]);
        // controller-gen does not see markers within a function or directly above one.
        let compat = found("a.go", &text, Compat::ControllerGen);
        assert_eq!(compat, Ok(vec![A.to_owned()]));
        let text = format!(
            "// {A}\npackage a\n\n// {A}\n\n// About A.\ntype A struct {{\n\t// {A}\n\tB int // {A}\n}}\n\n// {A}\nconst C = 1\n/*\n{A}\n*/\n"
        );
        let compat = found("a.go", &text, Compat::ControllerGen);
        assert_eq!(compat, Ok(vec![A.to_owned(), A.to_owned()]));
    }

    #[test]
    fn an_argument_that_is_given_twice_is_an_error_here_and_the_last_one_there() {
        let text = "// +kubebuilder:rbac:urls=/a,verbs=get,urls=/b\n";
        let error = found("a.rs", text, Compat::Strict).expect_err("no error");
        assert_eq!(error, "a.rs:1:40: error: `urls` is given twice");
        let file = Source::new("a.rs", text);
        let compat = Compat::ControllerGen;
        let set = read(
            [&file],
            IgnoredMarkers(&[]),
            compat,
            &mut Diagnostics::new(),
        );
        let rule = set.get::<markers::rbac::Rbac>().expect("a rule");
        assert_eq!(rule.urls.as_ref().expect("URLs").value, ["/b"]);
    }

    #[test]
    fn a_marker_that_would_be_lost_is_an_error() {
        let errors =
            |name: &str, text: &str| found(name, text, Compat::Strict).expect_err("no error");
        assert_eq!(
            errors("a.rs", &format!("fn a() {{}} // {A}")),
            "a.rs:1:14: error: a marker must not follow code on its line"
        );
        assert_eq!(
            errors("a.go", &format!("package a\n/* {A} */")),
            "a.go:2:4: error: a marker must not be in a block comment"
        );
        assert_eq!(
            errors(
                "a.rs",
                &format!("// {A}\n// +kubebuilder:rbc:urls=/a,verbs=get")
            ),
            "a.rs:2:4: error: unknown marker `+kubebuilder:rbc:urls`"
        );
        assert_eq!(
            errors("a.go", "package a\n// +kubebuilder:rbac:url=/a,verbs=get"),
            "a.go:2:22: error: unknown argument `url` of `+kubebuilder:rbac`"
        );
    }
}
