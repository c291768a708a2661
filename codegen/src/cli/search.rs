//! Words in the user's files.

use std::{ops::Range, path::Path};

use crate::operator::controller_test_path;

use super::{
    Failure,
    leftovers::collect,
    operator::{Files, Project},
};

/// Whether tests other than those of a controller use `tests/operator/support.rs`.
pub(super) fn uses_support(
    project: &Project,
    controller: Option<&str>,
    files: &Files,
) -> Result<bool, Failure> {
    let mut paths = Vec::new();
    collect(&project.root, Path::new("tests/operator"), &mut paths);
    let own = controller.map(controller_test_path);
    for path in paths.into_iter().filter(|path| Some(path) != own.as_ref()) {
        let text = files.text(&path)?.unwrap_or_default();
        if has_word(&text, "crate::support") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a string contains this word on its own: `v1alpha1` does not contain `v1`.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// Where a string contains this word on its own.
pub(super) fn words(text: &str, word: &str) -> impl Iterator<Item = Range<usize>> {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    let places = text.match_indices(word);
    let ranges = places.map(|(start, found)| start..start + found.len());
    ranges.filter(move |at| {
        !text[..at.start].ends_with(goes_on) && !text[at.end..].starts_with(goes_on)
    })
}
