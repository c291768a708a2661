//! Snapshots of the model that emitters get for the golden inputs of annotated Rust.

use crate::support::{load, rust_sources, testdata};

/// Loads a golden input and compares its model with the snapshot of the same name.
fn check(case: &str) {
    let sources = rust_sources(&testdata().join("apis").join(case));
    let api = load(&sources).unwrap_or_else(|diagnostics| panic!("{case}: {diagnostics}"));
    let text = serde_json::to_string_pretty(&api);
    insta::assert_snapshot!(case, text.unwrap_or_else(|error| error.to_string()));
}

#[test]
fn the_model_of_the_golden_inputs_holds() {
    for case in [
        "foo",
        "hyphenated",
        "kubederive",
        "multiversion",
        "network",
        "podset",
        "verbs",
        "virtualmachine",
    ] {
        check(case);
    }
}

#[test]
fn the_order_of_files_does_not_matter() {
    let mut sources = rust_sources(&testdata().join("apis/multiversion"));
    let expected = load(&sources).unwrap();
    sources.rust.reverse();
    for package in &mut sources.rust {
        package.files.reverse();
    }
    assert_eq!(load(&sources).unwrap(), expected);
}
