//! Advice: declarations, dependencies and features that users still have to add so that generated
//! files are compiled.

use std::path::{Path, PathBuf};

use super::{disk::Disk, layout::shown, target::Target};
use crate::{
    emit::features::{self, CodeFeature},
    generator::Generator,
    model::{ApiSet, names},
    options::Options,
    output::Tree,
};

/// What the crate around a generated tree lacks.
pub(super) struct Missing {
    /// One line for each module declaration, dependency and Cargo feature.
    pub(super) advice: Vec<String>,
    /// The features that gate generated code and that the crate does not declare.
    pub(super) features: Vec<String>,
}

/// Finds what the crate around a generated tree lacks; `manifest` is the crate's, if it is known.
pub(super) fn missing(
    (tree, target): (&Tree, &Target),
    manifest: Option<&Path>,
    options: &Options,
    api: &ApiSet,
    disk: &Disk,
) -> Missing {
    let modules = ["apis", &options.generated];
    let mut advice = missing_modules(tree, &target.root, &target.below, modules, disk);
    let Some(manifest) = manifest else {
        let features = Vec::new();
        return Missing { advice, features };
    };
    let generated = target.generated(options);
    let lacking = missing_features(
        tree,
        manifest,
        &generated,
        features::of_api(api, options),
        disk,
    );
    advice.extend(missing_dependencies(tree, manifest, disk));
    advice.extend(lacking.iter().map(|feature| declaration(feature, manifest)));
    let features = lacking.into_iter().map(|feature| feature.name).collect();
    Missing { advice, features }
}

/// One line for each of `modules` in the output folder that its parent module's file does not
/// declare, and for each module around the folder that is not declared itself.
///
/// Only the contents of files are searched, so that a declaration behind a `cfg` counts. (A
/// declaration that a version's `mod.rs` lacks is an error, reported with the types.)
fn missing_modules(
    tree: &Tree,
    root: &Path,
    below: &Path,
    modules: [&str; 2],
    disk: &Disk,
) -> Vec<String> {
    let around = Around::of(root, below, disk);
    let written = modules.into_iter().filter(|module| {
        let folder = below.join(module);
        tree.keys().any(|path| path.starts_with(&folder))
    });
    let lines = |modules: &[&str]| {
        let lines = modules.iter().map(|module| names::ident(module));
        lines.map(|module| format!("`pub mod {module};`")).collect()
    };
    if let Some((name, text)) = &around.file {
        let missing = written.filter(|module| !declares(text, module));
        let missing: Vec<String> = lines(&missing.collect::<Vec<_>>());
        let missing = missing.iter().map(|line| format!("{name} lacks {line}"));
        return missing.chain(around.undeclared).collect();
    }
    let written: Vec<String> = lines(&written.collect::<Vec<_>>());
    let is_crate = manifest_of(root).is_some_and(|path| disk.is_file(&path));
    if below.as_os_str().is_empty() || around.is_inline || written.is_empty() || !is_crate {
        return Vec::new();
    }
    let name = shown(&root.join(below).join("mod.rs"));
    let missing = format!("{name} does not exist: write {}", written.join(" and "));
    std::iter::once(missing).chain(around.undeclared).collect()
}

/// The modules around an output folder.
#[derive(Default)]
pub(super) struct Around {
    /// The file of the folder's own module, with its contents.
    pub(super) file: Option<(String, String)>,
    /// Whether an outer module declares that module in braces, or has no file here.
    is_inline: bool,
    /// The line that the outer module's file lacks.
    undeclared: Option<String>,
}

impl Around {
    pub(super) fn of(root: &Path, below: &Path, disk: &Disk) -> Self {
        let read = |path: PathBuf| {
            let text = String::from_utf8(disk.bytes(&path).ok()?).ok()?;
            Some((shown(&path), text))
        };
        let (Some(name), Some(outer)) = (below.file_name(), below.parent()) else {
            let file = ["lib.rs", "main.rs"]
                .iter()
                .find_map(|name| read(root.join(name)));
            return Self {
                file,
                ..Self::default()
            };
        };
        let folder = root.join(below);
        let module = name.to_string_lossy();
        let file = read(folder.join("mod.rs")).or_else(|| read(folder.with_extension("rs")));
        // A library and a program are two crates, and either may declare it.
        let outer = match outer.as_os_str().is_empty() {
            true => vec![root.join("lib.rs"), root.join("main.rs")],
            false => vec![
                root.join(outer).join("mod.rs"),
                root.join(outer).with_extension("rs"),
            ],
        };
        let outer: Vec<_> = outer.into_iter().filter_map(read).collect();
        let undeclared = outer
            .first()
            .filter(|_| !outer.iter().any(|(_, text)| declares(text, &module)))
            .map(|(name, _)| format!("{name} lacks `pub mod {};`", names::ident(&module)));
        Self {
            is_inline: outer.is_empty()
                || outer
                    .iter()
                    .any(|(_, text)| declares_as(text, &module, '{')),
            file,
            undeclared,
        }
    }
}

/// One line for each crate that generated code names and the crate's manifest does not depend on.
fn missing_dependencies(tree: &Tree, path: &Path, disk: &Disk) -> Vec<String> {
    let manifest = disk.bytes(path).ok();
    let manifest = manifest.and_then(|text| String::from_utf8(text).ok());
    let manifest: toml::Table = manifest
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    if !manifest.contains_key("package") {
        return Vec::new();
    }
    let version = ", with a Kubernetes version as a feature, such as `latest`";
    [
        ("codegen-runtime", version),
        ("k8s-openapi", version),
        ("serde", ""),
        ("serde_json", ""),
        ("schemars", ""),
        ("bon", ""),
    ]
    .into_iter()
    .filter(|(package, _)| {
        let name = package.replace('-', "_");
        !depends_on(&manifest, &name) && tree.values().any(|text| names_crate(text, &name))
    })
    .map(|(package, with)| format!("{} lacks the dependency `{package}`{with}", shown(path)))
    .collect()
}

