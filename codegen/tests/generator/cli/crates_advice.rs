//! The advice in errors about types of a crate, followed on the input that caused it.

use super::sandbox::{Run, Sandbox};

const DERIVE: &str = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]";

fn manifests(text: &str, arguments: &[&str]) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"operator\"\n[dependencies]\nother = \"1\"\n",
    );
    let head = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = \"Boat\")]";
    let text = text.replace("KIND", head).replace("DERIVE", DERIVE);
    sandbox.write("src/lib.rs", &text);
    sandbox.quiet(&[&["manifests", "."], arguments].concat())
}

const PRESERVE: &str = "+kubebuilder:pruning:PreserveUnknownFields";
const TYPE: &str = "+kubebuilder:validation:Type=";

/// Checks that a text, in which `//` stands for the advised marker, fails with an error and that
/// advice, and passes with it.
#[track_caller]
fn check(text: &str, error: &str, advice: &[&str]) {
    let run = manifests(&text.replace("//\n", ""), &[]);
    assert_eq!(run.code, 1, "{text}");
    run.says(error);
    for marker in advice {
        let said = marker.split_inclusive('=').next().unwrap_or(marker);
        assert!(run.stderr.contains(said), "{said}\n{}", run.stderr);
        let followed = manifests(&text.replace("//\n", &format!("// {marker}\n")), &[]);
        assert_eq!(followed.code, 0, "{marker}\n{}", followed.stderr);
    }
}

#[test]
fn markers_declare_what_is_not_known() {
    let text = format!("{TYPE}string");
    let both = [PRESERVE, text.as_str()];
    // A type of a registry's crate: of a field, and behind a newtype.
    let unknown = "has no schema: its type `other::Thing` is not known";
    check(
        "KIND\npub struct BoatSpec {\n//\na: other::Thing }\n",
        unknown,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec {\n//\na: Option<other::Thing> }\n",
        unknown,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec { a: New }\n//\nDERIVE\npub struct New(other::Thing);\n",
        unknown,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec {\n//\na: (u8, u8) }\n",
        "its type `(u8, u8)` is not known",
        &[PRESERVE],
    );
    // Code.
    let code = "is not known without compiling";
    check(
        "KIND\npub struct BoatSpec {\n//\n#[schemars(schema_with = \"make\")]\na: u8 }\n",
        code,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec {\n//\n#[schemars(transform = make)]\na: u8 }\n",
        code,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec { a: New }\n//\nDERIVE\n#[schemars(transform = make)]\npub struct New { b: u8 }\n",
        code,
        &both,
    );
    check(
        "KIND\npub struct BoatSpec { a: New }\n//\npub struct New(u8);\nimpl JsonSchema for New { fn json_schema(g: &mut SchemaGenerator) -> Schema { make(g) } }\n",
        "the schema of `New` is not known: code creates it",
        &both,
    );
    check(
        "KIND\npub struct BoatSpec { a: Level }\n//\n#[derive(Serialize_repr, Deserialize_repr, JsonSchema_repr)]\npub enum Level { A = 1 }\n",
        "serde_repr writes a number",
        &["+kubebuilder:validation:Type=integer"],
    );
}

#[test]
fn other_types_have_the_schema_of_what_is_not_known() {
    let before = "KIND\npub struct BoatSpec { WITH a: other::Thing }\n";
    let run = manifests(&before.replace("WITH", ""), &[]);
    run.says("the crate `other` is from a registry");
    run.says("#[schemars(with = \"…\")]");
    let followed = manifests(
        &before.replace("WITH", "#[schemars(with = \"String\")]"),
        &[],
    );
    assert_eq!(followed.code, 0, "{}", followed.stderr);
}

#[test]
fn the_crate_behind_a_re_export_is_named() {
    let run = manifests(
        "KIND\npub struct BoatSpec { a: crate::names::Thing }\nmod names { pub use other::things::*; }\n",
        &[],
    );
    assert_eq!(run.code, 1);
    run.says("`crate::names` re-exports another crate: the crate `other` is from a registry");
}

#[test]
fn constants_and_literals_take_the_place_of_code() {
    let of = |attribute: &str, below: &str| {
        format!(
            "KIND\npub struct BoatSpec {{\n//\n#[schemars({attribute})]\na: String }}\n{below}\n"
        )
    };
    let code = "is not known without compiling";
    check(
        &of("regex(pattern = re())", ""),
        code,
        &["+kubebuilder:validation:Pattern=a"],
    );
    check(
        &of("length(max = most())", ""),
        code,
        &["+kubebuilder:validation:MaxLength=3"],
    );
    let literal = manifests(
        &of(
            "regex(pattern = re())",
            "fn re() -> &'static str { \"^a$\" }",
        ),
        &[],
    );
    assert_eq!(literal.code, 0, "{}", literal.stderr);
    let constant = manifests(&of("length(max = MOST)", "const MOST: usize = 3;"), &[]);
    assert_eq!(constant.code, 0, "{}", constant.stderr);
}

/// kube writes them, too, so a kind of its derive has its CRD.
#[test]
fn floating_point_numbers_are_warned_of_without_the_flag_that_the_warning_names() {
    let text = "KIND\npub struct BoatSpec { a: f64 }\n";
    let run = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: `BoatSpec.a` is a floating-point number");
    run.says("--floats");
    let permitted = manifests(text, &["--floats"]);
    assert_eq!((permitted.code, permitted.stderr.as_str()), (0, ""));
}

#[test]
fn a_duration_of_rust_has_the_form_that_serde_writes() {
    let text = "KIND\npub struct BoatSpec { a: std::time::Duration }\n";
    let run = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: `BoatSpec.a` is a duration of Rust");
    run.says("use Kubernetes' Duration, or a number of seconds");
    let seconds = manifests(&text.replace("std::time::Duration", "u64"), &[]);
    assert_eq!((seconds.code, seconds.stderr.as_str()), (0, ""));
}

#[test]
fn a_circle_is_closed_by_the_markers_that_the_error_names() {
    let text = "KIND\npub struct BoatSpec { a: Node }\nDERIVE\npub struct Node {\n//\nnext: Option<Box<Node>> }\n";
    let run = manifests(&text.replace("//\n", ""), &[]);
    run.says(
        "`+kubebuilder:validation:Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields`",
    );
    let both = format!("// +kubebuilder:validation:Schemaless\n// {PRESERVE}\n");
    let followed = manifests(&text.replace("//\n", &both), &[]);
    assert_eq!(followed.code, 0, "{}", followed.stderr);
}
