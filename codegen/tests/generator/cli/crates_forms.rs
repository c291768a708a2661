//! Kinds of a crate in less common forms of Rust.

use super::sandbox::{Run, Sandbox};

const HEAD: &str = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = ";

const BOAT: &str = "config/crd/bases/example.com_boats.yaml";

/// Creates a crate with the files; `KIND` stands for the start of a kind, `DERIVE` for the derives
/// of other types.
fn crate_of(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"operator\"\n");
    for (file, text) in files {
        write(&sandbox, file, text);
    }
    sandbox
}

fn write(sandbox: &Sandbox, file: &str, text: &str) {
    let text = text.replace("KIND", HEAD).replace(
        "DERIVE",
        "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]",
    );
    sandbox.write(file, &text);
}

#[track_caller]
fn manifests(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let run = sandbox.quiet(&[&["manifests", "."], arguments].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

#[track_caller]
fn manifests_of(sandbox: &Sandbox, path: &str) -> Run {
    let run = sandbox.quiet(&["manifests", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

/// Asserts that the CRD has these lines, one below the other.
#[track_caller]
fn has_lines(crd: &str, lines: &[&str]) {
    let mut rest = crd.lines().map(str::trim);
    for line in lines {
        assert!(rest.any(|it| it == *line), "{line}\n{crd}");
    }
}

/// As rustc resolves them: modules of a file that a `path` attribute names are in its directory.
#[test]
fn modules_of_files_with_path_attributes_are_found() {
    let sandbox = crate_of(&[
        (
            "src/lib.rs",
            "#[path = \"parts/hull.rs\"]\nmod boat;\nmod inner {\n#[path = \"deep.rs\"]\npub mod deeper;\n}\n\
             #[path = \"two.rs\"]\nmod one;\n#[path = \"one.rs\"]\nmod two;\n",
        ),
        (
            "src/parts/hull.rs",
            "mod plank;\n#[path = \"nail.rs\"]\nmod pin;\nKIND\"Boat\")]\npub struct BoatSpec { plank: plank::Plank, pin: pin::Pin, deep: crate::inner::deeper::Deep, \
             one: crate::one::InTwo, two: crate::two::InOne }\n",
        ),
        (
            "src/parts/plank.rs",
            "mod below;\nDERIVE\npub struct Plank { a: self::below::Below }\n",
        ),
        (
            "src/parts/plank/below.rs",
            "DERIVE\npub struct Below { below: u8 }\n",
        ),
        ("src/parts/nail.rs", "DERIVE\npub struct Pin { nail: u8 }\n"),
        (
            "src/inner/deep.rs",
            "DERIVE\npub struct Deep { deep: u8 }\n",
        ),
        ("src/one.rs", "DERIVE\npub struct InOne { of_one: u8 }\n"),
        ("src/two.rs", "DERIVE\npub struct InTwo { of_two: u8 }\n"),
    ]);
    manifests(&sandbox, &[]);
    let crd = sandbox.read(BOAT);
    let order = ["deep:", "of_two:", "nail:", "below:", "of_one:"];
    has_lines(&crd, &order);
}

#[test]
fn raw_identifiers_name_the_status() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\", status = \"r#struct::r#State\")]\npub struct BoatSpec { r#type: größe::Größe }\n\
         mod r#struct {\nDERIVE\npub struct State { r#try: bool }\n}\n\
         mod größe {\nDERIVE\npub struct Größe { länge: u8 }\n}\n",
    )]);
    manifests(&sandbox, &[]);
    has_lines(&sandbox.read(BOAT), &["type:", "länge:", "try:"]);
}

#[test]
fn a_transparent_struct_has_the_schema_of_its_field() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { length: Length }\n\
         DERIVE\n#[serde(transparent)]\npub struct Length { metres: u8, #[serde(skip)] kind: std::marker::PhantomData<u8> }\n",
    )]);
    manifests(&sandbox, &[]);
    has_lines(&sandbox.read(BOAT), &["length:", "maximum: 255"]);
    assert!(!sandbox.read(BOAT).contains("metres"));
}

