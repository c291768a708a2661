//! Defaults that code makes: functions, constants, and implementations of `Default` by hand.

use serde_json::{Value, json};

use super::crates_code::{manifests, spec_of};

/// Checks the default of the field `a`, with functions and types below the kind.
#[track_caller]
fn check(field: &str, below: &str, expected: &Value) {
    let text = format!("KIND\"Boat\")]\npub struct BoatSpec {{ {field} }}\n{below}\n");
    let spec = spec_of(&text);
    let found = &spec["properties"]["a"]["default"];
    assert_eq!(found, expected, "{field}\n{below}");
}

const MAST: &str = "DERIVE\n#[serde(rename_all = \"camelCase\")]\npub struct Mast { top_height: u32, #[serde(default)] kind: Kind, #[serde(default, skip_serializing_if = \"Option::is_none\")] flag: Option<String>, sails: Vec<String> }\n\
    DERIVE\n#[derive(Default, PartialEq)]\n#[serde(rename_all = \"lowercase\")]\npub enum Kind { #[default] Main, Mizzen }\n\
    const TALL: u32 = 30;\nfn low() -> u32 { 3 }\n";

#[test]
fn a_default_by_hand_is_that_of_its_fields() {
    let of = |body: &str| {
        format!("{MAST}impl Default for Mast {{\nfn default() -> Self {{ {body} }}\n}}\n")
    };
    let mast = |height: u32, kind: &str| json!({"topHeight": height, "kind": kind, "sails": []});
    let field = "#[serde(default)] a: Mast";
    check(
        field,
        &of("Self { top_height: TALL, kind: Kind::Mizzen, flag: None, sails: Vec::new() }"),
        &mast(30, "mizzen"),
    );
    check(
        field,
        &of("Mast { top_height: low(), kind: Default::default(), flag: None, sails: vec![] }"),
        &mast(3, "main"),
    );
    check(
        field,
        &of(
            "Self { top_height: 5, kind: Kind::default(), flag: Some(\"red\".into()), sails: vec![NAME.to_string(), \"jib\".into()] } } } \
             const NAME: &str = \"gaff\"; impl Mast { fn more() -> bool { true",
        ),
        &json!({"topHeight": 5, "kind": "main", "flag": "red", "sails": ["gaff", "jib"]}),
    );
}

#[test]
fn a_function_may_make_a_struct() {
    let below = format!(
        "{MAST}fn tall() -> Mast {{ Mast {{ top_height: TALL, ..low_mast() }} }}\n\
         fn low_mast() -> Mast {{ Mast {{ top_height: 1, kind: Kind::Mizzen, flag: None, sails: vec![] }} }}\n"
    );
    let tall = json!({"topHeight": 30, "kind": "mizzen", "sails": []});
    check("#[serde(default = \"tall\")] a: Mast", &below, &tall);
    check("#[serde(default = \"tall\")] a: Box<Mast>", &below, &tall);
    check(
        "#[serde(default = \"kind\")] a: Kind",
        &format!("{MAST}fn kind() -> Kind {{ Kind::Mizzen }}\n"),
        &json!("mizzen"),
    );
}

/// The defaults of the fields are those of the whole.
#[test]
fn a_struct_with_a_default_by_hand_gives_its_fields_theirs() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { mast: Mast }\nDERIVE\n#[serde(default)]\npub struct Mast { height: u32, flag: Option<String> }\n\
         impl Default for Mast {\nfn default() -> Self { Self { height: 8, flag: None } }\n}\n",
    );
    let properties = &spec["properties"]["mast"]["properties"];
    assert_eq!(properties["height"]["default"], 8);
    assert_eq!(properties["flag"].get("default"), None);
}

#[test]
fn a_value_that_a_function_compares_with_a_variant_is_left_out() {
    let below = |body: &str| format!("{MAST}fn is_main(kind: &Kind) -> bool {{ {body} }}\n");
    for body in [
        "*kind == Kind::Main",
        "matches!(kind, Kind::Main)",
        "kind == &Kind::default()",
    ] {
        check(
            "#[serde(default, skip_serializing_if = \"is_main\")] a: Kind",
            &below(body),
            &Value::Null,
        );
    }
    check(
        "#[serde(default, skip_serializing_if = \"is_main\")] a: Kind",
        &below("!matches!(kind, Kind::Main)"),
        &json!("main"),
    );
}

#[test]
fn what_code_computes_is_no_default() {
    for body in [
        "let height = 4; Self { height }",
        "Self { height: compute(4) }",
        "Self { height: 1, ..Default::default() }",
    ] {
        let (_, run) = manifests(
            &format!(
                "KIND\"Boat\")]\npub struct BoatSpec {{ #[serde(default)] a: Mast }}\nDERIVE\npub struct Mast {{ height: u32, more: u8 }}\n\
                 impl Default for Mast {{\nfn default() -> Self {{ {body} }}\n}}\n"
            ),
            &[],
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.says("warning: the schema has no default for `a`");
    }
}

#[test]
fn a_struct_of_kubernetes_without_values_is_empty() {
    let own = "DERIVE\npub struct Template { #[serde(default)] meta: ObjectMeta, #[serde(default)] selector: k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector }\n\
        impl Default for Template {\nfn default() -> Self { Self { meta: ObjectMeta::default(), selector: Default::default() } }\n}\nuse kube::api::ObjectMeta;\n";
    let empty = json!({"meta": {}, "selector": {}});
    check("#[serde(default)] a: Template", own, &empty);
    // Its list of containers is always written.
    let (_, run) = manifests(
        "KIND\"Boat\")]\npub struct BoatSpec { #[serde(default)] a: k8s_openapi::api::core::v1::PodSpec }\n",
        &["--max-description", "0"],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: the schema has no default for `a`");
}

#[test]
fn a_default_may_be_a_power_of_two() {
    let below = "fn large() -> u64 { 1 << 40 }\n";
    let field = "#[serde(default = \"large\")] a: u64";
    check(field, below, &json!(1_u64 << 40));
}
