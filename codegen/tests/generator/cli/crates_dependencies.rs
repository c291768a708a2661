//! Kinds of a crate with types of crates that it depends on by path.

use super::sandbox::{Run, Sandbox};

const BOAT: &str = "config/crd/bases/example.com_boats.yaml";

/// Creates files; `KIND` stands for the start of a kind, `DERIVE` for the derives of other types.
fn files(files: &[(&str, &str)]) -> Sandbox {
    const KIND: &str = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = ";
    const DERIVE: &str = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]";
    let sandbox = Sandbox::new();
    for (file, text) in files {
        let text = text.replace("KIND", KIND).replace("DERIVE", DERIVE);
        sandbox.write(file, &text);
    }
    sandbox
}

/// Creates the crates `operator`, with the fields, and `api-common`, each with a manifest.
fn operator(dependencies: &str, fields: &str, common: &str) -> Sandbox {
    let manifest = format!("[package]\nname = \"operator\"\n[dependencies]\n{dependencies}\n");
    let text = format!("KIND\"Boat\")]\npub struct BoatSpec {{ {fields} }}\n");
    files(&[
        ("operator/Cargo.toml", manifest.as_str()),
        ("operator/src/lib.rs", text.as_str()),
        (
            "api-common/Cargo.toml",
            "[package]\nname = \"api-common\"\n",
        ),
        ("api-common/src/lib.rs", common),
    ])
}

const BY_PATH: &str = "api-common = { path = \"../api-common\" }";

