//! Types and kinds of one name in several modules of a crate.

use super::sandbox::{Run, Sandbox, copy, testdata};
use crate::support::names;

const DERIVE: &str = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]";

const BOAT: &str = "config/crd/bases/example.com_boats.yaml";

/// Returns the declaration of a kind of the group `example.com`.
fn kind(kind: &str, more: &str, fields: &str) -> String {
    format!(
        "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = \"{kind}\"{more})]\n\
         pub struct {kind}Spec {{ {fields} }}\n"
    )
}

/// Creates a crate with the modules.
fn crate_of(modules: &[(&str, String)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"operator\"\n");
    for (module, text) in modules {
        let text = text.replace("DERIVE", DERIVE);
        sandbox.write(&format!("src/{module}.rs"), &text);
    }
    sandbox
}

#[track_caller]
fn manifests(sandbox: &Sandbox) -> Run {
    let run = sandbox.quiet(&["manifests", ".", "--docs", "docs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

/// The properties of the field `berth` in a CRD.
fn berth(crd: &str) -> Vec<&str> {
    let (_, after) = crd.split_once("\n              berth:\n").unwrap();
    let (_, properties) = after.split_once("properties:\n").unwrap();
    let names = properties
        .lines()
        .take_while(|line| line.starts_with("                  "));
    let names = names.filter(|line| !line.starts_with("                   "));
    names
        .map(|line| line.trim().trim_end_matches(':'))
        .collect()
}

#[test]
fn types_of_one_name_in_several_modules_are_apart() {
    let ship = kind("Ship", "", "berth: other::Berth");
    let sandbox = crate_of(&[
        (
            "lib",
            "mod boat;\nmod ship;\nDERIVE\npub struct Berth { a: u8 }\n".to_owned(),
        ),
        (
            "boat",
            format!(
                "{}DERIVE\npub struct Berth {{ length: u8, more: Vec<crate::Berth> }}\n",
                kind("Boat", ", status = \"crate::Berth\"", "berth: Berth")
            ),
        ),
        ("ship", format!("mod other;\n{ship}")),
        (
            "ship/other",
            "DERIVE\npub struct Berth { depth: Depth }\n\
             DERIVE\npub enum Depth { Flat, Deep }\n"
                .to_owned(),
        ),
    ]);
    manifests(&sandbox);
    let boat = sandbox.read(BOAT);
    assert_eq!(berth(&boat), ["length", "more"], "{boat}");
    let (_, status) = boat.split_once("          status:\n").unwrap();
    assert!(status.contains("              a:\n"), "{boat}");
    let ship = sandbox.read("config/crd/bases/example.com_ships.yaml");
    assert_eq!(berth(&ship), ["depth"], "{ship}");

    let docs = sandbox.read("docs/example.com_v1.md");
    for (line, anchor) in [
        ("### boat::Berth\n", "(#boatberth)"),
        ("### crate::Berth\n", "(#crateberth)"),
        ("### other::Berth\n", "(#otherberth)"),
        ("### Depth\n", "(#depth)"),
    ] {
        assert_eq!(docs.matches(line).count(), 1, "{line}{docs}");
        assert!(docs.contains(anchor), "{anchor}\n{docs}");
    }
}

#[test]
fn a_type_may_have_the_name_of_a_kind_of_another_module() {
    let sandbox = crate_of(&[
        (
            "lib",
            format!("mod harbour;\n{}", kind("Boat", "", "name: String")),
        ),
        (
            "harbour",
            format!(
                "{}DERIVE\npub struct Boat {{ length: u8 }}\n",
                kind("Harbour", "", "boats: Vec<Boat>")
            ),
        ),
    ]);
    manifests(&sandbox);
    assert!(sandbox.read(BOAT).contains("              name:\n"));
    let docs = sandbox.read("docs/example.com_v1.md");
    assert!(
        docs.contains("(list of [harbour::Boat](#harbourboat))"),
        "{docs}"
    );
    assert!(docs.contains("\n## Boat\n"), "{docs}");
}

/// An implementation of a trait belongs to the type that its path names.
#[test]
fn implementations_by_hand_are_of_one_of_the_types() {
    let by_hand = "impl JsonSchema for crate::Size {}\n";
    let sandbox = crate_of(&[
        (
            "lib",
            format!(
                "mod ship;\n{}DERIVE\npub struct Size(u8);\n",
                kind("Boat", "", "size: Size")
            ),
        ),
        (
            "ship",
            format!(
                "{}#[derive(Serialize, Deserialize)]\npub struct Size(u8);\n{by_hand}",
                kind("Ship", "", "size: Size")
            ),
        ),
    ]);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    sandbox.write(
        "src/ship.rs",
        &sandbox.read("src/ship.rs").replace("crate::", ""),
    );
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("the schema of `Size` is not known");
    run.says("--> src/ship.rs:5:12");
}

#[test]
fn instances_of_generic_types_of_one_name_are_apart() {
    let generic = |kind_: &str, field: &str| {
        format!(
            "{}DERIVE\npub struct Of<T> {{ {field}: T }}\n",
            kind(kind_, "", "berth: Of<String>")
        )
    };
    let sandbox = crate_of(&[
        ("lib", "mod boat;\nmod ship;\n".to_owned()),
        ("boat", generic("Boat", "one")),
        ("ship", generic("Ship", "two")),
    ]);
    manifests(&sandbox);
    assert_eq!(berth(&sandbox.read(BOAT)), ["one"]);
    let ship = sandbox.read("config/crd/bases/example.com_ships.yaml");
    assert_eq!(berth(&ship), ["two"]);
    let docs = sandbox.read("docs/example.com_v1.md");
    assert!(docs.contains("[boat::Of](#boatof)"), "{docs}");
}

#[test]
fn equal_declarations_of_a_kind_make_one_crd() {
    let boat = |field: &str| {
        format!(
            "{}DERIVE\npub struct Berth {{ {field}: u8, place: Option<Place> }}\nDERIVE\npub struct Place(String);\n",
            kind("Boat", "", "berth: Berth")
        )
    };
    let sandbox = crate_of(&[
        ("lib", "mod a;\nmod b;\n".to_owned()),
        ("a", boat("length")),
        ("b", boat("length")),
    ]);
    let run = manifests(&sandbox);
    assert!(run.stdout.contains("1 group, 1 kind,"), "{}", run.stdout);
    let docs = sandbox.read("docs/example.com_v1.md");
    assert_eq!(docs.matches("\n## Boat\n").count(), 1, "{docs}");

    sandbox.write("src/b.rs", &boat("depth").replace("DERIVE", DERIVE));
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("two declarations of `Boat` differ");
    run.says("--> src/b.rs:3:12");
    run.says("::: src/a.rs:3:12");
    let run = sandbox.quiet(&["manifests", "src/b.rs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);

    let other = kind("Ship", ", plural = \"boats\"", "a: u8");
    sandbox.write("src/b.rs", &other);
    let run = sandbox.quiet(&["manifests", "."]);
    run.says("two kinds of this version have the plural `boats`");
}

/// No code is generated, so no module needs a name of its own.
#[test]
fn groups_of_a_crate_may_start_with_one_label() {
    let of_group = |group: &str| kind("Boat", "", "a: u8").replace("example.com", group);
    let sandbox = crate_of(&[
        ("lib", "mod a;\nmod b;\n".to_owned()),
        ("a", of_group("sea.example.com")),
        ("b", of_group("sea.example.org")),
    ]);
    let run = manifests(&sandbox);
    assert!(run.stdout.contains("2 groups, 2 kinds"), "{}", run.stdout);
}

#[test]
fn crates_may_share_a_version_and_names() {
    let sandbox = Sandbox::new();
    for (name, kind_) in [("boat", "Boat"), ("ship", "Ship")] {
        let text = format!(
            "{}{DERIVE}\npub struct Berth {{ {name}: u8 }}\n",
            kind(kind_, "", "berth: Berth")
        );
        sandbox.write(&format!("{name}/Cargo.toml"), "[package]\nname = \"a\"\n");
        sandbox.write(&format!("{name}/src/lib.rs"), &text);
    }
    let run = sandbox.quiet(&["manifests", "boat", "ship", "--docs", "docs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(berth(&sandbox.read(BOAT)), ["boat"]);
    let ship = sandbox.read("config/crd/bases/example.com_ships.yaml");
    assert_eq!(berth(&ship), ["ship"]);
    let docs = sandbox.read("docs/example.com_v1.md");
    assert!(docs.contains("### ship::Berth\n"), "{docs}");
}

#[test]
fn the_members_of_a_workspace_are_read_each_as_a_crate() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"api\", \"crates/*-operator\"]\nexclude = [\"crates/old-operator\"]\n",
    );
    let crates = [
        ("api", "Boat", true),
        ("crates/ship-operator", "Ship", true),
        ("crates/old-operator", "Old", false),
        ("crates/tool", "Tool", false),
    ];
    for (folder, name, _) in crates {
        let manifest = "[package]\nname = \"a\"\n[features]\ndefault = [\"on\"]\non = []\n";
        sandbox.write(&format!("{folder}/Cargo.toml"), manifest);
        let text = kind(
            name,
            "",
            "#[cfg(feature = \"on\")] berth: crate::types::Berth",
        );
        let text = format!("mod types;\n{text}");
        sandbox.write(&format!("{folder}/src/lib.rs"), &text);
        let berth = format!(
            "{DERIVE}\npub struct Berth {{ of_{}: u8 }}\n",
            name.to_lowercase()
        );
        sandbox.write(&format!("{folder}/src/types.rs"), &berth);
    }
    sandbox.write("crates/plain-operator/src/lib.rs", "pub fn plain() {}\n");
    manifests(&sandbox);
    for (_, name, is_read) in crates {
        let name = name.to_lowercase();
        let path = format!("config/crd/bases/example.com_{name}s.yaml");
        assert_eq!(sandbox.path(&path).exists(), is_read, "{path}");
        if is_read {
            assert_eq!(berth(&sandbox.read(&path)), [format!("of_{name}")]);
        }
    }
}

#[test]
fn a_workspace_is_read_whole_whatever_declares_its_kinds() {
    let sandbox = Sandbox::new();
    let package = "[package]\nname = \"a\"\n";
    let members = "[workspace]\nmembers = [\"lamp\", \"tool\", \"network\"]\n";
    sandbox.write("Cargo.toml", &format!("{package}{members}"));
    for folder in ["lamp", "tool", "network"] {
        sandbox.write(&format!("{folder}/Cargo.toml"), package);
    }
    for (case, folder) in [("foo", "src"), ("network", "network/src")] {
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path(folder));
        sandbox.write(&format!("{folder}/lib.rs"), "pub mod apis;\n");
    }
    sandbox.write("lamp/src/lib.rs", &kind("Lamp", "", "on: bool"));
    sandbox.write("tool/src/lib.rs", "pub fn tool() {}\n");
    let crds = |sandbox: &Sandbox| {
        let bases = sandbox.path("config/crd/bases");
        let found = names(&bases);
        std::fs::remove_dir_all(bases).unwrap();
        found
    };
    let lamps = "example.com_lamps.yaml";
    let [networks, routes] =
        ["networks", "routes"].map(|plural| format!("samplecrd.k8s.io_{plural}.yaml"));
    manifests(&sandbox);
    let foos = "samplecontroller.k8s.io_foos.yaml";
    assert_eq!(crds(&sandbox), [lamps, foos, &networks, &routes]);
    // Without a crate of its own.
    sandbox.write("Cargo.toml", members);
    std::fs::remove_dir_all(sandbox.path("src")).unwrap();
    manifests(&sandbox);
    assert_eq!(crds(&sandbox), [lamps, &networks, &routes]);
}

#[test]
fn a_file_of_the_current_folder_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("lamp.rs", &kind("Lamp", "", "on: bool"));
    sandbox.succeeds(&["manifests", "lamp.rs"]);
    let crd = sandbox.read("config/crd/bases/example.com_lamps.yaml");
    assert!(crd.contains("kind: Lamp"), "{crd}");
    let run = sandbox.quiet(&["manifests", "ship.rs"]);
    run.says("cannot read ship.rs");
    let annotated = Sandbox::with_apis("foo");
    let file = "src/apis/samplecontroller/v1alpha1/types.rs";
    let run = annotated.quiet(&["manifests", file]);
    run.says("types.rs contains no kind");
    run.says("name the folder that contains <group>");
}

/// kube before 0.87 calls the attribute for the name of the root `struct`.
#[test]
fn a_root_is_found_by_either_attribute() {
    for attribute in ["root", "struct"] {
        let boat = kind("Boat", &format!(", {attribute} = \"Vessel\""), "length: u8");
        let fleet = kind("Fleet", "", "berth: Vessel");
        let sandbox = crate_of(&[("lib", boat + &fleet)]);
        manifests(&sandbox);
        let fleets = sandbox.read("config/crd/bases/example.com_fleets.yaml");
        assert_eq!(berth(&fleets), ["spec"], "{attribute}");
    }
}
