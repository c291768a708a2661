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
fn times_of_rust_have_the_form_that_serde_writes() {
    for ty in ["std::time::Duration", "std::time::SystemTime"] {
        let text = format!("KIND\npub struct BoatSpec {{ a: {ty} }}\n");
        let run = manifests(&text, &[]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.says(&format!("warning: `BoatSpec.a` is a `{ty}`"));
        run.says("use Kubernetes' Duration or Time, or a number of seconds");
        let seconds = manifests(&text.replace(ty, "u64"), &[]);
        assert_eq!((seconds.code, seconds.stderr.as_str()), (0, ""));
    }
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

/// Checks that the first text is reported, in an error or a warning, with advice, and that the
/// second, which follows it, passes without a word.
#[track_caller]
fn follow(before: &str, message: &str, advice: &str, after: &str) {
    let run = manifests(before, &[]);
    assert!(run.stderr.contains(message), "{before}\n{}", run.stderr);
    assert!(run.stderr.contains(advice), "{before}\n{}", run.stderr);
    let followed = manifests(after, &[]);
    let found = (followed.code, followed.stderr.as_str());
    assert_eq!(found, (0, ""), "{after}");
}

/// Checks advice about the part of a text that stands for `@`.
#[track_caller]
fn check_part(text: &str, part: &str, message: &str, advice: &str, mended: &str) {
    let with = |part: &str| format!("KIND\n{}\n", text.replace('@', part));
    follow(&with(part), message, advice, &with(mended));
}

#[test]
fn advice_about_attributes_of_kube_is_followed() {
    let text = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\"@)]\npub struct BoatSpec { @@: u8 }\n";
    let check = |part: &str, field: &str, message: &str, advice: &str, mended: (&str, &str)| {
        let with = |part: &str, field: &str| text.replace("@@", field).replace('@', part);
        follow(
            &with(part, field),
            message,
            advice,
            &with(mended.0, mended.1),
        );
    };
    let kind = ", kind = \"Boat\"";
    let and = |more: &str| format!("{kind}, {more}");
    check(
        "",
        "a",
        "Missing field `kind`",
        "add `kind = \"…\"`",
        (kind, "a"),
    );
    check(
        &and("apiextensions = \"v1beta1\""),
        "a",
        "Kubernetes no longer has CRDs of this version",
        "write \"v1\"",
        (&and("apiextensions = \"v1\""), "a"),
    );
    check(
        &and("plural = \"Boats\""),
        "a",
        "`Boats` in `#[kube(…)]` is not a valid name",
        "plurals DNS labels, in lower case",
        (&and("plural = \"boats\""), "a"),
    );
    check(
        ", kind = \"a-boat\"",
        "a",
        "is not a valid name",
        "kinds are letters and digits",
        (kind, "a"),
    );
}

#[test]
fn advice_about_types_of_fields_is_followed() {
    let spec = "pub struct BoatSpec {\n@ }\nDERIVE\npub struct Mast { b: u8 }";
    let check = |part: &str, message: &str, advice: &str, mended: &str| {
        check_part(spec, part, message, advice, mended);
    };
    let owns = "use a type that owns its data, such as String, Vec or Box";
    check(
        "a: &'static str",
        "a reference cannot be part of an API type",
        owns,
        "a: String",
    );
    check(
        "a: &'static [u8]",
        "a reference cannot be part of an API type",
        owns,
        "a: Vec<u8>",
    );
    check(
        "a: std::collections::BTreeMap<Mast, u8>",
        "the key of a map must be a string",
        "use String",
        "a: std::collections::BTreeMap<String, u8>",
    );
    check(
        "a: Masts, c: Mast",
        "no type `Masts`",
        "did you mean `Mast`?",
        "a: Mast, c: Mast",
    );
}

#[test]
fn advice_about_attributes_of_fields_is_followed() {
    let spec = "pub struct BoatSpec {\n@ }\nDERIVE\npub struct Mast { b: u8 }";
    let check = |part: &str, message: &str, advice: &str, mended: &str| {
        check_part(spec, part, message, advice, mended);
    };
    check(
        "#[schemars(skip)] #[serde(default)] a: u8",
        "warning",
        "write `#[serde(skip)]` if it is not part of the API",
        "#[serde(skip)] a: u8",
    );
    check(
        "#[schemars(rename = \"b\")] a: u8",
        "error",
        "write it as `#[serde(…)]`, which schemars reads too",
        "#[serde(rename = \"b\")] a: u8",
    );
    check(
        "#[schemars(length(max = 3))] a: Mast",
        "length",
        "`+kubebuilder:validation:MinProperties=…` and `+kubebuilder:validation:MaxProperties=…`",
        "// +kubebuilder:validation:MaxProperties=3\n a: Mast",
    );
    check(
        "#[schemars(inner(inner(length(max = 3))))] a: Vec<Vec<String>>",
        "inner",
        "declare a separate type for the items, and put it there",
        "#[schemars(inner(length(max = 3)))] a: Vec<String>",
    );
    check(
        "#[schemars(length(max = 3))]\n// +kubebuilder:validation:MaxLength=4\na: String",
        "error",
        "remove one of them",
        "#[schemars(length(max = 3))]\na: String",
    );
    check(
        "#[serde(default = \"made\")] a: Vec<u8>",
        "the schema has no default for `a`",
        "`+kubebuilder:default=…`; `+default=null` for none",
        "// +kubebuilder:default={1}\n#[serde(default = \"made\")] a: Vec<u8>",
    );
    check(
        "#[serde(default = \"made\")] a: Vec<u8>",
        "the schema has no default for `a`",
        "`+kubebuilder:default=…`; `+default=null` for none",
        "// +default=null\n#[serde(default = \"made\")] a: Vec<u8>",
    );
    check(
        "#[serde(rename(serialize = \"b\", deserialize = \"c\"))] a: u8",
        "`b` is written under this name and read under another",
        "use one name for both directions",
        "#[serde(rename = \"b\")] a: u8",
    );
    check(
        "#[serde(rename(serialize = \"b\", deserialize = \"c\"))] a: u8",
        "`b` is written under this name and read under another",
        "or add `#[serde(alias = \"b\")]`",
        "#[serde(rename(serialize = \"b\", deserialize = \"c\"), alias = \"b\")] a: u8",
    );
    for mended in [
        "#[x_kube(validation = \"self > 1\")] a: u8",
        "// +kubebuilder:validation:XValidation:rule=\"self > 1\"\na: u8",
    ] {
        check(
            "#[x_kube(validation = made())] a: u8",
            "is not known without compiling",
            "write the value, or set it in a comment: `+kubebuilder:validation:XValidation:rule=…`",
            mended,
        );
    }
    check(
        "#[x_kube(merge_strategy = made())] a: Vec<String>",
        "is not known without compiling",
        "write the value, or set it in a comment: `+listType=…`",
        "// +listType=set\na: Vec<String>",
    );
}

#[test]
fn advice_about_forms_of_types_is_followed() {
    let check = |part: &str, message: &str, advice: &str, mended: &str| {
        let spec = "pub struct BoatSpec { a: Mast }\nDERIVE\n@";
        check_part(spec, part, message, advice, mended);
    };
    check(
        "pub struct Mast;",
        "is not an object",
        "write `struct Mast {}`",
        "pub struct Mast {}",
    );
    check(
        "pub struct Mast(u8, String);",
        "has several values without names",
        "name the fields",
        "pub struct Mast { b: u8, c: String }",
    );
    check(
        "pub enum Mast { One(u8, String) }",
        "has several values without names",
        "name the fields",
        "pub enum Mast { One { b: u8, c: String } }",
    );
    check(
        "#[serde(tag = \"kind\")]\npub struct Mast { b: u8 }",
        "tag",
        "remove `tag` from the struct, and declare a field if the API needs it",
        "pub struct Mast { kind: String, b: u8 }",
    );
    check(
        "pub enum Mast { #[schemars(length(max = 3))] One(String) }",
        "error",
        "put it on the field of the variant, or on the type of that field",
        "pub enum Mast { One(#[schemars(length(max = 3))] String) }",
    );
}

#[test]
fn advice_about_kinds_as_parts_of_types_is_followed() {
    let text = |ty: &str| {
        format!(
            "KIND\npub struct BoatSpec {{ a: u8 }}\n{}\npub struct FleetSpec {{ first: {ty} }}\n",
            "KIND".replace("KIND", "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = \"Fleet\")]")
        )
    };
    follow(
        &text("Boat"),
        "warning",
        "use the spec, `BoatSpec`, as the type of the field",
        &text("BoatSpec"),
    );
}