#[test]
fn parameters_of_generic_types_have_defaults() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { a: Of, b: Of<bool>, c: Of<u8, i64> }\n\
         DERIVE\npub struct Of<T = String, U = Vec<T>> { one: T, two: U }\n",
    )]);
    manifests(&sandbox, &[]);
    let crd = sandbox.read(BOAT);
    #[rustfmt::skip]
    let lines = [
        "a:", "one:", "type: string", "two:", "items:", "type: string", "type: array",
        "b:", "one:", "type: boolean", "two:", "items:", "type: boolean", "type: array",
        "c:", "one:", "maximum: 255", "two:", "format: int64",
    ];
    has_lines(&crd, &lines);
}

const CONDITIONAL: &str = "\
// +kubebuilder:validation:MaxProperties=3
#[cfg(feature = \"two\")]
DERIVE
pub struct Hull { two: u8 }
#[cfg(not(feature = \"two\"))]
DERIVE
pub struct Hull { one: u8 }
KIND\"Boat\")]
#[cfg_attr(feature = \"two\", serde(rename_all = \"UPPERCASE\"))]
pub struct BoatSpec {
    hull: Hull,
    /// +kubebuilder:validation:Minimum=7
    #[cfg(feature = \"two\")]
    second: u8,
    #[cfg(not(feature = \"two\"))]
    first: u8,
    #[cfg(unix)]
    anywhere: Rig,
}
DERIVE
pub enum Rig {
    Sloop,
    #[cfg(feature = \"two\")]
    Ketch,
}
#[cfg(feature = \"ships\")]
mod ship;
#[cfg(feature = \"two\")]
mod both;
#[cfg(not(feature = \"two\"))]
pub mod both;
";

fn conditional() -> Sandbox {
    let sandbox = crate_of(&[
        ("src/lib.rs", CONDITIONAL),
        (
            "src/ship.rs",
            "KIND\"Ship\")]\npub struct ShipSpec { a: u8 }\n",
        ),
        (
            "src/both.rs",
            "KIND\"Raft\")]\npub struct RaftSpec { a: u8 }\n",
        ),
    ]);
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"operator\"\n[features]\ndefault = [\"one\"]\none = []\ntwo = []\nships = [\"two\"]\n",
    );
    sandbox
}

#[test]
fn default_features_decide_conditions() {
    let sandbox = conditional();
    let run = manifests(&sandbox, &[]);
    assert!(run.stdout.contains("1 group, 2 kinds,"), "{}", run.stdout);
    run.says(
        "warning: kinds are left out: the features that they need are off\n  --> src/lib.rs:28:5",
    );
    assert_eq!(manifests_of(&sandbox, "src/both.rs").stderr, "");
    let crd = sandbox.read(BOAT);
    has_lines(&crd, &["anywhere:", "- Sloop", "first:", "hull:", "one:"]);
    for left_out in [
        "two:",
        "Ketch",
        "second:",
        "ANYWHERE",
        "minimum: 7",
        "maxProperties",
    ] {
        assert!(!crd.contains(left_out), "{left_out}\n{crd}");
    }
}

#[test]
fn selected_features_decide_conditions() {
    let check = |sandbox: &Sandbox, run: &Run, kinds: usize| {
        assert_eq!(run.stderr, "");
        let said = format!("1 group, {kinds} kinds,");
        assert!(run.stdout.contains(&said), "{}", run.stdout);
        let crd = sandbox.read(BOAT);
        has_lines(
            &crd,
            &[
                "ANYWHERE:",
                "- Ketch",
                "HULL:",
                "two:",
                "SECOND:",
                "minimum: 7",
            ],
        );
        assert!(!crd.contains("one:") && !crd.contains("FIRST:"), "{crd}");
    };
    for (arguments, kinds) in [
        (&["--features", "one,two"][..], 2),
        (&["--features", "ships"], 3),
        (&["--no-default-features", "--features", "two"], 2),
        (&["--all-features"], 3),
    ] {
        let sandbox = conditional();
        let run = manifests(&sandbox, arguments);
        check(&sandbox, &run, kinds);
    }
    let sandbox = conditional();
    sandbox.configure(
        "[[crate]]\nemit = []\n[crate.rust]\napis = \"src\"\nfeatures = [\"ships\"]\ndefault-features = false\n[crate.manifests]\n",
    );
    let run = sandbox.quiet(&["generate"]);
    check(&sandbox, &run, 3);
    let run = sandbox.quiet(&["manifests", ".", "--features", "ship"]);
    assert_eq!(run.code, 2);
    run.says("error[K0004]: src has no feature `ship`");
    run.says("did you mean `ships`?");
}

