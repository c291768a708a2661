use std::path::Path;

use crate::{Generator, Options, RustPackage, Source, Sources};

const STORED: &str = "// +kubebuilder:storageversion\n";

/// A version with a kind whose spec has the fields, and further items.
fn package(version: &str, markers: &str, fields: &str, more: &str) -> RustPackage {
    let text = format!(
        "pub mod zz_generated_conversion;\n// +genclient\n{markers}#[derive(Debug)]\npub struct A {{ pub metadata: kube::api::ObjectMeta, pub spec: ASpec }}\n\
         #[derive(Clone, Debug, Serialize, Deserialize)]\npub struct ASpec {{\n{fields}\n}}\n{more}"
    );
    RustPackage {
        group: "g.io".to_owned(),
        version: version.to_owned(),
        module_path: format!("crate::apis::g::{version}"),
        dir: format!("apis/g/{version}").into(),
        files: vec![Source::new(format!("g/{version}/mod.rs"), text)],
    }
}

fn options() -> Options {
    Options {
        emit: [Generator::Conversion].into(),
        ..Options::default()
    }
}

/// Generates the conversion of v1, a spoke, to v2, the hub.
fn generate(spoke: (&str, &str), hub: (&str, &str)) -> Result<String, String> {
    generate_packages([
        package("v1", "", spoke.0, spoke.1),
        package("v2", STORED, hub.0, hub.1),
    ])
}

fn generate_packages(packages: [RustPackage; 2]) -> Result<String, String> {
    let sources = Sources {
        rust: packages.into(),
        ..Sources::default()
    };
    let generated = crate::generate(&sources, &options()).map_err(|it| it.to_string())?;
    let file = Path::new("apis/g/v1/zz_generated_conversion.rs");
    Ok(generated.files[file].clone())
}

/// The generated rules contain these, without regard to lines.
#[track_caller]
fn check(spoke: (&str, &str), hub: (&str, &str), expected: &[&str]) {
    let text = generate(spoke, hub).unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&text);
    for rule in expected {
        assert!(text.contains(rule), "{rule} in {text}");
    }
}

