//! Words in the user's files.

use std::path::{Path, PathBuf};

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
    let own = controller.map(|name| PathBuf::from(format!("tests/operator/{name}.rs")));
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
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(goes_on) && !after.starts_with(goes_on)
    })
}
