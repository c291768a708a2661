//! Documentation: the text of doc comments and doc attributes, without the markers among its lines.

use std::ops::Range;

use syn::{Attribute, Expr, ExprLit, Lit, Meta, spanned::Spanned};

use super::comments::Comments;
use crate::read::markers::{RawMarker, is_marker};

/// The documentation as plain text, and the markers in `#[doc = "…"]` attributes, which are not comments.
pub(super) fn read(
    attributes: &[Attribute],
    comments: &Comments,
    base: usize,
) -> (String, Vec<RawMarker>) {
    let mut lines: Vec<String> = Vec::new();
    let mut hidden = Vec::new();
    let mut fenced = false;
    for attribute in attributes {
        let Some((value, range)) = doc(attribute, base) else {
            continue;
        };
        let is_attribute = comments.text().as_bytes().get(range.start) == Some(&b'#');
        for line in value.split('\n') {
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

/// The text of a doc comment or doc attribute, and the place of the whole.
fn doc(attribute: &Attribute, base: usize) -> Option<(String, Range<usize>)> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &meta.value
    else {
        return None;
    };
    let range = attribute.span().byte_range();
    meta.path
        .is_ident("doc")
        .then(|| (text.value(), range.start + base..range.end + base))
}

/// The marker's place in the attribute, or the attribute itself where escapes hide the text.
fn in_attribute(marker: &str, range: Range<usize>, comments: &Comments) -> Option<RawMarker> {
    let source = comments.text().get(range.clone())?;
    let start = range.start + source.find(marker)?;
    let raw = RawMarker {
        place: comments.place(start..start + marker.len()),
    };
    (!comments.is_ignored(&raw)).then_some(raw)
}
