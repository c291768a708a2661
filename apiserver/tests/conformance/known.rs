//! Known differences of the embedded server.
//!
//! Every case listed here must fail on the embedded server; if it passes, the run fails, so that
//! the list stays up to date. `README.md` has the same list; a test keeps the two in sync.

/// The case (`module::case`), and why the embedded server differs.
#[rustfmt::skip]
pub(crate) const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    ("apply_versions::apply_of_a_null_label_applies_an_empty_one",
        "a null in a map of strings of a built-in kind is dropped, not converted to an empty string"),
    ("built_in_defaults::claims_are_protected",
        "persistent volumes and claims get no protection finalizers, because no controller would remove them"),
    ("errors::answer_in_protobuf_on_request", "responses are JSON or YAML, never protobuf"),
    ("errors::body_nested_a_thousand_levels_is_taken", "JSON nests at most 127 levels deep, not 10,000"),
    ("table::columns_of_built_in_kinds_are_described",
        "table columns of built-in kinds have no descriptions"),
];

#[test]
fn the_readme_lists_the_same_differences() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"))
        .expect("README.md");
    let section = readme
        .split("## Known differences")
        .nth(1)
        .expect("a section on known differences");
    let section = section.split("\n## ").next().unwrap_or_default();
    let listed: Vec<String> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(str::to_owned)
        .collect();
    let known: Vec<String> = KNOWN_DIFFERENCES
        .iter()
        .map(|(case, reason)| format!("| `{case}` | {reason} |"))
        .collect();
    assert_eq!(listed, known, "README.md and known.rs differ");
}

#[test]
fn every_known_difference_names_a_case() {
    for (name, _) in KNOWN_DIFFERENCES {
        let (module, case) = name.split_once("::").expect("module::case");
        let path = format!(
            "{}/tests/conformance/{module}.rs",
            env!("CARGO_MANIFEST_DIR")
        );
        let source = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
        let declared = [format!("async fn {case}("), format!("    {case}: ")];
        let is_case = declared.iter().any(|form| source.contains(form));
        assert!(is_case, "{name}: no such case in {path}");
    }
}