/// The manifest of the crate with this source root.
pub(super) fn manifest_of(root: &Path) -> Option<PathBuf> {
    root.parent().map(|folder| folder.join("Cargo.toml"))
}

/// Whether a manifest has a dependency of any sort whose crate has the name.
fn depends_on(manifest: &toml::Table, name: &str) -> bool {
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(toml::Table::values);
    let tables = targets.filter_map(toml::Value::as_table);
    let sections = tables.chain([manifest]).flat_map(|table| {
        ["dependencies", "dev-dependencies", "build-dependencies"].map(|key| table.get(key))
    });
    let mut sections = sections.flatten().filter_map(toml::Value::as_table);
    sections.any(|section| section.keys().any(|key| key.replace('-', "_") == name))
}

/// Whether the source has a path that starts with `::` and the name, or an import that starts with
/// the name.
fn names_crate(text: &str, name: &str) -> bool {
    let path = format!("::{name}::");
    let mut paths = text.match_indices(&path);
    let is_path = paths.any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"_>:".contains(c))
    });
    is_path
        || ["::", ";"]
            .iter()
            .any(|end| text.contains(&format!("use {name}{end}")))
}

/// The features that gate generated code and that the crate's manifest does not declare.
fn missing_features(
    tree: &Tree,
    path: &Path,
    generated: &Path,
    of_api: Vec<CodeFeature>,
    disk: &Disk,
) -> Vec<CodeFeature> {
    let manifest = disk.bytes(path).ok();
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
    let features = of_api.into_iter().chain(features);
    features
        .filter(|feature| lacks_feature(&manifest, &feature.name))
        .collect()
}

/// The line of a feature that a manifest lacks.
fn declaration(feature: &CodeFeature, manifest: &Path) -> String {
    let enables: Vec<String> = feature
        .enables
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    format!(
        "{} lacks the feature for {}: `{} = [{}]`",
        shown(manifest),
        feature.what,
        feature.name,
        enables.join(", ")
    )
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
    [';', '{']
        .into_iter()
        .any(|end| declares_as(text, module, end))
}

/// Whether the source declares `mod <module>`, raw or not, followed by `end`.
fn declares_as(text: &str, module: &str, end: char) -> bool {
    text.match_indices("mod ").any(|(at, word)| {
        let declared = text[at + word.len()..].trim_start();
        let declared = declared.strip_prefix("r#").unwrap_or(declared);
        declared
            .strip_prefix(module)
            .is_some_and(|rest| rest.trim_start().starts_with(end))
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

    #[test]
    fn a_dependency_is_seen_in_any_section() {
        let check = |manifest: &str, expected: bool| {
            let manifest = manifest.parse().unwrap();
            assert_eq!(depends_on(&manifest, "k8s_openapi"), expected);
        };
        check("[dependencies]\nk8s-openapi = \"1\"", true);
        check("[dependencies]\nk8s_openapi = { package = \"k8s\" }", true);
        check(
            "[target.'cfg(unix)'.dependencies]\nk8s-openapi = \"1\"",
            true,
        );
        check("dev-dependencies.k8s-openapi.path = \"a\"", true);
        check("[dependencies]\nk8s = \"1\"", false);
    }

    #[test]
    fn a_crate_is_named_by_a_path_from_the_root() {
        assert!(names_crate("use ::serde::Serialize;", "serde"));
        assert!(names_crate("Option<::serde::A>", "serde"));
        assert!(names_crate("pub use serde;", "serde"));
        assert!(!names_crate("use crate::apis::codec::serde::de;", "serde"));
        assert!(!names_crate("use ::serde_json::Value;", "serde"));
    }

    #[test]
    fn the_modules_of_a_folder_are_declared_above_it() {
        let check = |files: &[(&str, &str)], expected: &[&str]| {
            let folder = tempfile::TempDir::new().unwrap();
            let root = folder.path().join("src");
            for (path, text) in [("Cargo.toml", "")].iter().chain(files) {
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let tree: Tree = [("kube/apis/mod.rs".into(), String::new())].into();
            let below = Path::new("kube");
            let modules = ["apis", "generated"];
            let found = missing_modules(&tree, &root, below, modules, &Disk::default());
            let found: Vec<String> = found
                .into_iter()
                .map(|line| line.replace(&shown(&root), "src"))
                .collect();
            assert_eq!(found, expected);
        };
        check(
            &[("src/lib.rs", "")],
            &[
                "src/kube/mod.rs does not exist: write `pub mod apis;`",
                "src/lib.rs lacks `pub mod kube;`",
            ],
        );
        check(
            &[("src/lib.rs", "pub mod kube;"), ("src/kube.rs", "")],
            &["src/kube.rs lacks `pub mod apis;`"],
        );
        check(&[("src/lib.rs", "pub mod kube { pub mod apis; }")], &[]);
        check(
            &[
                ("src/lib.rs", ""),
                ("src/main.rs", "mod kube;"),
                ("src/kube/mod.rs", "mod apis;"),
            ],
            &[],
        );
        check(&[], &[]);
    }
}
