//! Advice: what a user still has to write so that generated files are compiled.

use std::{fs, path::Path};

use super::layout::shown;
use crate::{model::names, write::Tree};

/// A line for each of `modules` in the output folder that the file above does not declare.
///
/// Only that file's text is looked at, so that a declaration behind a `cfg` counts as one. (What a version's `mod.rs` lacks is
/// an error, found with the types.)
pub(super) fn missing_modules(
    tree: &Tree,
    root: &Path,
    below: &Path,
    modules: [&str; 2],
) -> Vec<String> {
    let out = root.join(below);
    let files = if below.as_os_str().is_empty() {
        ["lib.rs", "main.rs"]
    } else {
        ["mod.rs", "mod.rs"]
    };
    let parent = files.iter().find_map(|name| {
        let path = out.join(name);
        let text = fs::read_to_string(&path).ok()?;
        Some((shown(&path), text))
    });
    let Some((name, text)) = parent else {
        return Vec::new();
    };
    modules
        .into_iter()
        .filter(|module| {
            let folder = below.join(module);
            tree.keys().any(|path| path.starts_with(&folder)) && !declares(&text, module)
        })
        .map(|module| format!("{name} lacks `pub mod {};`", names::ident(module)))
        .collect()
}

/// What to add to the crate's manifest if the fake clientset is generated and the feature that it is behind is not declared.
pub(super) fn missing_feature(tree: &Tree, root: &Path, generated: &Path) -> Option<String> {
    let fake = generated.join("clientset/fake.rs");
    let path = root.parent()?.join("Cargo.toml");
    let manifest = fs::read_to_string(&path).ok()?;
    let declared = manifest.lines().any(|line| {
        line.trim_start()
            .strip_prefix("fake")
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    let missing = tree.contains_key(&fake) && manifest.contains("[package]") && !declared;
    missing.then(|| {
        format!(
            "{} lacks the feature of the fake clientset: `fake = [\"codegen-runtime/fake\"]`",
            shown(&path)
        )
    })
}

/// Whether a text has `mod <module>`, raw or not, followed by a `;` or a block.
fn declares(text: &str, module: &str) -> bool {
    text.match_indices("mod ").any(|(at, word)| {
        let declared = text[at + word.len()..].trim_start();
        let declared = declared.strip_prefix("r#").unwrap_or(declared);
        declared
            .strip_prefix(module)
            .is_some_and(|rest| rest.trim_start().starts_with([';', '{']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(declares(text, "generated"), expected);
    }

    #[test]
    fn a_declaration_is_seen_in_any_dress() {
        check("pub(crate) mod  generated ;", true);
        check("mod generated {}", true);
        check("mod r#generated;", true);
        check("mod generated_too;", false);
        check("// generated", false);
    }
}
