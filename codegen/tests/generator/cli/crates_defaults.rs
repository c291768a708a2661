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
fn a_function_reads_a_field_by_its_name_in_rust() {
    let field = "#[serde(default, skip_serializing_if = \"is_low\")] a: Mast";
    let below = |name: &str| {
        format!(
            "DERIVE\n#[derive(Default)]\npub struct Mast {{ #[serde(rename = \"{name}\")] low: bool, #[serde(rename = \"low\")] tall: bool }}\n\
             fn is_low(mast: &Mast) -> bool {{ !mast.low }}\n"
        )
    };
    check(field, &below("short"), &Value::Null);
    let tall = "impl Default for Mast { fn default() -> Self { Self { low: true, tall: false } } }";
    let below = below("short").replace("#[derive(Default)]\n", "") + tall;
    check(field, &below, &json!({"short": true, "low": false}));
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

#[test]
fn a_function_may_set_variables_and_make_maps() {
    let check_of = |body: &str, value: &Value| {
        let below = format!("fn made() -> BTreeMap<String, u8> {{ {body} }}\n");
        check(
            "#[serde(default = \"made\")] a: BTreeMap<String, u8>",
            &below,
            value,
        );
    };
    let both = json!({"a": 1, "b": 2});
    for body in [
        "BTreeMap::from([(\"a\".to_owned(), 1), (\"b\".to_owned(), 2)])",
        "let two = 2; let mut map = BTreeMap::new(); map.insert(\"a\".into(), 1); map.insert(\"b\".into(), two); map",
        "vec![(\"a\".to_string(), 1), (\"b\".to_string(), 2)].into_iter().collect()",
    ] {
        check_of(body, &both);
    }
    check_of(
        "let other = BTreeMap::from([(\"a\".to_owned(), LIMIT)]); other } const LIMIT: u8 = 9; fn more() { ",
        &json!({"a": 9}),
    );
}

#[test]
fn a_function_may_make_a_struct_of_kubernetes() {
    let check_of = |fields: &str, value: &Value| {
        let below = format!(
            "use k8s_openapi::api::core::v1::ResourceRequirements;\n\
             fn made() -> ResourceRequirements {{\nlet limits: BTreeMap<String, Quantity> = BTreeMap::from([(\"cpu\".to_owned(), Quantity(\"2\".to_string()))]);\n\
             ResourceRequirements {{ {fields} }}\n}}\n"
        );
        let field =
            "#[serde(default = \"made\")] a: k8s_openapi::api::core::v1::ResourceRequirements";
        check(field, &below, value);
    };
    let limits = json!({"limits": {"cpu": "2"}});
    check_of("limits: Some(limits), ..Default::default()", &limits);
    check_of(
        "limits: Some(limits), requests: None, claims: None",
        &limits,
    );
    // Names of Rust are not those of JSON.
    let port = "fn made() -> k8s_openapi::api::core::v1::ServicePort { k8s_openapi::api::core::v1::ServicePort { port: 80, target_port: Some(IntOrString::Int(8080)), ..Default::default() } }\n";
    check(
        "#[serde(default = \"made\")] a: k8s_openapi::api::core::v1::ServicePort",
        port,
        &json!({"port": 80, "targetPort": 8080}),
    );
}

#[test]
fn a_value_may_be_in_a_struct_or_variant_of_one_field() {
    let below = "DERIVE\npub struct Name(String);\nfn name() -> Name { Name(\"gaff\".to_owned()) }\n\
        DERIVE\n#[serde(rename_all = \"camelCase\")]\npub enum Rig { Sail(Name), TwoMasts(u8) }\nfn rig() -> Rig { Rig::TwoMasts(2) }\n";
    check(
        "#[serde(default = \"name\")] a: Name",
        below,
        &json!("gaff"),
    );
    let option = "fn none() -> Sails { Sails { a: Default::default(), b: Some(Default::default()) } }\nDERIVE\npub struct Sails { a: Option<u8>, b: Option<u8> }\n";
    check(
        "#[serde(default = \"none\")] a: Sails",
        option,
        &json!({"b": 0}),
    );
    let rig = json!({"twoMasts": 2});
    check("#[serde(default = \"rig\")] a: Rig", below, &rig);
}

/// `Default` of educe, derivative and smart-default, also for parameters of types.
#[test]
fn a_derive_of_another_crate_may_make_the_default() {
    let of = |derive: &str, first: &str, second: &str| {
        format!(
            "DERIVE\n{derive}\npub struct Mast<T = u8> {{ {first} height: u8, {second} name: Option<T> }}\n"
        )
    };
    let field = "#[serde(default)] a: Mast<String>";
    let zero = json!({"height": 0});
    let educe = "#[derive(Educe)]\n#[educe(Clone(bound()), Default(bound()))]";
    check(field, &of(educe, "", ""), &zero);
    let nine = json!({"height": 9, "name": "top"});
    let smart = "#[derive(SmartDefault)]";
    let set = of(
        smart,
        "#[default = 9]",
        "#[default(Some(\"top\".to_owned()))]",
    );
    check(field, &set, &nine);
    let derivative = "#[derive(Derivative)]\n#[derivative(Default)]";
    let set = of(derivative, "#[derivative(Default(value = \"9\"))]", "");
    check(field, &set, &json!({"height": 9}));
    let set = of(
        educe,
        "#[educe(Default = 9)]",
        "#[educe(Default(expression = Some(\"top\".to_owned())))]",
    );
    check(field, &set, &nine);
    let kind = "DERIVE\n#[derive(SmartDefault)]\npub enum Kind { Main, #[default] Mizzen }\n";
    check("#[serde(default)] a: Kind", kind, &json!("Mizzen"));
}

/// Functions of a type name it `Self`, and features decide between blocks.
#[test]
fn functions_of_a_type_call_each_other() {
    let below = "DERIVE\npub struct Mast { #[serde(default = \"Mast::name\")] name: String }\n\
        impl Default for Mast { fn default() -> Self { Self { name: Self::name() } } }\n\
        impl Mast { fn name() -> String { Self::top() } fn top() -> String { Self::TOP.to_owned() } const TOP: &str = \"gaff\"; }\n\
        fn is_default<T: Default + PartialEq>(value: &T) -> bool {\n#[cfg(feature = \"all\")]\n{ let _ = value; false }\n#[cfg(not(feature = \"all\"))]\n{ value == &T::default() }\n}\n";
    let gaff = json!({"name": "gaff"});
    check("#[serde(default)] a: Mast", below, &gaff);
    check(
        "#[serde(default = \"Mast::default\")] a: Mast",
        below,
        &gaff,
    );
    let skip =
        |ty: &str| format!("#[serde(default, skip_serializing_if = \"is_default\")] a: {ty}");
    check(&skip("Mast"), below, &Value::Null);
    check(&skip("u8"), below, &Value::Null);
}