#[track_caller]
fn refuse(spoke: &str, hub: &str, expected: &str) {
    let errors = generate((spoke, ""), (hub, "")).unwrap_err();
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn equal_versions_need_no_rule() {
    let item = "#[derive(Clone, Serialize, Deserialize)] pub struct B { pub c: Vec<B> }";
    let same = ("pub a: i32, pub b: Option<B>", item);
    check(same, same, &["static A: [Rule; 0] = [];"]);
}

#[test]
fn types_that_contain_themselves_have_rules_that_do() {
    let item = |name: &str| {
        format!(
            "#[derive(Clone, Serialize, Deserialize)] pub struct B {{\n pub c: Vec<B>,\n {name}: Option<i32>\n}}"
        )
    };
    let (spoke, hub) = (
        item("pub old"),
        item("// +codegen:renamed-from=old\n pub new"),
    );
    check(
        ("pub b: B", &spoke),
        ("pub b: B", &hub),
        &[
            r#"Rule::within("b", "b", &B)"#,
            r#"static B: [Rule; 2] = [Rule::within("c", "c", &B), Rule::moved("old", "new")];"#,
        ],
    );
}

#[test]
fn markers_stand_on_either_side() {
    check(
        ("// +codegen:renamed-from=old\n pub new: i32", ""),
        ("pub old: i32", ""),
        &[r#"Rule::moved("new", "old")"#],
    );
    check(
        (
            "// +codegen:moved-from=spec.b.size\n pub size: Option<i32>",
            "",
        ),
        (
            "pub b: Option<B>",
            "#[derive(Clone, Serialize, Deserialize)] pub struct B { pub size: Option<i32> }",
        ),
        &[
            r#"Rule::moved("spec.size", "spec.b.size")"#,
            r#"Rule::kept(Side::Hub, "b")"#,
        ],
    );
    check(
        (
            "// +codegen:renamed-from=seconds\n// +codegen:scaled-from=1000\n pub millis: u32",
            "",
        ),
        ("pub seconds: u32", ""),
        &[r#"Rule::scaled("millis", "seconds", Side::Spoke, 1000)"#],
    );
}

#[test]
fn what_cannot_be_decided_is_a_function_of_the_user() {
    let level = "#[derive(Clone, Serialize, Deserialize)] pub enum Level { Low, High }";
    let levels = "#[derive(Clone, Serialize, Deserialize)] pub enum Level { Low, High, Highest }";
    check(
        ("pub size: String, pub level: Level", level),
        ("pub size: i64, pub level: Level, pub owner: String", levels),
        &[
            "pub trait AConversion {",
            "fn a_spec_size_to_hub(value: String) -> Result<i64, conversion::BoxError>;",
            "fn a_spec_size_from_hub(value: i64) -> Result<String, conversion::BoxError>;",
            // A value more is a decision: none of the others is meant.
            "value: crate::apis::g::v1::Level, ) -> Result<crate::apis::g::v2::Level, conversion::BoxError>;",
            "fn a_spec_owner_to_hub( value: crate::apis::g::v1::ASpec, ) -> Result<String, conversion::BoxError>;",
            "message = \"the conversion of A between v1 and v2 is not decided\"",
        ],
    );
}

#[test]
fn a_field_that_go_converts_by_hand_is_a_function_of_the_user() {
    check(
        (
            "// +k8s:conversion-gen=false\n pub size: i32,\n// +k8s:conversion-gen=false\n pub note: Option<String>",
            "",
        ),
        ("pub size: i32", ""),
        &[
            "fn a_spec_size_to_hub(value: i32) -> Result<i32, conversion::BoxError>;",
            // Without a counterpart there is nothing to convert, and nothing is lost.
            r#"Rule::kept(Side::Spoke, "note")"#,
        ],
    );
}

#[test]
fn values_of_a_type_that_go_converts_by_hand_are_an_argument_of_the_user_s_function() {
    let item = "#[derive(Clone, Serialize, Deserialize)] pub struct B { pub c: i32 }";
    let marked = format!("// +k8s:conversion-gen=false\n{item}");
    let named = format!("{marked}\npub type C = B;");
    let fields = "pub b: Option<B>, pub all: Vec<B>";
    let expected = [
        "fn a_spec_b_to_hub( value: crate::apis::g::v1::B, ) -> Result<crate::apis::g::v2::B, conversion::BoxError>;",
        "fn a_spec_all_to_hub( value: Vec<crate::apis::g::v1::B>, ) -> Result<Vec<crate::apis::g::v2::B>, conversion::BoxError>;",
    ];
    check((fields, &marked), (fields, item), &expected);
    check((fields, item), (fields, &marked), &expected);
    check(
        ("pub b: C", &named),
        ("pub b: B", item),
        &["fn a_spec_b_to_hub("],
    );
}

#[test]
fn a_kind_that_go_converts_by_hand_has_no_rules() {
    let by_hand = "// +k8s:conversion-gen=false\n";
    for (spoke, hub) in [(by_hand, ""), ("", by_hand)] {
        let packages = [
            package("v1", spoke, "pub a: i32", ""),
            package("v2", &format!("{STORED}{hub}"), "pub a: String", ""),
        ];
        let text = generate_packages(packages).unwrap();
        assert!(text.contains("No kind of `g.io/v1` is converted"), "{text}");
    }
}

#[test]
fn values_are_mapped_as_markers_say() {
    let level = "#[derive(Clone, Serialize, Deserialize)] pub enum Level { Low, High }";
    let levels = "#[derive(Clone, Serialize, Deserialize)] pub enum Level { Low, High, Highest }";
    let marked = "// +codegen:value-from:value=Highest,old=High\n pub level: Level";
    let values = r#"Rule::values( "level", "level", &[("Low", "Low"), ("High", "High"), ("High", "Highest")], )"#;
    check(("pub level: Level", level), (marked, levels), &[values]);
}

#[test]
fn fields_of_one_version_are_kept_or_dropped_with_a_reason_or_have_a_default() {
    check(
        ("pub a: Option<i32>", ""),
        (
            "// +codegen:lossy=\"nobody reads it\"\n pub b: Option<i32>, pub c: Option<i32>",
            "",
        ),
        &[
            r#"Rule::kept(Side::Spoke, "a")"#,
            r#"Rule::dropped(Side::Hub, "b")"#,
            r#"Rule::kept(Side::Hub, "c")"#,
        ],
    );
    check(
        ("", ""),
        ("// +kubebuilder:default=3\n pub a: i32", ""),
        &[r#"Rule::defaulted(Side::Hub, "a", r"3")"#],
    );
}

#[test]
fn markers_that_change_nothing_are_errors() {
    let changes_nothing = "the marker of `ASpec.a` in g.io/v2 changes no conversion";
    for marker in [
        "renamed-from=b",
        "moved-from=spec.c.d",
        "lossy=why",
        "scaled-from=2",
    ] {
        let marked = format!("// +codegen:{marker}\n pub a: i32");
        refuse("pub a: i32", &marked, changes_nothing);
    }
    refuse("", "// +codegen:lossy=why\n pub a: i32", changes_nothing);
}

#[test]
fn kinds_with_several_versions_have_one_that_is_stored() {
    let version = |name: &str, served: bool| {
        let schema = r#"{"openAPIV3Schema": {"type": "object"}}"#;
        format!(
            r#"{{"name": "{name}", "served": {served}, "storage": {}, "schema": {schema}}}"#,
            !served
        )
    };
    // Nothing is generated for the stored version, since it is not served.
    let versions = [
        version("v1", true),
        version("v2", false),
        version("v3", true),
    ]
    .join(", ");
    let errors = crds(&versions).unwrap_err();
    let expected = "A of g.io has no version that the others are converted to";
    assert!(errors.to_string().contains(expected), "{errors}");
}

#[test]
fn kinds_that_share_types_have_tables_and_functions_of_their_own() {
    let other = |fields: &str| {
        format!(
            "// +genclient\nSTORED#[derive(Debug)]\npub struct Z {{ pub metadata: kube::api::ObjectMeta, pub spec: ASpec, pub b: Option<BSpec> }}\n\
             #[derive(Clone, Debug, Serialize, Deserialize)]\npub struct BSpec {{ {fields} }}\n"
        )
    };
    let (spoke, hub) = (
        other("pub c: Option<i32>").replace("STORED", ""),
        other("").replace("STORED", STORED),
    );
    check(
        ("pub a: String", &spoke),
        ("pub a: i32", &hub),
        &[
            "static A_SPEC: [Rule; 1]",
            "static Z_A_SPEC: [Rule; 1]",
            "<super::A as AConversion>::a_spec_a_to_hub",
            "<super::Z as ZConversion>::a_spec_a_to_hub",
            "static B_SPEC: [Rule; 1]",
        ],
    );
}

#[test]
fn crds_are_converted_like_annotated_rust() {
    let version = |name: &str, stored: bool, fields: &str| {
        format!(
            r#"{{"name": "{name}", "served": true, "storage": {stored}, "schema": {{"openAPIV3Schema": {{"type": "object",
            "properties": {{"spec": {{"type": "object", "properties": {{{fields}}}}}}}}}}}}}"#
        )
    };
    let (v1, v2) = (
        version(
            "v1",
            false,
            r#""a": {"type": "string"}, "size": {"type": "string"}"#,
        ),
        version(
            "v2",
            true,
            r#""b": {"type": "string"}, "size": {"type": "integer"}"#,
        ),
    );
    let generated = crds(&format!("{v1}, {v2}")).unwrap();
    let text = &generated.files[Path::new("apis/g/v1/zz_generated_conversion.rs")];
    for rule in [
        r#"Rule::kept(Side::Spoke, "a")"#,
        r#"Rule::kept(Side::Hub, "b")"#,
        "fn a_spec_size_to_hub(value: String) -> Result<i64, conversion::BoxError>;",
    ] {
        assert!(text.contains(rule), "{text}");
    }
}

/// Generates for the kind A with these versions, as CRDs have them.
fn crds(versions: &str) -> Result<crate::Generated, crate::Diagnostics> {
    let crd = format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {{"name": "as.g.io"}},
        "spec": {{"group": "g.io", "names": {{"kind": "A", "plural": "as"}}, "scope": "Namespaced", "versions": [{versions}]}}}}"#
    );
    let sources = Sources {
        crds: vec![Source::new("crd.json", crd)],
        ..Sources::default()
    };
    let options = Options {
        emit: Generator::with_needed([Generator::Types, Generator::Conversion]),
        ..Options::default()
    };
    crate::generate(&sources, &options)
}