#[track_caller]
fn manifests(sandbox: &Sandbox) -> String {
    let run = sandbox.quiet(&["manifests", "operator"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr, "");
    sandbox.read(BOAT)
}

#[track_caller]
fn fails(sandbox: &Sandbox) -> Run {
    let run = sandbox.quiet(&["manifests", "operator"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(!sandbox.path("config").exists());
    run
}

/// Returns the spec's properties, without the kind's own documentation.
fn spec(crd: &str) -> &str {
    let (_, after) = crd.split_once("\n            properties:\n").unwrap();
    let (_, spec) = after.split_once("spec:\n").unwrap_or(("", after));
    spec
}

const TYPES: &str = "pub mod net;\npub use net::Endpoint;\nDERIVE\n#[serde(rename_all = \"camelCase\")]\n/// A page.\npub struct Page<T> { first_item: T, more: Vec<T> }\n\
     pub type Ports = Vec<net::Port>;\n";

const NET: &str = "use super::Page;\nuse crate::net as own;\nuse serde::*;\npub const MAX: u32 = 9;\n/// An endpoint.\nDERIVE\n#[serde(deny_unknown_fields)]\npub struct Endpoint {\n/// The host.\n\
     #[schemars(length(max = MAX))]\nhost: String, #[serde(default = \"port\")] port: u16, more: Port, pages: Page<own::Mode>, own: Option<Box<crate::net::Mode>> }\n\
     fn port() -> u16 { 80 }\n\
     DERIVE\npub struct Port(#[schemars(range(min = 1))] u16);\nDERIVE\n#[serde(rename_all = \"lowercase\")]\npub enum Mode { On, Off }\n";

const FIELDS: &str =
    "a: common::Endpoint, b: Option<common::Page<u8>>, c: common::Ports, d: common::net::Mode";

/// Types of another crate give the schema that they give in the crate itself.
#[test]
fn types_of_a_dependency_give_the_schema_of_types_of_the_crate() {
    let sandbox = operator(BY_PATH, FIELDS, TYPES);
    sandbox.write("api-common/src/net.rs", &of_macros(NET));
    sandbox.edit(
        "operator/src/lib.rs",
        "#[derive",
        "use api_common as common;\n#[derive",
    );
    let there = manifests(&sandbox);

    let own = operator("", FIELDS, "");
    let in_module = TYPES.replace("use net", "use self::net");
    own.write("operator/src/common/mod.rs", &of_macros(&in_module));
    own.write(
        "operator/src/common/net.rs",
        &of_macros(NET).replace("crate::", "crate::common::"),
    );
    own.edit("operator/src/lib.rs", "#[derive", "mod common;\n#[derive");
    assert_eq!(spec(&there), spec(&manifests(&own)));
    assert!(there.contains("maxLength: 9"), "{there}");
    assert!(there.contains("first_item") || there.contains("firstItem"));
}

fn of_macros(text: &str) -> String {
    text.replace(
        "DERIVE",
        "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]",
    )
}

#[test]
fn crates_are_named_as_cargo_names_them() {
    let check = |dependencies: &str, path: &str| {
        let common = "DERIVE\npub struct Endpoint { host: String }\n";
        let sandbox = operator(dependencies, &format!("at: {path}"), common);
        sandbox.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"*\"]\n[workspace.dependencies]\napi-common = { path = \"api-common\" }\nshort = { path = \"api-common\", package = \"api-common\" }\n",
        );
        assert!(manifests(&sandbox).contains("host:"), "{dependencies}");
    };
    check(BY_PATH, "api_common::Endpoint");
    check(BY_PATH, "::api_common::Endpoint");
    check("api-common.workspace = true", "api_common::Endpoint");
    check("short = { workspace = true }", "short::Endpoint");
    check(
        "an-api = { path = \"../api-common\", package = \"api-common\" }",
        "an_api::Endpoint",
    );
    check(
        "[target.'cfg(unix)'.dependencies]\napi-common = { path = \"../api-common\" }",
        "api_common::Endpoint",
    );
}

#[test]
fn a_library_may_have_a_name_and_a_file_of_its_own() {
    let sandbox = operator(BY_PATH, "at: wire::parts::Endpoint", "");
    sandbox.write(
        "api-common/Cargo.toml",
        "[package]\nname = \"api-common\"\n[lib]\nname = \"wire\"\npath = \"code/wire.rs\"\n",
    );
    sandbox.write("api-common/code/wire.rs", "pub mod parts;\n");
    sandbox.write(
        "api-common/code/parts.rs",
        &of_macros("DERIVE\npub struct Endpoint { host: crate::Host }\n"),
    );
    fails(&sandbox).says("its type `crate::Host` is not known\n --> api-common/code/parts.rs:2:23");
}

#[test]
fn dependencies_of_dependencies_are_read() {
    let sandbox = operator(
        BY_PATH,
        "at: api_common::Endpoint, more: Vec<api_common::prelude::Host>, glob: hosts::Host, twice: api_common::base::Name",
        "pub use base;\npub use base::*;\npub mod prelude { pub use ::base::hosts::*; }\nDERIVE\npub struct Endpoint { host: base::hosts::Host, name: Name }\n",
    );
    sandbox.edit(
        "operator/src/lib.rs",
        "#[derive",
        "use api_common::*;\nuse self::*;\n#[derive",
    );
    sandbox.write(
        "api-common/Cargo.toml",
        "[package]\nname = \"api-common\"\n[dependencies]\nbase = { path = \"base\" }\n",
    );
    sandbox.write("api-common/base/Cargo.toml", "[package]\nname = \"base\"\n");
    sandbox.write(
        "api-common/base/src/lib.rs",
        &of_macros("pub mod hosts;\nDERIVE\npub struct Name { given: String }\n"),
    );
    sandbox.write(
        "api-common/base/src/hosts.rs",
        &of_macros("DERIVE\npub struct Host { address: super::Name }\n"),
    );
    let crd = manifests(&sandbox);
    assert_eq!(crd.matches(" given:").count(), 5, "{crd}");
    assert_eq!(crd.matches(" address:").count(), 3, "{crd}");
}

/// The crates may also stand outside of the workspace, and be the program's own library.
#[test]
fn a_program_may_use_its_library_and_a_crate_from_elsewhere() {
    let sandbox = operator("outside = { path = \"../../outside\" }", "a: u8", "");
    let text = sandbox.read("operator/src/lib.rs");
    sandbox.write(
        "top/operator/Cargo.toml",
        &sandbox.read("operator/Cargo.toml"),
    );
    sandbox.write("top/Cargo.toml", "[workspace]\nmembers = [\"operator\"]\n");
    sandbox.write(
        "top/operator/src/main.rs",
        &text.replace("a: u8", "a: operator::Own, b: outside::Far"),
    );
    sandbox.write(
        "top/operator/src/lib.rs",
        &of_macros("DERIVE\npub struct Own { own: u8 }\n"),
    );
    sandbox.write("outside/Cargo.toml", "[package]\nname = \"outside\"\n");
    sandbox.write(
        "outside/src/lib.rs",
        &of_macros("DERIVE\npub struct Far { far: u8 }\n"),
    );
    let run = sandbox.quiet_in("top/operator", &["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let crd = sandbox.read(&format!("top/operator/{BOAT}"));
    assert!(crd.contains("own:") && crd.contains("far:"), "{crd}");
}

#[test]
fn types_of_one_name_in_several_crates_are_apart() {
    let sandbox = operator(
        BY_PATH,
        "own: Endpoint, other: api_common::Endpoint, deep: api_common::v1::Endpoint, page: api_common::Of<Endpoint>",
        "DERIVE\npub struct Endpoint { there: u8 }\npub mod v1 { DERIVE\npub struct Endpoint { deep: u8 } }\n\
         DERIVE\npub struct Of<T> { item: T, own: Endpoint }\n",
    );
    let text = sandbox.read("operator/src/lib.rs");
    sandbox.write(
        "operator/src/lib.rs",
        &format!(
            "{text}{}",
            of_macros("DERIVE\npub struct Endpoint { here: u8 }\n")
        ),
    );
    let run = sandbox.quiet(&["manifests", "operator", "--docs", "docs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let crd = sandbox.read(BOAT);
    for (name, count) in [(" here:", 2), (" there:", 2), (" deep:", 2)] {
        assert_eq!(crd.matches(name).count(), count, "{name}\n{crd}");
    }
    let docs = sandbox.read("docs/example.com_v1.md");
    assert!(docs.contains("### operator::Endpoint\n"), "{docs}");
    assert!(docs.contains("### api-common::Endpoint\n"), "{docs}");
}

#[test]
fn features_of_a_dependency_decide_its_conditions() {
    let check = |options: &str, expected: [bool; 3]| {
        let dependency = format!(
            "api-common = {{ path = \"../api-common\"{options} }}\n[features]\ndefault = [\"weak\"]\nweak = [\"api-common/tls\"]"
        );
        let sandbox = operator(
            &dependency,
            "at: api_common::Endpoint",
            "DERIVE\npub struct Endpoint { host: String, #[cfg(feature = \"std\")] std: u8, #[cfg(feature = \"extra\")] extra: u8, #[cfg(feature = \"tls\")] tls: u8 }\n",
        );
        sandbox.write(
            "api-common/Cargo.toml",
            "[package]\nname = \"api-common\"\n[features]\ndefault = [\"std\"]\nstd = []\nextra = []\ntls = []\n",
        );
        let crd = manifests(&sandbox);
        let found = ["std:", "extra:", "tls:"].map(|name| crd.contains(name));
        assert_eq!(found, expected, "{options}");
    };
    check("", [true, false, true]);
    check(", features = [\"extra\"]", [true, true, true]);
    check(", default-features = false", [false, false, true]);
    check(
        ", default-features = false, features = [\"extra\", \"none\"]",
        [false, true, true],
    );
}

/// Members of a workspace that share a crate, which declares a kind itself.
#[test]
fn members_of_a_workspace_share_types() {
    let member = "[package]\nname = \"a\"\n[dependencies]\napi = { path = \"../api\" }\n";
    let sandbox = files(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"*\"]\n"),
        ("api/Cargo.toml", "[package]\nname = \"api\"\n"),
        (
            "api/src/lib.rs",
            "KIND\"Boat\")]\npub struct BoatSpec { berth: Berth }\nDERIVE\npub struct Berth { number: u8 }\n",
        ),
        ("fleet/Cargo.toml", member),
        (
            "fleet/src/lib.rs",
            "KIND\"Fleet\")]\npub struct FleetSpec { boats: Vec<api::BoatSpec>, berth: api::Berth }\n",
        ),
        ("harbour/Cargo.toml", member),
        (
            "harbour/src/main.rs",
            "use api::*;\nKIND\"Harbour\")]\npub struct HarbourSpec { berths: Vec<Berth> }\n",
        ),
    ]);
    let run = sandbox.quiet(&["manifests", ".", "--docs", "docs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 group, 3 kinds"), "{}", run.stdout);
    for (name, count) in [("boats", 1), ("fleets", 2), ("harbours", 1)] {
        let crd = sandbox.read(&format!("config/crd/bases/example.com_{name}.yaml"));
        assert_eq!(crd.matches("number:").count(), count, "{crd}");
    }
    let docs = sandbox.read("docs/example.com_v1.md");
    assert_eq!(docs.matches("### Berth\n").count(), 1, "{docs}");
}

#[test]
fn crates_that_are_not_read_are_named() {
    let check = |dependencies: &str, expected: &str| {
        let sandbox = operator(dependencies, "at: api_common::Endpoint", "");
        let run = fails(&sandbox);
        run.says("`BoatSpec.at` has no schema: its type `api_common::Endpoint` is not known");
        run.says("--> operator/src/lib.rs:3:23");
        run.says(expected);
    };
    check(
        "api-common = \"1\"",
        "the crate `api_common` is from a registry, and is not in Cargo.lock",
    );
    check(
        "api-common = { git = \"https://example.com\" }",
        "the crate `api_common` is from a git repository, and is not in Cargo.lock",
    );
    check(
        "api-common = { path = \"../none\" }",
        "the crate `api_common` cannot be read: none/Cargo.toml is missing or invalid",
    );
    check(
        "api-common = { path = \"../api-common\", optional = true }",
        "the crate `api_common` is optional, and no feature turns it on",
    );
    check(
        "api-common.workspace = true",
        "is not among the dependencies of the workspace",
    );
    check(
        BY_PATH,
        "the crate `api_common` declares no type `Endpoint`",
    );
}

/// A type that markers or schemars describe need not be known.
#[test]
fn a_type_that_is_not_read_may_be_described() {
    let fields = "#[schemars(with = \"String\")] a: api_common::A,\n// +kubebuilder:validation:Schemaless\n// +kubebuilder:pruning:PreserveUnknownFields\n b: api_common::B";
    let crd = manifests(&operator("api-common = \"1\"", fields, ""));
    assert!(crd.contains("x-kubernetes-preserve-unknown-fields: true"));
}

#[test]
fn hostile_dependencies_end() {
    // Crates that depend on each other and types that contain each other.
    let sandbox = operator(
        BY_PATH,
        "at: api_common::Endpoint, more: Own",
        "use operator::Own;\nDERIVE\npub struct Endpoint { own: operator::Own }\n",
    );
    sandbox.write(
        "api-common/Cargo.toml",
        "[package]\nname = \"api-common\"\n[dependencies]\noperator = { path = \"../operator\" }\napi-common = { path = \".\" }\n",
    );
    let text = sandbox.read("operator/src/lib.rs");
    let own = of_macros("DERIVE\npub struct Own { size: u8 }\npub use api_common::Circle;\n");
    sandbox.write("operator/src/lib.rs", &format!("{text}{own}"));
    assert_eq!(manifests(&sandbox).matches("size:").count(), 2);

    sandbox.edit(
        "operator/src/lib.rs",
        "size: u8",
        "size: Vec<api_common::Endpoint>",
    );
    std::fs::remove_dir_all(sandbox.path("config")).unwrap();
    fails(&sandbox).says("contains itself");

    // Imports in a circle through both crates.
    sandbox.edit("operator/src/lib.rs", "Vec<api_common::Endpoint>", "Circle");
    sandbox.edit(
        "api-common/src/lib.rs",
        "use operator::Own;",
        "pub use operator::Circle;",
    );
    fails(&sandbox).says("is not known");

    // `super` does not leave a crate.
    let sandbox = operator(
        BY_PATH,
        "at: api_common::A",
        "DERIVE\npub struct A { a: super::BoatSpec, b: super::super::operator::BoatSpec }\n",
    );
    let run = fails(&sandbox);
    run.says("its type `super::BoatSpec` is not known");
    run.says("--> api-common/src/lib.rs:2:");
}

/// As in the crate itself: only what kinds use is checked, and a file that cannot be parsed is an
/// error once types may be missing.
#[test]
fn findings_about_a_dependency_count_if_a_kind_uses_it() {
    let common = "pub mod broken;\nDERIVE\npub struct Endpoint { host: String }\n// +kubebuilder:validation:Minimm=1\npub struct Apart<'a>(&'a str);\n";
    let sandbox = operator(BY_PATH, "at: u8", common);
    sandbox.write("api-common/src/broken.rs", "struct");
    sandbox.edit(
        "operator/src/lib.rs",
        "#[derive",
        "use api_common::Apart;\n#[derive",
    );
    manifests(&sandbox);
    std::fs::remove_dir_all(sandbox.path("config")).unwrap();
    sandbox.edit("operator/src/lib.rs", "at: u8", "at: api_common::Endpoint");
    let run = fails(&sandbox);
    run.says("--> api-common/src/broken.rs:1:");
    assert!(!run.stderr.contains("Minimm"), "{}", run.stderr);
    sandbox.write(
        "api-common/src/broken.rs",
        "// +kubebuilder:rbac:groups=a,resources=b,verbs=get\n",
    );
    manifests(&sandbox);
    // Roles are those of the program's own markers.
    assert!(!sandbox.path("config/rbac/role.yaml").exists());
}

#[test]
fn a_library_may_have_another_root_module() {
    let library = "[lib]\npath = \"lib/root.rs\"\n";
    for manifest in [
        "[package]\nname = \"operator\"\n",
        "[package]\nname = \"9-odd\"\n",
    ] {
        let manifest = format!("{manifest}{library}");
        let sandbox = files(&[
            ("Cargo.toml", "[workspace]\nmembers = [\"operator\"]\n"),
            ("operator/Cargo.toml", manifest.as_str()),
            (
                "operator/lib/root.rs",
                "mod kinds;\nmod types;\npub use types::Hull;\n",
            ),
            (
                "operator/lib/types.rs",
                "DERIVE\npub struct Hull { length: i32 }\n",
            ),
            (
                "operator/lib/kinds.rs",
                "KIND\"Boat\")]\npub struct BoatSpec { a: crate::Hull, b: crate::types::Hull, c: super::Hull }\n",
            ),
        ]);
        let crd = manifests(&sandbox);
        assert_eq!(crd.matches("length:").count(), 3, "{crd}");
        for part in [".", "operator/lib", "operator/lib/kinds.rs"] {
            let run = sandbox.quiet(&["manifests", part]);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{part}");
            assert_eq!(sandbox.read(BOAT), crd, "{part}");
        }
    }
}
