//! Names of types from CRDs over time.

use super::crd::crd_text;
use crate::cli::sandbox::Sandbox;

/// A kind with a type for `spec.rule.headers`.
fn with_headers(kind: &str, plural: &str) -> String {
    crd_text(
        kind,
        plural,
        "          spec:
            type: object
            properties:
              rule:
                type: object
                properties:
                  headers:
                    type: object
                    properties: {name: {type: string}, value: {type: string}}
",
    )
}

#[test]
fn a_kind_that_joins_an_older_one_takes_no_name_from_it() {
    let mut sandbox = Sandbox::new();
    let older = with_headers("Route", "routes");
    let (head, version) = older.split_at(older.find("  - name: v1").expect("a version"));
    let before = version
        .replace("v1", "v1beta1")
        .replace("storage: true", "storage: false");
    sandbox.write("crds/routes.yaml", &format!("{head}{version}{before}"));
    sandbox.write("crds/gates.yaml", &with_headers("Gate", "gates"));
    sandbox.run(&["crd", "crds", "--output", "src", "--emit", "types"]);
    let shared = sandbox.read("src/apis/example/v1/common.rs");
    assert!(shared.contains("pub struct RouteHeaders"), "{shared}");
}

#[test]
fn renames_of_an_older_release_keep_its_names() {
    let mut sandbox = Sandbox::new();
    let older = with_headers("Route", "routes");
    sandbox.write("older.yaml", &older);
    // Another shape of the property, nearer to the kind.
    let newer = older.replace("              rule:\n", "              headers: {type: object, properties: {raw: {type: string}}}\n              rule:\n");
    sandbox.write("newer.yaml", &newer);
    sandbox.run(&["crd", "newer.yaml", "--output", "src", "--emit", "types"]);
    let types = sandbox.read("src/apis/example/v1/route.rs");
    assert!(types.contains("pub struct RouteRuleHeaders"), "{types}");

    let renames = sandbox.run(&["inspect", "older.yaml", "--renames"]).stdout;
    sandbox.write(
        "codegen.toml",
        &format!("[[crate]]\ncrd = {{ files = [\"newer.yaml\"] }}\nemit = [\"types\"]\n{renames}"),
    );
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let types = sandbox.read("src/apis/example/v1/route.rs");
    assert!(!types.contains("RouteRuleHeaders"), "{types}");
    sandbox.check("inspect-renames");
}
