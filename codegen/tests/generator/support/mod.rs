//! Readers of test inputs, shared by the tests of this crate.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kube_codegen::{Diagnostics, Options, RustPackage, Source, Sources, model::ApiSet};

/// The function that the fuzz target `go` runs.
#[path = "../../../fuzz/run/go.rs"]
pub(crate) mod go;

/// Returns the folder `testdata`.
pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata")
}

/// Reads the group-version folders below `apis`. Diagnostics name their files below `shown`.
pub(crate) fn rust_packages(apis: &Path, shown: &str) -> Vec<RustPackage> {
    let mut packages = Vec::new();
    for group in folders(apis) {
        for version in folders(&apis.join(&group)) {
            let dir = apis.join(&group).join(&version);
            let files = rust_files(&dir, &format!("{shown}/{group}/{version}"));
            packages.push(RustPackage {
                module_path: format!("crate::apis::{group}::{version}"),
                dir: format!("apis/{group}/{version}").into(),
                group: group.clone(),
                version,
                files,
            });
        }
    }
    packages
}

/// Reads a case of annotated Rust: `<case>/src/apis/<group>/<version>`.
pub(crate) fn rust_sources(case: &Path) -> Sources {
    Sources {
        rust: rust_packages(&case.join("src/apis"), "src/apis"),
        ..Sources::default()
    }
}

/// Reads the Rust files at any depth of a folder, except generated ones. Diagnostics name them
/// below `shown`.
pub(crate) fn rust_files(dir: &Path, shown: &str) -> Vec<Source> {
    let mut files = Vec::new();
    collect(dir, shown, &mut files);
    files
}

fn collect(dir: &Path, shown: &str, files: &mut Vec<Source>) {
    for name in names(dir) {
        let path = dir.join(&name);
        let shown = format!("{shown}/{name}");
        if path.is_dir() {
            collect(&path, &shown, files);
        } else if name.ends_with(".rs") && !name.starts_with("zz_generated_") {
            files.push(Source::new(shown, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the sorted names of the folders in `dir`.
pub(crate) fn folders(dir: &Path) -> Vec<String> {
    names(dir)
        .into_iter()
        .filter(|name| dir.join(name).is_dir())
        .collect()
}

/// Returns the sorted names of the entries of `dir`.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Reads a case of CRDs: the YAML files of its folder.
pub(crate) fn crd_sources(case: &Path) -> Sources {
    let crds = names(case)
        .into_iter()
        .filter(|name| name.ends_with(".yaml"))
        .map(|name| {
            let text = fs::read_to_string(case.join(&name)).unwrap();
            Source::new(name, text)
        })
        .collect();
    Sources {
        crds,
        ..Sources::default()
    }
}

/// Runs all default generators and returns the API of the sources.
pub(crate) fn load(sources: &Sources) -> Result<ApiSet, Diagnostics> {
    kube_codegen::generate(sources, &Options::default()).map(|generated| generated.api)
}
