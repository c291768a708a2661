//! Compares `testdata/crate-markers` with controller-gen's output for the same markers.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    Compat, Diagnostics, Options, Source, Sources,
    emit::{rbac::roles, webhooks::webhook_configurations},
    model::ApiSet,
    options::RoleOptions,
    output::yaml::to_yaml,
};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/crate-markers")
}

/// The API of files that only contain RBAC and webhook markers.
fn api(files: Vec<Source>, compat: Compat) -> Result<ApiSet, Diagnostics> {
    let sources = Sources {
        marker_files: files,
        ..Sources::default()
    };
    let options = Options {
        emit: [].into(),
        compat,
        ..Options::default()
    };
    crate::load(&sources, &options)
}

fn files(folder: &Path) -> Vec<Source> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .collect();
    paths.sort();
    let source = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        Source::new(name, fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(source).collect()
}

fn documents(values: &[Value]) -> String {
    let documents = values
        .iter()
        .map(|value| format!("---\n{}", to_yaml(value)));
    documents.collect()
}

#[test]
fn manifests_are_those_of_controller_gen() {
    let mut compared = 0;
    for entry in fs::read_dir(testdata()).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for compat in [Compat::Strict, Compat::ControllerGen] {
            let found = api(files(&folder), compat);
            if compat == Compat::Strict && folder.ends_with("refused") {
                assert!(found.is_err(), "{}", folder.display());
                continue;
            }
            let api = found.unwrap();
            let written = [
                ("role.yaml", roles(&api, &RoleOptions::default())),
                ("manifests.yaml", webhook_configurations(&api)),
            ];
            for (name, values) in written {
                let golden = fs::read_to_string(folder.join(name)).unwrap_or_default();
                compared += usize::from(!golden.is_empty());
                assert_eq!(documents(&values), golden, "{}/{name}", folder.display());
            }
        }
    }
    assert_eq!(compared, 13);
}