#[test]
fn features_that_leave_out_all_kinds_are_named() {
    let sandbox = conditional();
    write(
        &sandbox,
        "src/lib.rs",
        "#[cfg(feature = \"ships\")]\nmod ship;\n",
    );
    sandbox.write("src/both.rs", "");
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("src contains no kind");
    run.says("`--features NAMES` or `--all-features`");
    // A folder with a `mod.rs` may have no kinds yet.
    sandbox.write("src/ship/mod.rs", &sandbox.read("src/ship.rs"));
    std::fs::remove_file(sandbox.path("src/ship.rs")).unwrap();
    let run = manifests_of(&sandbox, "src/ship");
    run.says(
        "warning: kinds are left out: the features that they need are off\n --> src/lib.rs:2:5",
    );
}

#[test]
fn kinds_of_macros_are_missed_aloud() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { a: u8 }\n\
         macro_rules! kind {\n($name:ident) => { #[derive(CustomResource)] struct $name {} }\n}\nkind!(Ship);\n\
         macro_rules! other { () => {} }\n",
    )]);
    let run = manifests(&sandbox, &[]);
    run.says("warning: kinds that a macro declares are not read\n --> src/lib.rs:4:1");
    assert_eq!(run.stderr.matches("warning").count(), 1, "{}", run.stderr);
}

#[test]
fn adapters_of_serde_with_decide_the_schema() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "#[serde_as]\nKIND\"Boat\")]\npub struct BoatSpec {\n\
         #[serde_as(as = \"Option<DisplayFromStr>\")] a: Option<u32>,\n\
         #[serde_as(as = \"Vec<DisplayFromStr>\")] b: Vec<u8>,\n\
         #[serde_as(as = \"serde_with::DurationSeconds\")] c: std::time::Duration,\n\
         #[serde_as(as = \"PickFirst<(_, Own)>\")]\n#[schemars(with = \"bool\")] d: u8,\n}\n",
    )]);
    manifests(&sandbox, &[]);
    let crd = sandbox.read(BOAT);
    #[rustfmt::skip]
    let lines = [
        "a:", "nullable: true", "type: string", "b:", "items:", "type: string", "c:", "format: int64", "d:", "type: boolean",
    ];
    has_lines(&crd, &lines);
    assert!(!crd.contains("maximum"), "{crd}");
    let text = sandbox.read("src/lib.rs");
    sandbox.write(
        "src/lib.rs",
        &text.replace("#[schemars(with = \"bool\")]", ""),
    );
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("`#[serde_as(as = \"PickFirst<(_, Own)>\")]` is not known without compiling\n --> src/lib.rs:8:17");
}

#[test]
fn boxed_text_is_text() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { a: Box<str>, b: std::sync::Arc<str> }\n",
    )]);
    manifests(&sandbox, &[]);
    has_lines(
        &sandbox.read(BOAT),
        &["a:", "type: string", "b:", "type: string"],
    );
}

#[test]
fn constants_bound_arrays() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "const MASTS: usize = 3;\nmod sizes {\npub const OARS: usize = 40;\n}\n\
         KIND\"Boat\")]\npub struct BoatSpec { a: [u8; MASTS], b: Option<Vec<[String; sizes::OARS]>>, c: [bool; MASTS + 1] }\n",
    )]);
    manifests(&sandbox, &[]);
    let crd = sandbox.read(BOAT);
    #[rustfmt::skip]
    let lines = [
        "a:", "maxItems: 3", "minItems: 3", "b:", "items:", "maxItems: 40", "minItems: 40", "c:",
    ];
    has_lines(&crd, &lines);
    assert_eq!(crd.matches("maxItems").count(), 2, "{crd}");
}

