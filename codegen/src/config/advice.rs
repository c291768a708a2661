//! Advice: the `mod` lines that a user still has to write so that generated files are compiled.

use std::{collections::BTreeMap, fs, path::Path};

use super::layout::shown;
use crate::{source::Sources, write::Tree};

/// A line for each file that declares not all of the generated modules beside it.
///
/// Files that are generated themselves are right by construction; of a user's only the text is looked at, so that a
/// declaration behind a `cfg` counts as one.
pub(super) fn missing_modules(
    tree: &Tree,
    sources: &Sources,
    root: &Path,
    below: &Path,
    modules: [&str; 2],
) -> Vec<String> {
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &sources.rust {
        let Some(file) = package
            .files
            .iter()
            .find(|file| file.name.ends_with("/mod.rs"))
        else {
            continue;
        };
        for path in tree
            .keys()
            .filter(|path| path.parent() == Some(&package.dir))
        {
            let Some(module) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            if !declares(&file.text, module) {
                let visibility = if module.ends_with("register") {
                    "pub "
                } else {
                    ""
                };
                let lines = missing.entry(file.name.clone()).or_default();
                lines.push(format!("{visibility}mod {module};"));
            }
        }
    }
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
    if let Some((name, text)) = parent {
        for module in modules {
            let folder = below.join(module);
            if tree.keys().any(|path| path.starts_with(&folder)) && !declares(&text, module) {
                let lines = missing.entry(name.clone()).or_default();
                lines.push(format!("pub mod {module};"));
            }
        }
    }
    missing
        .into_iter()
        .map(|(file, lines)| format!("{file} lacks `{}`", lines.join("` and `")))
        .collect()
}

/// Whether a text has `mod <module>` followed by a `;` or a block.
fn declares(text: &str, module: &str) -> bool {
    text.match_indices("mod ").any(|(at, word)| {
        text[at + word.len()..]
            .trim_start()
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
        check("mod generated_too;", false);
        check("// generated", false);
    }
}
