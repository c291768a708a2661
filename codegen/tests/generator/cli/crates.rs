//! Kinds that derive kube's `CustomResource` in any module of a crate.

use super::sandbox::{Sandbox, testdata};

const MANIFEST: &str = "[package]\nname = \"operator\"\n";

/// Creates a crate as users of kube lay it out: kinds of two groups and versions among unrelated
/// code.
fn operator() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    sandbox.write("src/lib.rs", "pub mod common;\npub mod crds;\n");
    sandbox.write(
        "src/main.rs",
        "//! Starts everything.\nuse operator::crds;\nfn main() {}\n\n\
         // +kubebuilder:rbac:groups=example.com,resources=boats,verbs=get;list\nstruct Context<'a> { name: &'a str }\n",
    );
    sandbox.write(
        "src/common.rs",
        "// + not a marker\n/// A place.\n#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct Berth {\n    /// Its number.\n    pub number: u16,\n}\n\n\
         /// Of no kind.\n// +kubebuilder:validation:Minimm=1\npub struct Apart<'a>(&'a str);\n",
    );
    sandbox.write("src/crds/mod.rs", "mod boat;\nmod harbour;\n");
    sandbox.write(
        "src/crds/boat.rs",
        "use crate::common::Berth;\nuse super::harbour as other;\n\n/// A boat.\n#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
         #[kube(group = \"example.com\", version = \"v1\", kind = \"Boat\", namespaced, status = \"other::State\")]\nstruct BoatSpec {\n    berth: Berth,\n}\n\n\
         #[cfg(test)]\nmod tests {\n    #[derive(CustomResource, Clone)]\n    #[kube(group = \"test.com\", version = \"v1\", kind = \"Test\")]\n    struct TestSpec {}\n}\n",
    );
    sandbox.write(
        "src/crds/harbour.rs",
        "/// What is known.\n#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct State {\n    pub ready: bool,\n}\n\n\
         /// A harbour.\n#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
         #[kube(group = \"sea.example.com\", version = \"v1beta1\", kind = \"Harbour\", storage = false)]\npub struct HarbourSpec {\n    pub berths: Vec<crate::common::Berth>,\n}\n",
    );
    sandbox
}

const BOAT: &str = "config/crd/bases/example.com_boats.yaml";
const HARBOUR: &str = "config/crd/bases/sea.example.com_harbours.yaml";

