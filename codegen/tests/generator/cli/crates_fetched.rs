//! Kinds of a crate with types of crates from registries and git repositories.

use super::sandbox::{Run, Sandbox};

const BOAT: &str = "config/crd/bases/example.com_boats.yaml";

const DERIVE: &str = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\n";

/// Creates a crate whose kind has the fields, and a folder for cargo.
fn operator(dependencies: &str, fields: &str) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set("CARGO_HOME", "home");
    let manifest = format!(
        "[package]\nname = \"operator\"\nversion = \"0.1.0\"\n[dependencies]\n{dependencies}\n"
    );
    sandbox.write("operator/Cargo.toml", &manifest);
    let text = format!(
        "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
         #[kube(group = \"example.com\", version = \"v1\", kind = \"Boat\")]\n\
         pub struct BoatSpec {{ {fields} }}\n"
    );
    sandbox.write("operator/src/lib.rs", &text);
    sandbox
}

/// Puts a crate where cargo keeps it.
fn keep(sandbox: &Sandbox, folder: &str, name: &str, dependencies: &str, text: &str) {
    let manifest = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependencies}\n");
    sandbox.write(&format!("home/{folder}/Cargo.toml"), &manifest);
    let text = text.replace("DERIVE", DERIVE);
    sandbox.write(&format!("home/{folder}/src/lib.rs"), &text);
}

/// Writes the lock file: name, version, source and dependencies of each package.
fn lock(sandbox: &Sandbox, packages: &[(&str, &str, &str, &[&str])]) {
    let mut text = "version = 4\n".to_owned();
    for (name, version, source, dependencies) in packages {
        text += &format!("\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n");
        if !source.is_empty() {
            text += &format!("source = \"{source}\"\n");
        }
        text += &format!("dependencies = {dependencies:?}\n");
    }
    sandbox.write("operator/Cargo.lock", &text);
}

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

const KEPT: &str = "registry/src/index.crates.io-1/";

fn manifests(sandbox: &Sandbox) -> Run {
    sandbox.quiet(&["manifests", "operator"])
}

#[track_caller]
fn written(sandbox: &Sandbox) -> String {
    let run = manifests(sandbox);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    sandbox.read(BOAT)
}

/// Cargo.lock decides between several versions, and the crate's own crates are read, too.
#[test]
fn a_crate_of_a_registry_is_read_in_the_version_that_is_locked() {
    let sandbox = operator(
        "mast-api = \"2\"",
        "mast: mast_api::Mast, port: mast_api::Port",
    );
    let old = "DERIVE pub struct Mast { old: u8 }\n";
    let new = "DERIVE pub struct Mast { height: u8 }\npub use port_api::Port;\n";
    let on = "schemars = \"1\"\nport-api = \"1\"";
    keep(
        &sandbox,
        &format!("{KEPT}mast-api-1.0.0"),
        "mast-api",
        on,
        old,
    );
    keep(
        &sandbox,
        &format!("{KEPT}mast-api-2.1.0"),
        "mast-api",
        on,
        new,
    );
    let port = "DERIVE pub struct Port { number: u16 }\n";
    keep(
        &sandbox,
        &format!("{KEPT}port-api-1.0.0"),
        "port-api",
        "schemars = \"1\"",
        port,
    );
    lock(
        &sandbox,
        &[
            ("mast-api", "1.0.0", REGISTRY, &["port-api", "schemars"]),
            ("mast-api", "2.1.0", REGISTRY, &["port-api", "schemars"]),
            ("operator", "0.1.0", "", &["mast-api 2.1.0"]),
            ("port-api", "1.0.0", REGISTRY, &["schemars"]),
        ],
    );
    let crd = written(&sandbox);
    assert!(crd.contains("height:") && crd.contains("number:"), "{crd}");
    assert!(!crd.contains("old:"), "{crd}");
}

#[test]
fn a_crate_of_a_git_repository_is_read_in_the_commit_that_is_locked() {
    let dependency = "mast-api = { git = \"https://example.com/fleet.git\", tag = \"v1\" }";
    let sandbox = operator(dependency, "mast: mast_api::Mast");
    let checkouts = "git/checkouts/fleet-0123456789abcdef/";
    let text = "DERIVE pub struct Mast { FIELD: u8 }\n";
    for (commit, field) in [("aaaaaaa", "old"), ("bbbbbbb", "height")] {
        let folder = format!("{checkouts}{commit}/crates/mast");
        let text = text.replace("FIELD", field);
        keep(&sandbox, &folder, "mast-api", "schemars = \"1\"", &text);
    }
    let source =
        "git+https://example.com/fleet.git?tag=v1#bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    lock(
        &sandbox,
        &[
            ("mast-api", "1.0.0", source, &["schemars"]),
            ("operator", "0.1.0", "", &["mast-api"]),
        ],
    );
    let crd = written(&sandbox);
    assert!(crd.contains("height:") && !crd.contains("old:"), "{crd}");
}

/// Each step of the advice leads to the next.
#[test]
fn what_is_missing_of_a_crate_is_said() {
    let sandbox = operator("mast-api = \"1\"", "mast: mast_api::Mast");
    manifests(&sandbox).says(
        "the crate `mast_api` is from a registry, and is not in Cargo.lock, which says what to read: `cargo fetch` writes it",
    );
    lock(
        &sandbox,
        &[
            ("mast-api", "1.0.0", REGISTRY, &["schemars"]),
            ("operator", "0.1.0", "", &["mast-api"]),
        ],
    );
    let run = manifests(&sandbox);
    run.says("and is not on this machine: `cargo fetch` brings its source");
    let folder = format!("{KEPT}mast-api-1.0.0");
    let text = "DERIVE pub struct Mast { height: u8 }\n";
    keep(&sandbox, &folder, "mast-api", "schemars = \"1\"", text);
    assert!(written(&sandbox).contains("height:"));
}

/// Without schemars, a type of a crate has no schema, whatever it looks like.
#[test]
fn a_crate_without_schemas_is_not_read() {
    let sandbox = operator("mast-api = \"1\"", "mast: mast_api::Mast");
    let text = "DERIVE pub struct Mast { height: u8 }\n";
    keep(
        &sandbox,
        &format!("{KEPT}mast-api-1.0.0"),
        "mast-api",
        "serde = \"1\"",
        text,
    );
    lock(
        &sandbox,
        &[
            ("mast-api", "1.0.0", REGISTRY, &["serde"]),
            ("operator", "0.1.0", "", &["mast-api"]),
        ],
    );
    manifests(&sandbox).says("is from a registry, and has no types with schemas");
}
