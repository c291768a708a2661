//! Advice: what a user still has to write so that generated files are compiled.

use std::{fs, path::Path};

use super::layout::shown;
use crate::{
    model::{Group, names},
    write::Tree,
};

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

/// What to add to the crate's manifest: a line for each feature that generated code is behind and that it does not declare.
pub(super) fn missing_features(
    tree: &Tree,
    root: &Path,
    generated: &Path,
    groups: &[Group],
) -> Vec<String> {
    let Some(path) = root.parent().map(|folder| folder.join("Cargo.toml")) else {
        return Vec::new();
    };
    let manifest = fs::read_to_string(&path).unwrap_or_default();
    let fake = tree.contains_key(&generated.join("clientset/fake.rs"));
    let fake = fake.then_some(("fake", "the fake clientset", "\"codegen-runtime/fake\""));
    let groups = groups.iter();
    let groups = groups.map(|group| (group.module.as_str(), group.name.as_str(), ""));
    groups
        .chain(fake)
        .filter(|(feature, ..)| lacks_feature(&manifest, feature))
        .map(|(feature, what, enables)| {
            let manifest = shown(&path);
            format!("{manifest} lacks the feature of {what}: `{feature} = [{enables}]`")
        })
        .collect()
}

/// Whether a text is the manifest of a package that does not declare a feature.
fn lacks_feature(manifest: &str, feature: &str) -> bool {
    let manifest = manifest.parse::<toml::Table>().unwrap_or_default();
    let features = manifest.get("features").and_then(toml::Value::as_table);
    manifest.contains_key("package")
        && !features.is_some_and(|features| features.contains_key(feature))
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

    #[test]
    fn a_feature_is_seen_however_it_is_written() {
        let check = |manifest: &str, lacks: bool| {
            let manifest = format!("{manifest}\n[package]\nname = \"a\"\n");
            assert_eq!(lacks_feature(&manifest, "fake"), lacks, "{manifest}");
        };
        check("[features]\nfake = []", false);
        check("[features]\n\"fake\" = []", false);
        check("features.fake = []", false);
        check("features = { fake = [] }", false);
        check("[features]\nfakes = []\n[dependencies]\nfake = \"1\"", true);
        check("", true);
        assert!(!lacks_feature("[workspace]\n", "fake"));
    }
}
