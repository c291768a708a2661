//! What the embedded server is known to do otherwise.
//!
//! A case listed here must fail on the embedded server: one that passes is a failure, so that the list cannot go stale.
//! `README.md` has the same list for readers, and a test holds the two together.

/// Case (`module::case`) and why the embedded server differs.
pub(crate) const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    ("schema_rules::cel_rule_is_checked", NO_CEL),
    ("schema_rules::cel_transition_rule_is_checked", NO_CEL),
];

const NO_CEL: &str = "`x-kubernetes-validations` rules are kept and not evaluated";

/// Why a case is known to fail, if it is.
pub(crate) fn reason(name: &str) -> Option<&'static str> {
    KNOWN_DIFFERENCES
        .iter()
        .find(|(case, _)| *case == name)
        .map(|(_, reason)| *reason)
}

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
        assert!(
            source.contains(&format!("async fn {case}(")),
            "{name}: no such case in {path}"
        );
    }
}
