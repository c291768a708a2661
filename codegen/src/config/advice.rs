//! Advice: declarations and features that users still have to add so that generated files are compiled.

use std::path::Path;

use super::{disk::Disk, layout::shown, target::Target};
use crate::{
    emit::features::{self, CodeFeature},
    generator::Generator,
    model::{ApiSet, names},
    options::Options,
    output::Tree,
};

/// One line for each module declaration and Cargo feature that the crate around a generated tree lacks.
pub(super) fn missing(
    tree: &Tree,
    target: &Target,
    options: &Options,
    api: &ApiSet,
    disk: &Disk,
) -> Vec<String> {
    let modules = ["apis", &options.generated];
    let mut advice = missing_modules(tree, &target.root, &target.below, modules, disk);
    let features = missing_features(
        tree,
        &target.root,
        &target.generated(options),
        features::of_api(api, options),
        disk,
    );
    advice.extend(features);
    advice
}

/// One line for each of `modules` in the output folder that its parent module's file does not declare.
///
/// Only the contents of that file are searched, so that a declaration behind a `cfg` counts. (A declaration that a version's
/// `mod.rs` lacks is an error, reported with the types.)
fn missing_modules(
    tree: &Tree,
    root: &Path,
    below: &Path,
    modules: [&str; 2],
    disk: &Disk,
) -> Vec<String> {
    let out = root.join(below);
    let files = if below.as_os_str().is_empty() {
        ["lib.rs", "main.rs"]
    } else {
        ["mod.rs", "mod.rs"]
    };
    let parent = files.iter().find_map(|name| {
        let path = out.join(name);
        let text = String::from_utf8(disk.bytes(&path).ok()?).ok()?;
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

/// Additions to the crate's manifest: one line for each undeclared feature that gates generated code.
fn missing_features(
    tree: &Tree,
    root: &Path,
    generated: &Path,
    of_api: Vec<CodeFeature>,
    disk: &Disk,
) -> Vec<String> {
    let Some(path) = root.parent().map(|folder| folder.join("Cargo.toml")) else {
        return Vec::new();
    };
    let manifest = disk.bytes(&path).ok();
    let manifest = manifest.and_then(|text| String::from_utf8(text).ok());
    let manifest = manifest.unwrap_or_default();
    let generators = Generator::ALL.into_iter();
    let features = generators.filter_map(|generator| {
        let feature = generator.definition().feature?;
        let mut files = tree.keys();
        let emits = files.any(|path| Generator::of(path, generated) == Some(generator));
        emits.then(|| CodeFeature {
            name: feature.name.to_owned(),
            what: feature.what.to_owned(),
            enables: vec![feature.enables.to_owned()],
            chosen: true,
        })
    });
    of_api
        .into_iter()
        .chain(features)
        .filter(|feature| lacks_feature(&manifest, &feature.name))
        .map(|feature| {
            let CodeFeature {
                name: feature,
                what,
                enables,
                ..
            } = feature;
            let enables: Vec<String> = enables.iter().map(|one| format!("{one:?}")).collect();
            let enables = enables.join(", ");
            let manifest = shown(&path);
            format!("{manifest} lacks the feature for {what}: `{feature} = [{enables}]`")
        })
        .collect()
}

/// Whether the file contents are the manifest of a package that does not declare the feature.
fn lacks_feature(manifest: &str, feature: &str) -> bool {
    let manifest = manifest.parse::<toml::Table>().unwrap_or_default();
    let features = manifest.get("features").and_then(toml::Value::as_table);
    manifest.contains_key("package")
        && !features.is_some_and(|features| features.contains_key(feature))
}

/// Whether the source declares `mod <module>`, raw or not, followed by a `;` or a block.
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
