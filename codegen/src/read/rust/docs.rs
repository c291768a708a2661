//! Documentation: the text of doc comments and doc attributes, without marker lines.

use std::{borrow::Cow, ops::Range};

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::comments::Comments;
use crate::read::markers::{RawMarker, is_marker};

/// Returns the documentation as plain text, and the markers in `#[doc = "…"]` attributes, which are
/// not comments.
pub(super) fn read(
    attributes: &[Attribute],
    comments: &Comments,
    base: usize,
) -> (String, Vec<RawMarker>) {
    let mut lines: Vec<String> = Vec::new();
    let mut hidden = Vec::new();
    let mut fenced = false;
    for attribute in attributes {
        let Some((values, range)) = doc(attribute, comments, base) else {
            continue;
        };
        let is_attribute = comments.slice(range.clone()).starts_with('#');
        for line in values.iter().flat_map(|value| value.split('\n')) {
            let content = line.trim();
            if content.starts_with("```") {
                fenced = !fenced;
            }
            if fenced || !is_marker(content) {
                lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
            } else if is_attribute {
                hidden.extend(in_attribute(content, range.clone(), comments));
            }
        }
    }
    let first = lines.iter().position(|line| !line.is_empty());
    let last = lines.iter().rposition(|line| !line.is_empty());
    let text = match (first, last) {
        (Some(first), Some(last)) => lines[first..=last].join("\n"),
        _ => String::new(),
    };
    (text, hidden)
}

/// Returns the text of consecutive doc comments, or of a doc attribute, and the place of the whole.
fn doc<'a>(
    attribute: &Attribute,
    comments: &'a Comments,
    base: usize,
) -> Option<(Vec<Cow<'a, str>>, Range<usize>)> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    if !meta.path.is_ident("doc") {
        return None;
    }
    let range = place(attribute, comments, base);
    if let Some(docs) = comments.docs_at(range.start) {
        let words = docs.iter().filter_map(|comment| comment.words());
        return Some((
            words.map(|words| comments.slice(words).into()).collect(),
            range,
        ));
    }
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &meta.value
    else {
        return None;
    };
    Some((vec![text.value().into()], range))
}

/// Whether it is a doc attribute whose text only the compiler knows, such as
/// `#[doc = include_str!("a.md")]`.
pub(super) fn is_computed(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::NameValue(meta) => meta.path.is_ident("doc") && matches!(meta.value, Expr::Macro(_)),
        _ => false,
    }
}

/// Returns the byte range of an attribute, or of consecutive doc comments.
pub(super) fn place(attribute: &Attribute, comments: &Comments, base: usize) -> Range<usize> {
    let start = attribute.pound_token.span.byte_range().start + base;
    match comments.docs_at(start) {
        Some([first, .., last]) => first.range.start..last.range.end,
        Some([only]) => only.range.clone(),
        _ => start..attribute.bracket_token.span.close().byte_range().end + base,
    }
}

/// Returns the place of a marker in an attribute, or of the attribute itself if escapes hide the
/// marker.
fn in_attribute(marker: &str, range: Range<usize>, comments: &Comments) -> Option<RawMarker> {
    let source = comments.text().get(range.clone())?;
    let start = range.start + source.find(marker)?;
    let raw = RawMarker {
        place: comments.place(start..start + marker.len()),
    };
    (!comments.is_ignored(&raw)).then_some(raw)
}
