//! Clients for kinds in any module of any crate of a workspace.

use super::sandbox::{Run, Sandbox};

const DERIVES: &str =
    "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n";

const MANIFEST: &str = "[package]\nname = \"operator\"\n\n[dependencies]\ncodegen-runtime = \"0.1\"\n\n\
                        [features]\nfake = [\"codegen-runtime/fake\"]\nvalidate = [\"codegen-runtime/validate\"]\n";

/// Returns a kind of example.com/v1 that stands behind `visibility`.
fn kind(name: &str, visibility: &str) -> String {
    format!(
        "/// A kind.\n{DERIVES}#[kube(group = \"example.com\", version = \"v1\", kind = \"{name}\", namespaced)]\n\
         {visibility} struct {name}Spec {{\n    /// Its size.\n    pub size: u16,\n}}\n"
    )
}

/// Creates a crate without folders `<group>/<version>/`; `rust` is the section of its codegen.toml.
fn operator(rust: &str, files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    sandbox.write("codegen.toml", &format!("[[crate]]\n[crate.rust]\n{rust}"));
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox
}

#[track_caller]
fn generated(sandbox: &Sandbox) -> Run {
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    run
}

const BOATS: &str = "src/generated/apis/example/v1/mod.rs";

/// Checks the imports of the module of example.com/v1.
#[track_caller]
fn check_imports(sandbox: &Sandbox, expected: &[&str]) {
    let text = sandbox.read(BOATS);
    let lines = text.lines().filter(|line| line.contains(" use "));
    let own = lines.filter(|line| !line.contains("self::"));
    assert_eq!(own.collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn a_crate_needs_no_folder_of_types() {
    let lib = "pub mod generated;\npub mod crd;\n";
    let sandbox = operator(
        "",
        &[("src/lib.rs", lib), ("src/crd.rs", &kind("Boat", "pub"))],
    );
    let run = generated(&sandbox);
    assert_eq!(run.stderr, "");
    check_imports(&sandbox, &["pub use crate::crd::{Boat, BoatSpec};"]);
    assert!(!sandbox.path("src/zz_generated_register.rs").exists());
    let check = sandbox.quiet(&["generate", "--check"]);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
}

#[test]
fn a_version_may_be_a_file_beside_a_folder_of_its_name() {
    let sandbox = operator(
        "",
        &[
            ("src/lib.rs", "pub mod generated;\npub mod apis;\n"),
            ("src/apis/mod.rs", "pub mod boats;\n"),
            ("src/apis/boats.rs", "pub mod v1;\n"),
            ("src/apis/boats/v1.rs", "pub mod boat;\n"),
            ("src/apis/boats/v1/boat.rs", &kind("Boat", "pub")),
        ],
    );
    generated(&sandbox);
    check_imports(
        &sandbox,
        &["pub use crate::apis::boats::v1::boat::{Boat, BoatSpec};"],
    );
}

#[test]
fn private_kinds_of_a_program_have_clients() {
    let main = format!("mod generated;\n\n{}\nfn main() {{}}\n", kind("Boat", ""));
    let sandbox = operator("", &[("src/main.rs", &main)]);
    generated(&sandbox);
    check_imports(&sandbox, &["pub(crate) use crate::{Boat, BoatSpec};"]);
}

#[test]
fn a_type_in_a_private_module_is_named_as_it_is_exported() {
    let sandbox = operator(
        "apis = \"src\"\n",
        &[
            ("src/lib.rs", "pub mod generated;\nmod crd;\n"),
            ("src/crd.rs", "mod boat;\npub use boat::*;\n"),
            ("src/crd/boat.rs", &kind("Boat", "pub")),
        ],
    );
    generated(&sandbox);
    check_imports(&sandbox, &["pub use crate::crd::{Boat, BoatSpec};"]);
}

#[test]
fn a_kind_that_no_other_module_can_name_is_an_error_whose_advice_helps() {
    let files = [
        ("src/lib.rs", "pub mod generated;\nmod crd;\n"),
        ("src/crd.rs", "mod boat;\n"),
        ("src/crd/boat.rs", &kind("Boat", "pub")),
    ];
    let sandbox = operator("", &files);
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 1);
    run.says("generated code cannot name `BoatSpec`");
    run.says("make it and the modules around it `pub(crate)`");
    sandbox.write("src/crd.rs", "pub(crate) mod boat;\n");
    generated(&sandbox);
    check_imports(&sandbox, &["pub use crate::crd::boat::{Boat, BoatSpec};"]);
}

/// Creates a workspace whose operator generates clients for the kinds of a library.
fn workspace(dependency: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"api\", \"operator\"]\n",
    );
    sandbox.write("api/Cargo.toml", "[package]\nname = \"my-api\"\n");
    sandbox.write("api/src/lib.rs", "pub mod v1;\n");
    sandbox.write("api/src/v1.rs", &kind("Boat", "pub"));
    let manifest = MANIFEST.replace(
        "[dependencies]\n",
        &format!("[dependencies]\nkube = \"5\"\n{dependency}"),
    );
    sandbox.write("operator/Cargo.toml", &manifest);
    sandbox.write("operator/src/lib.rs", "pub mod generated;\n");
    sandbox.write(
        "codegen.toml",
        "[[crate]]\npath = \"operator\"\nemit = [\"all\", \"validate\"]\n[crate.rust]\napis = \"../api\"\n",
    );
    sandbox
}

