//! Names of types from CRDs across releases.

use std::{fs, process::Command};

use super::crd::crd_text;
use crate::cli::sandbox::{Sandbox, snapshot, testdata};

/// Returns the CRD of a kind with a type for `spec.rule.headers`.
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
fn a_type_of_several_kinds_has_the_name_of_none() {
    let mut sandbox = Sandbox::new();
    sandbox.write("crds/routes.yaml", &with_headers("Route", "routes"));
    sandbox.write("crds/gates.yaml", &with_headers("Gate", "gates"));
    sandbox.run(&["crd", "crds", "--output", "src", "--emit", "types"]);
    let shared = sandbox.read("src/apis/example/v1/common.rs");
    assert!(shared.contains("pub struct Headers"), "{shared}");
}

#[test]
fn renames_of_an_older_release_keep_its_names() {
    let mut sandbox = Sandbox::new();
    let older = with_headers("Route", "routes");
    sandbox.write("older.yaml", &older);
    // A property of the same name and another shape, nearer to the root.
    let newer = older.replace("              rule:\n", "              headers: {type: object, properties: {raw: {type: string}}}\n              rule:\n");
    sandbox.write("newer.yaml", &newer);
    sandbox.run(&["crd", "newer.yaml", "--output", "src", "--emit", "types"]);
    let types = sandbox.read("src/apis/example/v1/route.rs");
    assert!(types.contains("pub struct RouteRuleHeaders"), "{types}");

    let renames = sandbox.run(&["inspect", "older.yaml", "--renames"]).stdout;
    sandbox.configure(&format!(
        "[[crate]]\ncrd = {{ files = [\"newer.yaml\"] }}\nemit = [\"types\"]\n{renames}"
    ));
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let types = sandbox.read("src/apis/example/v1/route.rs");
    assert!(!types.contains("RouteRuleHeaders"), "{types}");
    sandbox.check("inspect-renames");
}

/// Reads the CRDs of a release in `testdata/names`.
fn release(name: &str) -> String {
    fs::read_to_string(testdata().join("names").join(name)).unwrap()
}

/// The newer release adds a rival for a name, another owner of a type and a group, splits a type,
/// gives two types the same shape, and changes one to match a Kubernetes type.
#[test]
fn names_outlive_a_release() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[[crate]]\nemit = [\"types\"]\n[crate.crd]\n");
    sandbox.write("src/lib.rs", "pub mod apis;\n");
    sandbox.write("crds/crds.yaml", &release("older.yaml"));
    sandbox.run(&["generate"]);
    snapshot("names-older", &sandbox.read("src/apis/names.toml"));
    let state = sandbox.state();
    sandbox.run(&["generate"]);
    assert!(sandbox.state() == state, "a second run changes nothing");

    sandbox.note("a newer release");
    sandbox.write("crds/crds.yaml", &release("newer.yaml"));
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    snapshot("names-newer", &sandbox.read("src/apis/names.toml"));
    sandbox.run(&["inspect", "--explain", "Gate.spec.secretKeyRef"]);

    sandbox.note("without the line of a type that could be one of Kubernetes");
    let record = sandbox.read("src/apis/names.toml");
    let lines = record.lines().filter(|line| !line.contains("ecretKeyRef"));
    let without: String = lines.map(|line| format!("{line}\n")).collect();
    sandbox.write("src/apis/names.toml", &without);
    sandbox.run(&["generate"]);
    assert_eq!(sandbox.read("src/apis/names.toml"), without);
    sandbox.check("names");
}

#[test]
fn the_record_may_stand_elsewhere_or_nowhere() {
    let mut sandbox = Sandbox::new();
    sandbox.write("routes.yaml", &with_headers("Route", "routes"));
    let crd = ["crd", "routes.yaml", "--emit", "types", "--output", "src"];
    sandbox.run(&[&crd[..], &["--names-file", ""]].concat());
    sandbox.run(&[&crd[..], &["--names-file", "names/routes.toml"]].concat());
    sandbox.list();
    sandbox.configure("[[crate]]\nemit = [\"types\"]\nnames-file = \"names.toml\"\n[crate.crd]\nfiles = [\"routes.yaml\"]\n");
    sandbox.write("src/apis/names.toml", &sandbox.read("names/routes.toml"));
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    assert!(sandbox.path("names.toml").exists());
    assert!(!sandbox.path("src/apis/names.toml").exists());
    sandbox.write("names/routes.toml", "[modules]\n\"a.b\" = \"c\"\n");
    sandbox.run(&[&crd[..], &["--names-file", "names/routes.toml"]].concat());
    sandbox.write("names/routes.toml", "[modules]\n");
    sandbox.run(&[&crd[..], &["--names-file", "names/routes.toml"]].concat());
    sandbox.check("names-elsewhere");
}

#[test]
fn manifests_alone_record_no_names() {
    let sandbox = Sandbox::new();
    sandbox.write("routes.yaml", &with_headers("Route", "routes"));
    sandbox.configure(
        "[[crate]]\nemit = []\n[crate.crd]\nfiles = [\"routes.yaml\"]\n[crate.manifests]\n",
    );
    sandbox.succeeds(&["generate"]);
    assert!(sandbox.path("config/crd/bases").exists() && !sandbox.path("src").exists());
}

/// The contents of `OUT_DIR` depend on earlier builds, so a record there would not be reproducible.
#[test]
fn what_a_build_script_generates_for_itself_has_no_record() {
    let sandbox = Sandbox::new();
    sandbox.write("routes.yaml", &with_headers("Route", "routes"));
    let records = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen"));
        command.args(["crd", "routes.yaml", "--emit", "types", "--output", out]);
        command
            .env("OUT_DIR", "target/out")
            .current_dir(sandbox.path(""));
        assert!(command.output().unwrap().status.success());
        assert!(sandbox.path(out).join("apis").exists());
        sandbox.path(out).join("apis/names.toml").exists()
    };
    assert!(records("src"));
    assert!(!records("target/out/kubernetes"));
    assert!(!records("target/out"));
}

/// CRDs that are left out because of errors keep their names.
#[test]
fn a_run_that_leaves_crds_out_keeps_their_names() {
    let sandbox = Sandbox::new();
    let crd = ["crd", "crds", "--output", "src", "--keep-going"];
    sandbox.write("crds/routes.yaml", &with_headers("Route", "routes"));
    sandbox.write("crds/gates.yaml", &with_headers("Gate", "gates"));
    sandbox.succeeds(&crd);
    let names = sandbox.read("src/apis/names.toml");
    let wrong = with_headers("Gate", "gates").replace("type: string", "type: text");
    sandbox.write("crds/gates.yaml", &wrong);
    assert_eq!(sandbox.quiet(&crd).code, 1);
    assert_eq!(sandbox.read("src/apis/names.toml"), names);
}

#[test]
fn a_crate_that_has_no_crds_any_more_has_no_record() {
    let sandbox = Sandbox::with_apis("foo");
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.succeeds(&["generate"]);
    let record = "# Code generated by kube-codegen. DO NOT EDIT.\n";
    sandbox.write("src/apis/names.toml", record);
    let run = sandbox.quiet(&["generate", "--check"]);
    assert_eq!(run.stdout, "orphaned: src/apis/names.toml\n");
    // A file without the header is not the generator's, and not an orphan.
    sandbox.write("src/apis/names.toml", "[modules]\n");
    let run = sandbox.quiet(&["generate", "--check"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}
