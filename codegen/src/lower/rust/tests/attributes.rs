use serde_json::{Value, json};

use super::*;

const DERIVE: &str = "#[derive(Clone, Serialize, Deserialize, JsonSchema)]";

/// Returns the fields of the struct `S`, which derives a schema.
#[track_caller]
fn derived(fields_and_items: &str) -> Vec<Field> {
    let (fields_text, items) = fields_and_items
        .split_once("---")
        .unwrap_or((fields_and_items, ""));
    let text = format!("{DERIVE}\npub struct S {{ {fields_text} }}\n{items}");
    fields(def(&single(&text), "S")).to_vec()
}

#[track_caller]
fn check_default(field: &str, expected: impl Into<Option<Value>>) {
    let found = derived(field);
    assert_eq!(found[0].default, expected.into(), "{field}");
    assert!(!found[0].required, "{field}");
}

#[test]
fn defaults_are_what_serde_gives() {
    rows![check_default:
        ("#[serde(default)] a: i32", json!(0)),
        ("#[serde(default)] a: Vec<String>", json!([])),
        ("#[serde(default)] a: Option<String>", None),
        ("#[serde(default = \"BTreeMap::new\")] a: BTreeMap<String, String>", json!({})),
        ("#[serde(default = \"Default::default\")] a: bool", json!(false)),
        ("#[serde(default = \"f\")] a: u16, --- fn f() -> u16 { 80 }", json!(80)),
        ("#[serde(default = \"values::f\")] a: u16, --- fn f() -> u16 { 80 } mod values { pub fn f() -> u16 { 90 } }",
            json!(90)),
        ("#[serde(default = \"S::f\")] a: u16, --- fn f() -> u16 { 80 } impl S { fn f() -> u16 { 70 } }",
            json!(70)),
        ("#[serde(default = \"f\")] a: Quantity, --- use k8s_openapi::apimachinery::pkg::api::resource::Quantity; fn f() -> Quantity { Quantity(\"8Gi\".into()) }",
            json!("8Gi")),
        ("#[serde(default = \"f\")] a: M, --- #[derive(Serialize, Deserialize, JsonSchema)] #[serde(rename_all = \"lowercase\")] pub enum M { Fast, Slow } fn f() -> M { M::Slow }",
            json!("slow")),
        ("#[serde(default)] a: M, --- #[derive(Default, Serialize, Deserialize, JsonSchema)] pub struct M { b: bool, c: Option<u8> }",
            json!({"b": false})),
    ];
    for constructor in [
        "Vec::new",
        "Vec::<String>::new",
        "Default::default",
        "<Vec<String> as Default>::default",
    ] {
        check_default(
            &format!("#[serde(default = \"{constructor}\")] a: Vec<String>"),
            json!([]),
        );
    }
    rows![check_default:
        ("#[serde(default = \"u8::default\")] a: u8", json!(0)),
        ("#[serde(default = \"M::new\")] a: M, --- #[derive(Default, Serialize, Deserialize, JsonSchema)] pub struct M { b: u8 } impl M { fn new() -> Self { Self { b: 3 } } }",
            json!({"b": 3})),
        // Functions of these names may return something other than the type's `Default`.
        ("#[serde(default = \"size::default\")] a: u16, --- mod size { pub fn default() -> u16 { 5 } }",
            json!(5)),
        ("#[serde(default = \"g\")] a: u16, --- use size::f as g; mod size { pub fn f() -> u16 { 6 } } mod other { pub fn f() -> u16 { 7 } }",
            json!(6)),
        // serde skips it, so it is not the default in the schema either.
        ("#[serde(default, skip_serializing_if = \"Vec::is_empty\")] a: Vec<String>", None),
        ("#[serde(default)]\n// +kubebuilder:default=4\n a: i32", json!(4)),
    ];
}