#[test]
fn kinds_of_another_member_are_named_as_the_manifest_says() {
    for (dependency, path) in [
        ("my-api = { path = \"../api\" }\n", "::my_api::v1"),
        (
            "boats = { path = \"../api\", package = \"my-api\" }\n",
            "::boats::v1",
        ),
    ] {
        let sandbox = workspace(dependency);
        generated(&sandbox);
        let text = sandbox.read(&format!("operator/{BOATS}"));
        let expected = format!("pub use {path}::{{Boat, BoatSpec}};");
        assert!(text.contains(&expected), "{text}");
        let validate =
            sandbox.read("operator/src/generated/apis/example/v1/zz_generated_validate.rs");
        assert!(validate.contains("pub fn boat_validator()"), "{validate}");
    }
}

#[test]
fn kinds_of_a_crate_that_is_no_dependency_are_an_error_whose_advice_helps() {
    let sandbox = workspace("");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 1);
    run.says("generated code cannot name `BoatSpec`");
    run.says("add the crate in api to the dependencies of the one that code is generated for");
    let manifest = sandbox.read("operator/Cargo.toml");
    let manifest = manifest.replace("kube =", "my-api = { path = \"../api\" }\nkube =");
    sandbox.write("operator/Cargo.toml", &manifest);
    generated(&sandbox);
}

#[test]
fn kinds_of_a_private_module_of_another_member_are_an_error() {
    let sandbox = workspace("my-api = { path = \"../api\" }\n");
    sandbox.write("api/src/lib.rs", "mod v1;\n");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 1);
    run.says("private to its crate");
    sandbox.write("api/src/lib.rs", "mod v1;\npub use v1::*;\n");
    generated(&sandbox);
    let text = sandbox.read(&format!("operator/{BOATS}"));
    assert!(
        text.contains("pub use ::my_api::{Boat, BoatSpec};"),
        "{text}"
    );
}

#[test]
fn manifests_and_clients_have_the_same_kinds() {
    let lib = format!("pub mod generated;\npub mod a;\n{}", kind("Boat", "pub"));
    let sandbox = operator(
        "[crate.manifests]\n",
        &[("src/lib.rs", &lib), ("src/a.rs", &kind("Ship", "pub"))],
    );
    generated(&sandbox);
    check_imports(
        &sandbox,
        &[
            "pub use crate::{Boat, BoatSpec};",
            "pub use crate::a::{Ship, ShipSpec};",
        ],
    );
    for plural in ["boats", "ships"] {
        let crd = format!("config/crd/bases/example.com_{plural}.yaml");
        assert!(sandbox.path(&crd).exists(), "{plural}");
    }
    let again = sandbox.quiet(&["manifests", ".", "--check"]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
}

#[test]
fn kinds_without_a_crd_have_clients() {
    let disabled = kind("Boat", "pub").replace("namespaced", "namespaced, schema = \"disabled\"");
    let lib = format!("pub mod generated;\n{disabled}");
    let sandbox = operator("[crate.manifests]\n", &[("src/lib.rs", &lib)]);
    generated(&sandbox);
    check_imports(&sandbox, &["pub use crate::{Boat, BoatSpec};"]);
    assert!(!sandbox.path("config/crd/bases").exists());
}