/// kube stores a version unless `storage = false` says otherwise.
#[test]
fn a_version_that_is_not_to_be_stored_is_not() {
    let stored = |storages: [&str; 3]| {
        let versions = ["v1alpha1", "v1", "v2"].iter().zip(storages);
        let text = versions.map(|(version, storage)| {
            let head = HEAD.replace("\"v1\"", &format!("\"{version}\""));
            format!(
                "mod {version} {{\n{head}\"Boat\"{storage})]\npub struct BoatSpec {{ a: u8 }}\n}}\n"
            )
        });
        let sandbox = crate_of(&[("src/lib.rs", &text.collect::<String>())]);
        manifests(&sandbox, &[]);
        let crd = sandbox.read(BOAT);
        assert_eq!(crd.matches("storage: true").count(), 1, "{crd}");
        let (before, _) = crd.split_once("storage: true").unwrap();
        let name = before.rsplit_once("- name: ").unwrap().1;
        name.lines().next().unwrap_or_default().to_owned()
    };
    let not = ", storage = false";
    assert_eq!(stored(["", "", ""]), "v2");
    assert_eq!(stored(["", "", not]), "v1");
    assert_eq!(stored(["", not, not]), "v1alpha1");
    assert_eq!(stored([", storage = true", "", not]), "v1alpha1");
}

/// Kubernetes asks for a label in whatever case.
#[test]
fn a_kind_may_be_in_lower_case() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"boat\")]\npub struct BoatSpec { a: u8 }\n",
    )]);
    manifests(&sandbox, &[]);
    has_lines(&sandbox.read(BOAT), &["kind: boat", "listKind: boatList"]);
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"a boat\")]\npub struct BoatSpec { a: u8 }\n",
    )]);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("`a boat` in `#[kube(…)]` is not a valid name");
}

#[test]
fn the_version_of_definitions_themselves_is_one_that_kubernetes_has() {
    let text = "KIND\"Boat\", apiextensions = \"v1\")]\npub struct BoatSpec { a: u8 }\n";
    let sandbox = crate_of(&[("src/lib.rs", text)]);
    manifests(&sandbox, &[]);
    let sandbox = crate_of(&[("src/lib.rs", &text.replace("\"v1\")]", "\"v1beta1\")]"))]);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("Kubernetes no longer has CRDs of this version: write \"v1\"");
}

#[test]
fn globs_of_preludes_import_types_with_schemas() {
    let text = "use chrono::prelude::*;\nKIND\"Boat\")]\npub struct BoatSpec { a: DateTime<Utc>, b: NaiveDate }\n";
    let sandbox = crate_of(&[("src/lib.rs", text)]);
    manifests(&sandbox, &[]);
    let lines = ["a:", "format: date-time", "b:", "format: date"];
    has_lines(&sandbox.read(BOAT), &lines);
}

/// As in schemars, which looks for the items of a string in vain.
#[test]
fn constraints_on_items_of_items_that_are_no_lists_have_no_effect() {
    let text = "KIND\"Boat\")]\npub struct BoatSpec { #[garde(inner(inner(length(min = 1))))] a: Option<Vec<String>> }\n";
    let sandbox = crate_of(&[("src/lib.rs", text)]);
    let run = manifests(&sandbox, &[]);
    run.says("warning: `#[garde(length(min))]` has no effect on a string");
    assert!(!sandbox.read(BOAT).contains("minLength"));
}