#[test]
fn a_default_that_code_makes_is_known_to_be_unknown() {
    for field in [
        "#[serde(default = \"f\")] a: u16, --- fn f() -> u16 { 40 + g(4) }",
        "#[serde(default = \"S::f\")] a: u16, --- fn f() -> u16 { 80 }",
        "#[serde(default = \"M::new\")] a: M, --- #[derive(Default, Serialize, Deserialize, JsonSchema)] pub struct M; impl M { fn new() -> Self { M } }",
        "#[serde(default = \"f\")] a: u16, --- mod b { pub fn f() -> u16 { 1 } } mod c { pub fn f() -> u16 { 2 } }",
        "#[serde(default)] a: M, --- #[derive(Serialize, Deserialize, JsonSchema)] pub struct M; impl Default for M {}",
        "#[serde(default = \"M::new\")] a: M, --- #[derive(Default, Serialize, Deserialize, JsonSchema)] pub struct M { b: u8 } impl M { fn new() -> Self { Self { b: elsewhere::size() } } }",
        "#[serde(default = \"M::new\")] a: M, --- #[derive(Default, Serialize, Deserialize, JsonSchema)] pub struct M { b: u8 }",
        "#[serde(default = \"size::default\")] a: u16,",
        "#[serde(default)] a: [u8; 4],",
        "#[serde(default = \"f\")] a: u16, --- use elsewhere::f; mod b { pub fn f() -> u16 { 1 } }",
        "#[serde(default = \"elsewhere::f\")] a: u16, --- mod b { pub fn f() -> u16 { 1 } }",
    ] {
        let found = derived(field);
        assert_eq!(found[0].default, None, "{field}");
        let findings = &found[0].derived.as_ref().unwrap().findings;
        assert_eq!(findings.len(), 1, "{field}: {findings:?}");
    }
}

#[test]
fn without_the_derive_attributes_say_nothing() {
    let text = "#[derive(Clone, Serialize, Deserialize)] pub struct S { #[serde(default)] #[validate(length(max = 3))] a: String }";
    let version = single(text);
    let found = fields(def(&version, "S"));
    assert_eq!(found[0].default, None);
    assert_eq!(found[0].validation.max_length, None);
    assert_eq!(found[0].derived, None);
}

#[test]
fn words_mean_what_the_type_makes_of_them() {
    let found = derived(
        "#[schemars(length(min = 1, max = MOST))] a: String,
         #[schemars(length(min = 1, max = 9))] b: Option<Vec<String>>,
         #[schemars(inner(range(max = 3.0)))] c: Vec<i32>,
         #[schemars(range(min = i8::MIN, max = 1.5))] d: f64,
         #[schemars(contains(pattern = \"a.b\"))] e: String,
         #[schemars(extend(\"oneOf\" = [{\"minimum\": 1}]))] f: i32,
         #[schemars(required)] g: Option<i32>,
         #[schemars(with = \"Vec<String>\", length(max = 2))] h: Foreign,
         #[garde(email)] #[validate(length(equal = 2))] i: String, ---
         const MOST: usize = LIMIT; const LIMIT: usize = 7; use other::Foreign;",
    );
    let rules: Vec<Value> = found
        .iter()
        .map(|field| serde_json::to_value(&field.validation).unwrap())
        .collect();
    assert_eq!(
        rules,
        [
            json!({"minLength": 1, "maxLength": 7}),
            json!({"minItems": 1, "maxItems": 9}),
            json!({"element": {"maximum": 3}}),
            json!({"minimum": -128, "maximum": 1.5}),
            json!({"pattern": "a\\.b"}),
            json!({"combinators": {"oneOf": [{"minimum": 1}]}}),
            json!({}),
            json!({"maxItems": 2}),
            json!({"minLength": 2, "maxLength": 2, "format": "email"}),
        ]
    );
    let nulls = found.iter().map(|field| {
        let derived = field.derived.as_ref().unwrap();
        assert_eq!(derived.findings, [], "{}", field.json_name);
        derived.nullable || field.nullable
    });
    let nulls: Vec<bool> = nulls.collect();
    assert_eq!(nulls.iter().filter(|null| **null).count(), 1);
    assert!(nulls[1] && found[6].required && !found[1].required);
}

#[test]
fn a_word_that_is_taken_back_takes_no_other_with_it() {
    let text = format!(
        "{DERIVE} #[serde(default, from = \"Vec<String>\")] #[schemars(!default)] pub struct S {{ a: i32 }}"
    );
    let version = single(&text);
    let derived = def(&version, "S").item.as_ref().unwrap().derived.as_ref();
    assert!(derived.unwrap().ty.is_some());
}

#[test]
fn rules_of_another_form_are_not_passed_over() {
    for rules in ["[\"self > 1\"]", "[{\"message\": \"more\"}]"] {
        let found = derived(&format!(
            "#[schemars(extend(\"x-kubernetes-validations\" = {rules}))] a: i32"
        ));
        let findings = &found[0].derived.as_ref().unwrap().findings;
        assert_eq!(findings.len(), 1, "{rules}: {findings:?}");
    }
}

#[test]
fn a_default_out_of_bounds_matters_where_a_schema_is_written() {
    check_default(
        "#[serde(default)] #[schemars(range(min = 1))] a: i32",
        json!(0),
    );
}