#[test]
fn the_kinds_of_a_crate_are_found_in_any_module() {
    for path in [".", "src", "src/"] {
        let sandbox = operator();
        let run = sandbox.quiet(&["manifests", path]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert_eq!(run.stderr, "");
        assert_eq!(
            run.stdout,
            "Generated in .: 2 groups, 2 kinds, 3 files; 3 written, 0 unchanged\n"
        );
        let boat = sandbox.read(BOAT);
        assert!(boat.contains("description: A boat.") && boat.contains("description: Its number."));
        assert!(
            boat.contains("ready:\n                type: boolean"),
            "{boat}"
        );
        assert!(sandbox.read(HARBOUR).contains("  scope: Cluster\n"));
        assert!(sandbox.read("config/rbac/role.yaml").contains("- boats"));
    }
}

#[test]
fn a_file_or_folder_of_a_crate_gives_its_own_kinds() {
    let sandbox = operator();
    let run = sandbox.quiet(&["manifests", "src/crds/boat.rs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.path(BOAT).exists() && !sandbox.path(HARBOUR).exists());
    let run = sandbox.quiet_in("src", &["manifests", "crds", "-o", ".."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.path(HARBOUR).exists());
}

#[test]
fn a_path_without_rust_is_an_error() {
    let sandbox = operator();
    sandbox.write("README.md", "");
    sandbox.write("config/a.yaml", "");
    for (path, message) in [
        ("config", "config contains no .rs file"),
        ("README.md", "README.md is not a .rs file"),
    ] {
        let run = sandbox.quiet(&["manifests", path]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert_eq!(run.stderr, format!("error[K0002]: {message}\n\n"));
    }
}

#[test]
fn kinds_beside_folders_of_versions_are_found() {
    let kind = |kind: &str, version: &str| {
        format!(
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"{version}\", kind = \"{kind}\")]\n\
             pub struct {kind}Spec {{ size: u8 }}\n"
        )
    };
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    sandbox.write(
        "src/lib.rs",
        "use kube::CustomResource;\nmod crd;\nmod ship;\n",
    );
    sandbox.write("src/crd/mod.rs", "pub mod v1;\n");
    sandbox.write("src/crd/v1/mod.rs", &kind("Boat", "v1"));
    sandbox.write("src/ship.rs", &kind("Ship", "v2"));
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.path(BOAT).exists());
    assert!(
        sandbox
            .path("config/crd/bases/example.com_ships.yaml")
            .exists()
    );
}

/// This is the layout of crates generated from other projects' CRDs, and of operators that share
/// types between versions.
#[test]
fn derived_kinds_in_folders_of_versions_need_no_export() {
    let kind = |kind: &str, version: &str, field: &str| {
        format!(
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"{version}\", kind = \"{kind}\")]\n\
             pub struct {kind}Spec {{ {field} }}\n"
        )
    };
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    sandbox.write("src/lib.rs", "mod example;\nmod common;\n");
    sandbox.write("src/common.rs", "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct Berth { number: u16 }\n");
    sandbox.write("src/example/mod.rs", "pub mod v1;\n");
    sandbox.write("src/example/v1/mod.rs", "pub mod boats;\npub mod ships;\n");
    let boat = kind("Boat", "v1", "berth: crate::common::Berth");
    // A type with the same name as a kind of another module.
    let boat = format!(
        "{boat}\n#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct Ship {{}}\n"
    );
    sandbox.write("src/example/v1/boats.rs", &boat);
    // The kind's version differs from the folder's.
    sandbox.write(
        "src/example/v1/ships.rs",
        &kind("Ship", "v1beta1", "size: u8"),
    );
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.read(BOAT).contains("number:"));
    assert!(
        sandbox
            .read("config/crd/bases/example.com_ships.yaml")
            .contains("name: v1beta1")
    );

    // Markers on the version make it a version folder, whose rules then apply.
    sandbox.write(
        "src/example/v1/mod.rs",
        "//! +groupName=example.com\npub mod boats;\npub mod ships;\n",
    );
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("write `pub use boats::Boat;` in mod.rs"),
        "{}",
        run.stderr
    );
}

#[test]
fn files_of_one_crate_give_their_kinds_together() {
    let kind = |kind: &str| {
        format!(
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = \"{kind}\")]\n\
             pub struct {kind}Spec {{ hull: crate::Hull }}\n"
        )
    };
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    let hull = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct Hull { size: u8 }\n";
    sandbox.write(
        "src/lib.rs",
        &format!("mod boat;\nmod ship;\nmod raft;\n{hull}"),
    );
    for name in ["Boat", "Ship", "Raft"] {
        let path = format!("src/{}.rs", name.to_lowercase());
        sandbox.write(&path, &kind(name));
    }
    let run = sandbox.quiet(&["manifests", "src/boat.rs", "src/ship.rs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 group, 2 kinds"), "{}", run.stdout);
    assert!(
        !sandbox
            .path("config/crd/bases/example.com_rafts.yaml")
            .exists()
    );
    // Every file named on the command line must contain kinds.
    let run = sandbox.quiet(&["manifests", "src/boat.rs", "src/lib.rs"]);
    assert_eq!(run.code, 1);
    run.says("src/lib.rs contains no kind");
}

#[test]
fn kinds_in_any_module_give_the_manifests_of_kinds_in_folders() {
    let folders = Sandbox::with_apis("kubederive");
    let run = folders.quiet(&["manifests", "src/apis"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let flat = Sandbox::new();
    flat.write("Cargo.toml", MANIFEST);
    let version = testdata().join("apis/kubederive/src/apis/documents/v1");
    let read = |name: &str| std::fs::read_to_string(version.join(name)).unwrap();
    let types = read("types.rs");
    let main = format!("{types}\nmod plate;\nmod press;\n\nfn main() {{}}\n");
    flat.write("src/main.rs", &main);
    for module in ["plate.rs", "press.rs"] {
        flat.write(&format!("src/{module}"), &read(module));
    }
    flat.succeeds(&["manifests", "."]);
    let texts = |sandbox: &Sandbox| {
        let files = sandbox.state().into_iter();
        let files = files.filter(|(path, ..)| path.extension().is_some_and(|end| end == "yaml"));
        files.map(|(_, text, _)| text).collect::<Vec<_>>()
    };
    assert_eq!(texts(&flat), texts(&folders));
    assert_eq!(texts(&flat).len(), 5);
}

#[test]
fn what_is_wrong_with_the_kinds_of_a_crate_is_said_and_nothing_is_written() {
    #[track_caller]
    fn check(sandbox: &Sandbox, arguments: &[&str], expected: &str) {
        let run = sandbox.quiet(arguments);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        run.says(expected);
        assert!(!sandbox.path("config").exists());
    }
    let sandbox = operator();
    check(
        &sandbox,
        &["manifests", "src/common.rs"],
        "src/common.rs contains no kind",
    );
    sandbox.write("src/crds/boat.rs", "struct");
    check(&sandbox, &["manifests", "."], "--> src/crds/boat.rs:1:1");
    // Two types of one name in a module, and two `kube` attributes on one type.
    sandbox.write(
        "src/crds/boat.rs",
        "#[derive(CustomResource)]\n#[kube(group = \"a.b\", version = \"v1\", kind = \"A\")]\nstruct ASpec {}\n\
         #[cfg(a)]\n#[derive(CustomResource)]\n#[kube(group = \"a.b\", version = \"v1\", kind = \"B\")]\nstruct ASpec {}\n",
    );
    check(
        &sandbox,
        &["manifests", "."],
        "`ASpec` is declared twice in this module",
    );
    sandbox.write(
        "src/crds/boat.rs",
        "#[derive(CustomResource)]\n#[cfg_attr(a, kube(group = \"a.b\", version = \"v1\", kind = \"A\"))]\n\
         #[cfg_attr(not(a), kube(group = \"c.d\", version = \"v1\", kind = \"A\"))]\nstruct ASpec {}\n",
    );
    check(&sandbox, &["manifests", "."], "Duplicate field `group`");
    let sandbox = operator();
    sandbox.configure("[[crate]]\n[crate.rust]\napis = \"src\"\n[crate.manifests]\n");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 1);
    run.says("generated code cannot name `BoatSpec`");
    sandbox.configure("[[crate]]\nemit = []\n[crate.rust]\napis = \"src\"\n[crate.manifests]\n");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    sandbox.succeeds(&["generate", "--check"]);
    assert!(sandbox.path(BOAT).exists() && !sandbox.path("src/generated").exists());
}

#[test]
fn types_of_one_name_in_several_versions_are_apart() {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", MANIFEST);
    for (version, fields) in [
        ("v1", "pub size: u8"),
        ("v2", "pub size: String, pub port: String"),
    ] {
        let text = format!(
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"{version}\", \
             kind = \"Boat\", storage = {})]\npub struct BoatSpec {{\n    pub hull: Hull,\n}}\n\
             #[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\npub struct Hull {{ {fields} }}\n",
            version == "v1"
        );
        sandbox.write(&format!("src/{version}.rs"), &text);
    }
    sandbox.write("src/lib.rs", "pub mod v1;\npub mod v2;\n");
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let crd = sandbox.read(BOAT);
    let count = |text: &str| crd.matches(text).count();
    assert_eq!(
        [count("port:"), count("- port"), count("minimum: 0")],
        [1, 1, 1],
        "{crd}"
    );
}

#[test]
fn versions_that_share_selectable_fields_share_a_schema() {
    let version = |version: &str, fields: &str, more: &str| {
        format!(
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"{version}\", \
             kind = \"Boat\", storage = {}, {fields})]\npub struct BoatSpec{version} {{\n    pub name: String,\n    pub port: String,\n{more}}}\n",
            version == "v1"
        )
    };
    let both = "selectable = \".spec.name\", selectable = \".spec.port\"";
    let one = "selectable = \".spec.name\"";
    let run = |newer: &str, more: &str| {
        let sandbox = Sandbox::new();
        sandbox.write("Cargo.toml", MANIFEST);
        let texts = [version("v1", both, ""), version("v2", newer, more)];
        sandbox.write("src/lib.rs", &texts.concat());
        sandbox.quiet(&["manifests", "."])
    };
    let refused = run(both, "    pub size: u8,\n");
    assert_eq!(refused.code, 1);
    let expected = "versions with the same selectable fields and different schemas are refused";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    for (newer, more) in [(both, ""), (one, "    pub size: u8,\n")] {
        let run = run(newer, more);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}
