//! What a registry serves: packages that are whole, and depend on nothing but the registry.
//! `hack/package.sh` builds them.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use toml::{Table, Value};

use super::{collect, repository};

/// The folders of the packages that are published.
fn folders() -> Vec<PathBuf> {
    let named = [
        "codegen",
        "templates",
        "runtime",
        "runtime/macros",
        "apiserver",
    ];
    let mut folders: Vec<PathBuf> = named.map(|folder| repository().join(folder)).into();
    let crates = fs::read_dir(repository().join("crates")).unwrap();
    folders.extend(crates.map(|entry| entry.unwrap().path()));
    folders
}

fn manifest(folder: &Path) -> Table {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    text.parse().unwrap()
}

#[test]
fn published_packages_have_all_that_a_registry_shows() {
    for folder in folders() {
        let manifest = manifest(&folder);
        let package = manifest["package"].as_table().unwrap();
        for key in [
            "description",
            "repository",
            "license",
            "keywords",
            "categories",
            "include",
        ] {
            assert!(package.contains_key(key), "{}: {key}", folder.display());
        }
        assert!(!package.contains_key("publish"), "{}", folder.display());
        let readme = package["readme"].as_str().unwrap();
        for file in [readme, "LICENSE", "NOTICE"] {
            let file = folder.join(file);
            assert!(file.is_file(), "{} is missing", file.display());
        }
    }
}

#[test]
fn dependencies_between_packages_have_the_version_of_the_workspace() {
    let workspace = manifest(&repository());
    let version = &workspace["workspace"]["package"]["version"];
    let dependencies = workspace["workspace"]["dependencies"].as_table().unwrap();
    let mut found = 0;
    for (name, dependency) in dependencies {
        let Some(folder) = dependency.get("path").and_then(Value::as_str) else {
            continue;
        };
        let package = &manifest(&repository().join(folder))["package"];
        if package.get("publish").is_none() {
            found += 1;
            assert_eq!(dependency.get("version"), Some(version), "{name}");
        }
    }
    assert_eq!(found, folders().len());
}

#[test]
fn no_package_includes_files_from_outside_of_it() {
    for folder in folders() {
        let mut files = Vec::new();
        collect(&folder.join("src"), &folder, &mut files);
        // Tests are not in packages.
        files.retain(|(file, _)| !file.ends_with("tests.rs"));
        for (file, code) in files {
            let quoted = [
                "include_str!(\"",
                "include_bytes!(\"",
                "include!(\"",
                "path = \"",
            ];
            for text in quoted.iter().flat_map(|start| code.split(start).skip(1)) {
                let path = text.split('"').next().unwrap_or_default();
                let place = Path::new(&file).parent().unwrap().join(path);
                assert!(is_inside(&place), "{}: {file}: {path}", folder.display());
            }
        }
    }
}

/// Whether a relative path stays in the folder that it starts from.
fn is_inside(path: &Path) -> bool {
    let depths = path.components().scan(0_i32, |depth, component| {
        *depth += match component {
            Component::ParentDir => -1,
            Component::Normal(_) => 1,
            _ => 0,
        };
        Some(*depth)
    });
    depths.min().is_none_or(|least| least >= 0)
}