/// strum makes an enum of the variants alone, with the attributes that it is told to pass on.
#[test]
fn discriminants_of_strum_are_types() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { drive: DriveDiscriminants, rig: Rigging, other: DriveDiscriminants }\n\
         #[derive(Clone, strum::EnumDiscriminants)]\n#[strum_discriminants(derive(Serialize, Deserialize, JsonSchema))]\n\
         #[strum_discriminants(serde(rename_all = \"camelCase\"))]\n\
         pub enum Drive { Sail(Vec<f64>), #[strum_discriminants(serde(rename = \"motor\"))] Engine { power: u8 }, OarsOnly }\n\
         #[derive(EnumDiscriminants)]\n#[strum_discriminants(name(Rigging), vis(pub), derive(Serialize, Deserialize, JsonSchema))]\n\
         enum Kind { Sloop(Unknown), #[cfg(feature = \"off\")] Ketch, #[strum_discriminants(schemars(skip))] Other }\n",
    )]);
    let run = manifests(&sandbox, &[]);
    run.says("the schema does not permit `Other`, which the program may send");
    #[rustfmt::skip]
    let lines = [
        "drive:", "enum:", "- sail", "- motor", "- oarsOnly", "type: string",
        "rig:", "enum:", "- Sloop", "type: string",
    ];
    let crd = sandbox.read(BOAT);
    has_lines(&crd, &lines);
    assert!(!crd.contains("Ketch") && !crd.contains("Other"), "{crd}");
}

/// As kube's derive declares it, the root of a kind has a schema of spec and status.
#[test]
fn a_root_may_be_a_part_of_another_type() {
    let fleet = "config/crd/bases/sea.example.com_fleets.yaml";
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\", status = \"State\", validation = \"has(self.spec)\")]\npub struct BoatSpec { length: u8 }\n\
         DERIVE\npub struct State { afloat: bool }\n\
         mod sea {\nuse super::Boat as Vessel;\nDERIVE\n#[derive(CustomResource)]\n#[kube(group = \"sea.example.com\", version = \"v1\", kind = \"Fleet\", root = \"Ships\")]\npub struct FleetSpec { boats: Vec<Vessel>, first: crate::Plain }\n}\n\
         KIND\"Plain\", no_spec)]\npub struct PlainSpec { mast: bool }\n",
    )]);
    let run = manifests(&sandbox, &[]);
    run.says("warning: `Boat` has no metadata where it is part of another type");
    run.says("use the spec, `BoatSpec`, as the type of the field");
    #[rustfmt::skip]
    let lines = [
        "spec:", "properties:", "boats:", "items:", "properties:", "spec:", "properties:", "length:",
        "required:", "- length", "type: object", "status:", "nullable: true", "properties:", "afloat:",
        "required:", "- spec", "x-kubernetes-validations:", "- rule: has(self.spec)",
        "first:", "mast:",
    ];
    let crd = sandbox.read(fleet);
    has_lines(&crd, &lines);
    assert_eq!(crd.matches("metadata:").count(), 2, "{crd}");
    // The advice.
    let text = sandbox.read("src/lib.rs");
    let text = text.replace("Boat as Vessel", "BoatSpec as Vessel");
    sandbox.write(
        "src/lib.rs",
        &text.replace("crate::Plain ", "crate::PlainSpec "),
    );
    assert_eq!(manifests(&sandbox, &[]).stderr, "");
    has_lines(
        &sandbox.read(fleet),
        &["boats:", "length:", "first:", "mast:"],
    );
}

/// A kind beside its own root as a part: the CRDs of both are whole.
#[test]
fn a_root_may_be_a_part_of_a_kind_of_its_version() {
    let sandbox = crate_of(&[(
        "src/lib.rs",
        "KIND\"Boat\")]\npub struct BoatSpec { length: u8 }\nKIND\"Fleet\")]\npub struct FleetSpec { boats: Vec<Boat> }\n",
    )]);
    manifests(&sandbox, &["--docs", "api.md"]);
    let fleet = sandbox.read("config/crd/bases/example.com_fleets.yaml");
    has_lines(&fleet, &["boats:", "items:", "spec:", "length:"]);
    has_lines(
        &sandbox.read(BOAT),
        &["metadata:", "type: object", "spec:", "length:"],
    );
    let docs = sandbox.read("api.md");
    assert!(docs.contains("BoatEmbedded"), "{docs}");
}
