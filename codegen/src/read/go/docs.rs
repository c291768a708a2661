//! Documentation: the text of a comment group, as returned by Go's `CommentGroup.Text`, without
//! markers.

use super::scan::Comment;

/// Returns the text without marker lines, directives and surrounding blank lines; runs of blank
/// lines collapse to one. As in controller-gen, lines next to a `/*…*/` comment have no leading
/// white space.
pub(super) fn text(comments: &[Comment], source: &str) -> String {
    let mut text = String::new();
    let mut blank = false;
    let raw = |comment: &Comment| source.get(comment.range()).unwrap_or_default();
    let trims = comments
        .iter()
        .any(|comment| raw(comment).starts_with("/*"));
    let mut push = |line: &str| {
        push(
            &mut text,
            &mut blank,
            if trims { line.trim_start() } else { line },
        )
    };
    for comment in comments {
        let raw = raw(comment);
        if let Some(inner) = raw.strip_prefix("/*") {
            let inner = inner.strip_suffix("*/").unwrap_or(inner);
            for line in inner.split('\n') {
                push(line);
            }
            continue;
        }
        let line = raw.strip_prefix("//").unwrap_or(raw);
        if line.trim_start().starts_with('+') {
            continue;
        }
        match line.strip_prefix(' ') {
            Some(line) => push(line),
            None if is_directive(line) => {}
            None => push(line),
        }
    }
    text
}

fn push(text: &mut String, blank: &mut bool, line: &str) {
    let line = line.trim_end_matches([' ', '\t', '\r', '\n']);
    if line.is_empty() {
        *blank = true;
        return;
    }
    if !text.is_empty() {
        text.push_str(if *blank { "\n\n" } else { "\n" });
    }
    *blank = false;
    text.push_str(line);
}

/// Whether a comment, without its slashes, is a directive to a tool: `nolint:…`, `go:generate …`,
/// `line …`.
fn is_directive(text: &str) -> bool {
    if ["line ", "extern ", "export "]
        .iter()
        .any(|word| text.starts_with(word))
    {
        return true;
    }
    let is_name = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.split_once(':').is_some_and(|(tool, rest)| {
        let next = rest.get(..1).unwrap_or_default();
        !tool.is_empty() && is_name(tool) && !next.is_empty() && is_name(next)
    })
}

#[cfg(test)]
mod tests {
    use crate::read::go::parse::parse;

    #[track_caller]
    fn check(comment: &str, expected: &str) {
        let source = format!("package a\n\n{comment}\ntype A string\n");
        let file = parse(&source).expect("Go");
        let doc = file.types[0]
            .doc
            .map(|doc| super::text(file.comments_of(&file.groups[doc]), &source));
        assert_eq!(doc.as_deref(), Some(expected), "{comment}");
    }

    #[test]
    fn the_text_is_that_of_go() {
        check("// A is a.", "A is a.");
        check("//A\n//  indented  \n//\ttab", "A\n indented\n\ttab");
        check("//\n// a\n//\n//\n// b\n//", "a\n\nb");
        check("/* A is\n   a.\n*/", "A is\na.");
        check("/**\n * a\n */", "*\n* a");
        check("// a\r", "a");
    }

    #[test]
    fn markers_and_directives_are_left_out() {
        check("// a\n// +optional\n// b", "a\nb");
        check("// a\n//+kubebuilder:object:root=true\n//nolint:all", "a");
        check("//go:generate x\n// a", "a");
        check("// nolint:all\n// a", "nolint:all\na");
        check("//nolint // a", "nolint // a");
        check("// + a list\n// b", "b");
    }
}
