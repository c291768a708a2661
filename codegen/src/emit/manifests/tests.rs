//! Schemas and CRDs from annotated Rust.

use serde_json::{Value, json};

use super::crds;
use crate::diag::Style;
use crate::emit::docs::describe::{self, Blank};
use crate::{
    RustPackage, Source, Sources,
    options::{Compat, Manifests, Options},
};

/// The CRD of the types' only kind, or the errors.
pub(super) fn crd_of(types: &str, compat: Compat) -> Result<Value, String> {
    let options = Options {
        compat,
        ..Options::default()
    };
    let api =
        crate::load(&sources(types), &options).map_err(|errors| errors.render(Style::Plain))?;
    let mut crds =
        crds(&api, &Manifests::default(), compat).map_err(|errors| errors.render(Style::Plain))?;
    Ok(crds.remove(0).2)
}

/// The types as the module of a version.
pub(super) fn sources(types: &str) -> Sources {
    let text = format!(
        "use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\nuse serde::{{Deserialize, Serialize}};\n\
         mod zz_generated_deepcopy;\npub mod zz_generated_register;\n{types}"
    );
    Sources {
        rust: vec![RustPackage {
            group: "cloud.example.com".to_owned(),
            version: "v1".to_owned(),
            module_path: "crate::apis::cloud::v1".to_owned(),
            dir: "apis/cloud/v1".into(),
            files: vec![Source::new("mod.rs", text)],
        }],
        ..Sources::default()
    }
}

/// A kind whose spec has the fields; `types` are the types that they use.
pub(super) fn kind(fields: &str, types: &str) -> String {
    format!(
        "// +genclient\n// +k8s:deepcopy-gen:interfaces=runtime.Object\n#[derive(Debug)]\npub struct Vm {{\n    \
         pub metadata: ObjectMeta,\n    pub spec: Spec,\n}}\n\
         /// The spec.\n#[derive(Clone, Debug, Serialize, Deserialize)]\npub struct Spec {{\n{fields}\n}}\n{types}"
    )
}

/// The schema of the spec.
fn spec(fields: &str, types: &str, compat: Compat) -> Value {
    let crd = crd_of(&kind(fields, types), compat).unwrap_or_else(|errors| panic!("{errors}"));
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

#[track_caller]
fn check(fields: &str, types: &str, expected: &Value) {
    let spec = spec(fields, types, Compat::Strict);
    assert_eq!(spec["properties"], *expected, "{fields}{types}");
}

const DERIVE: &str = "#[derive(Clone, Debug, Serialize, Deserialize)]";

#[test]
fn primitives_have_the_schemas_of_their_go_twins() {
    check("pub a: String,", "", &json!({"a": {"type": "string"}}));
    check("pub a: bool,", "", &json!({"a": {"type": "boolean"}}));
    check(
        "pub a: i32,",
        "",
        &json!({"a": {"type": "integer", "format": "int32"}}),
    );
    let narrow = json!({"a": {"type": "integer", "minimum": -32768, "maximum": 32767}});
    check("pub a: i16,", "", &narrow);
    let exact = spec("pub a: i16,", "", Compat::ControllerGen);
    assert_eq!(exact["properties"]["a"], json!({"type": "integer"}));
    let unsigned =
        json!({"a": {"type": "integer", "format": "int64", "minimum": 0, "maximum": u32::MAX}});
    check("pub a: u32,", "", &unsigned);
    let exact = spec("pub a: u32,", "", Compat::ControllerGen);
    assert_eq!(
        exact["properties"]["a"],
        json!({"type": "integer", "format": "int32"})
    );
    let list = json!({"a": {"type": "array", "items": {"type": "boolean"}}});
    check("pub a: Vec<bool>,", "", &list);
    let map = json!({"a": {"type": "object", "additionalProperties": {"type": "string"}}});
    check(
        "pub a: std::collections::BTreeMap<String, String>,",
        "",
        &map,
    );
    let any = json!({"a": {"x-kubernetes-preserve-unknown-fields": true}});
    check("pub a: serde_json::Value,", "", &any);
}

#[test]
fn arrays_have_as_many_items_as_their_type() {
    let of = |count: u64, items: Value| json!({"type": "array", "minItems": count, "maxItems": count, "items": items});
    let flags = of(3, json!({"type": "boolean"}));
    check("pub a: [bool; 3],", "", &json!({"a": flags}));
    check("pub a: Option<Box<[bool; 3]>>,", "", &json!({"a": flags}));
    check(
        "pub a: [[bool; 3]; 2],",
        "",
        &json!({"a": of(2, flags.clone())}),
    );
    let list = json!({"a": {"type": "array", "items": flags}});
    check("pub a: Vec<[bool; 3]>,", "", &list);
    let map = json!({"a": {"type": "object", "additionalProperties": flags}});
    let fields = "pub a: std::collections::BTreeMap<String, [bool; 3]>,";
    check(fields, "", &map);
    for declared in [
        "pub type Flags = [bool; 3];".to_owned(),
        format!("{DERIVE}\npub struct Flags(pub [bool; 3]);"),
    ] {
        check("pub a: Flags,", &declared, &json!({"a": flags}));
    }
    let count = "const COUNT: usize = 3;";
    check("pub a: [bool; COUNT],", count, &json!({"a": flags}));
    let unknown = json!({"a": {"type": "array", "items": {"type": "boolean"}}});
    check("pub a: [bool; COUNT + 1],", count, &unknown);
    let exact = spec("pub a: [bool; 3],", "", Compat::ControllerGen);
    assert_eq!(exact["properties"], unknown);
}

#[test]
fn what_a_field_says_is_joined_with_what_its_type_says() {
    let name = |rules: &str| {
        format!("/// A name.\n{rules}{DERIVE}\n#[serde(transparent)]\npub struct Name(pub String);")
    };
    // The field's description wins; the type's is the fallback.
    let plain = json!({"a": {"type": "string", "description": "A name."}});
    check("pub a: Name,", &name(""), &plain);
    let own = json!({"a": {"type": "string", "description": "Mine."}});
    check("/// Mine.\npub a: Name,", &name(""), &own);
    // Two lengths cannot be merged.
    let both = json!({"a": {
        "type": "string",
        "description": "A name.",
        "allOf": [{"maxLength": 10}, {"maxLength": 5}],
    }});
    check(
        "// +kubebuilder:validation:MaxLength=5\npub a: Name,",
        &name("// +kubebuilder:validation:MaxLength=10\n"),
        &both,
    );
    // Rules of the field come first.
    let rule = |rule: &str| format!("// +kubebuilder:validation:XValidation:rule=\"{rule}\"\n");
    let rules = json!({"a": {
        "type": "string",
        "description": "A name.",
        "x-kubernetes-validations": [{"rule": "self != 'field'"}, {"rule": "self != 'type'"}],
    }});
    let field = format!("{}pub a: Name,", rule("self != 'field'"));
    check(&field, &name(&rule("self != 'type'")), &rules);
}

#[test]
fn a_field_may_narrow_an_enum() {
    let color = format!(
        "/// A color.\n{DERIVE}\npub enum Color {{\n    /// r\n    Red,\n    /// g\n    Green,\n}}"
    );
    let field = "// +kubebuilder:validation:Enum=Red\npub a: Color,";
    let narrow = json!({"a": {"type": "string", "description": "A color.", "enum": ["Red"]}});
    check(field, &color, &narrow);
    let ignored = spec(field, &color, Compat::ControllerGen);
    assert_eq!(ignored["properties"]["a"]["enum"], json!(["Red", "Green"]));
}

#[test]
fn flattened_types_give_their_properties() {
    let types = format!("/// More.\n{DERIVE}\npub struct More {{\n    pub b: bool,\n}}");
    let spec = spec(
        "pub a: String,\n#[serde(flatten)]\npub more: More,",
        &types,
        Compat::Strict,
    );
    let expected = json!({
        "description": "The spec.",
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}},
        "required": ["a", "b"],
    });
    assert_eq!(spec, expected);
}

#[test]
fn enums_with_data_have_a_schema_in_each_form_of_serde() {
    let types = |serde: &str| {
        format!(
            "/// A source.\n{DERIVE}\n#[serde(rename_all = \"camelCase\"{serde})]\npub enum Origin {{\n    \
                 Image {{ url: String }},\n    Snapshot {{ name: String }},\n}}"
        )
    };
    let text = || json!({"type": "string"});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let url = object(json!({"url": text()}), json!(["url"]));
    let name = object(json!({"name": text()}), json!(["name"]));
    check(
        "pub a: Origin,",
        &types(""),
        &json!({"a": {
            "description": "A source.",
            "type": "object",
            "properties": {"image": url, "snapshot": name},
            "oneOf": [{"required": ["image"]}, {"required": ["snapshot"]}],
        }}),
    );
    let kinds = json!({"type": "string", "enum": ["image", "snapshot"]});
    let choice = |kind: &str, required: Value| json!({"properties": {"kind": {"enum": [kind]}}, "required": required});
    check(
        "pub a: Origin,",
        &types(", tag = \"kind\""),
        &json!({"a": {
            "description": "A source.",
            "type": "object",
            "properties": {"kind": kinds, "url": text(), "name": text()},
            "required": ["kind"],
            "oneOf": [choice("image", json!(["kind", "url"])), choice("snapshot", json!(["kind", "name"]))],
        }}),
    );
    let content = json!(["kind", "data"]);
    check(
        "pub a: Origin,",
        &types(", tag = \"kind\", content = \"data\""),
        &json!({"a": {
            "description": "A source.",
            "type": "object",
            "properties": {"kind": kinds, "data": {"x-kubernetes-preserve-unknown-fields": true}},
            "required": ["kind"],
            "oneOf": [choice("image", content.clone()), choice("snapshot", content)],
        }}),
    );
    check(
        "pub a: Origin,",
        &types(", untagged"),
        &json!({"a": {
            "description": "A source.",
            "type": "object",
            "properties": {"url": text(), "name": text()},
            "anyOf": [{"required": ["url"]}, {"required": ["name"]}],
        }}),
    );
}

#[test]
fn descriptions_leave_out_what_is_not_for_readers() {
    let check = |docs: &str, expected: &str| {
        assert_eq!(describe::description(docs, Blank::Single), expected)
    };
    check("A\n\n\nb  \n", "A\n\nb");
    check("A\nTODO: b\nc", "A\nc");
    check("A\n---\nb", "A");
    check("```\nTODO\n---\n```\nb", "```\nTODO\n---\n```\nb");
    let exact = |docs: &str| describe::description(docs, Blank::Kept);
    assert_eq!(exact("A\n\nTODO: b\n\nc"), "A\n\n\nc");
    assert_eq!(exact("A\n\nTODO: b"), "A\n");
    let links = "See [`Name`], [`Other`](crate::Other) and [text].\n# Examples\nx";
    assert_eq!(
        describe::of_rustdoc(links),
        "See `Name`, `Other` and [text]."
    );
}

#[test]
fn long_descriptions_end_with_a_sentence_or_a_word() {
    let check = |most: usize, expected: &str| {
        assert_eq!(describe::shortened("One. Two words", most), expected);
    };

    check(14, "One. Two words");
    check(12, "One.");
    assert_eq!(describe::shortened("Two words", 6), "Two...");
    assert_eq!(describe::shortened("Words", 3), "Wor...");
    assert_eq!(describe::shortened("éé", 3), "é...");
}

#[test]
fn a_skipped_version_is_not_in_the_crd() {
    let types = kind("pub a: i32,", "").replace(
        "#[derive(Debug)]",
        "// +kubebuilder:skipversion\n#[derive(Debug)]",
    );
    let api = crate::load(&sources(&types), &Options::default()).unwrap();
    assert_eq!(
        crds(&api, &Manifests::default(), Compat::Strict).unwrap(),
        []
    );
}

#[test]
fn each_instance_of_a_generic_type_has_its_schema() {
    let types = format!(
        "{DERIVE}\npub struct Limit<T, const N: usize> {{ pub least: T, pub most: Option<T>, pub all: [T; N] }}\n\
         {DERIVE}\npub struct Pair<A, B> {{ pub first: Limit<A, 2>, pub second: B }}"
    );
    let limit = |ty: &Value| {
        json!({
            "type": "object",
            "properties": {
                "least": ty,
                "most": ty,
                "all": {"type": "array", "items": ty},
            },
            "required": ["all", "least"],
        })
    };
    let (text, flag) = (json!({"type": "string"}), json!({"type": "boolean"}));
    check(
        "pub a: Limit<String, 4>, pub b: Limit<bool, 1>, pub c: Pair<bool, Vec<Limit<String, 3>>>,",
        &types,
        &json!({
            "a": limit(&text),
            "b": limit(&flag),
            "c": {
                "type": "object",
                "properties": {
                    "first": limit(&flag),
                    "second": {"type": "array", "items": limit(&text)},
                },
                "required": ["first", "second"],
            },
        }),
    );
}

#[test]
fn constants_may_stand_before_the_types_of_a_generic_type() {
    let types = format!(
        "const SIZE: usize = 3;\n{DERIVE}\npub struct Ring<const N: usize, T, const M: usize = 1, U = T> {{ pub first: [T; N], pub last: U }}"
    );
    let ring = |first: &str, last: &str| {
        json!({
            "type": "object",
            "properties": {
                "first": {"type": "array", "items": {"type": first}},
                "last": {"type": last},
            },
            "required": ["first", "last"],
        })
    };
    check(
        "pub a: Ring<4, bool>, pub b: Ring<SIZE, bool, { SIZE }, String>, pub c: Ring<{ 2 + 1 }, String, SIZE>,",
        &types,
        &json!({
            "a": ring("boolean", "boolean"),
            "b": ring("boolean", "string"),
            "c": ring("string", "string"),
        }),
    );
}

#[test]
fn a_generic_type_without_its_arguments_or_end_is_refused() {
    let refused = |fields: &str, types: &str| {
        crd_of(&kind(fields, &format!("{DERIVE}\n{types}")), Compat::Strict).unwrap_err()
    };
    let constant = refused(
        "pub a: Ring<4>,",
        "pub struct Ring<const N: usize, T> { pub items: [T; N] }",
    );
    assert!(constant.contains('T'), "{constant}");
    let endless = refused(
        "pub a: Nest<bool>,",
        "pub struct Nest<T> { pub value: T, pub next: Option<Box<Nest<Vec<T>>>> }",
    );
    assert!(endless.contains("Nest"), "{endless}");
}

#[test]
fn keys_of_maps_may_be_newtypes_and_enums() {
    let map = json!({"a": {"type": "object", "additionalProperties": {"type": "boolean"}}});
    let types = [
        "#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]\n#[serde(transparent)]\npub struct Key(pub String);",
        "#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]\npub enum Key { A, B }",
        "pub type Key = u16;",
    ];
    for types in types {
        check("pub a: std::collections::BTreeMap<Key, bool>,", types, &map);
    }
}

#[test]
fn an_optional_value_that_may_be_null_is_nullable() {
    let spec = |attributes: &str| {
        let fields = format!("{attributes}pub a: Option<Option<bool>>,");
        spec(&fields, "", Compat::Strict)
    };
    let nullable = json!({"a": {"type": "boolean", "nullable": true}});
    let left_out = spec("#[serde(default, skip_serializing_if = \"Option::is_none\")] ");
    assert_eq!(left_out["properties"], nullable);
    assert_eq!(left_out["required"], Value::Null);
    // A field that is always serialized is null without a value.
    assert_eq!(spec("")["properties"], nullable);
}

#[test]
fn no_field_is_required_that_serde_reads_as_none_if_it_is_absent() {
    let types = format!(
        "pub type Opt<T> = Option<T>;\npub type Own<T, U = Opt<T>> = Box<U>;\n\
         {DERIVE}\n#[serde(transparent)]\npub struct Seen(pub Opt<i32>);\n{DERIVE}\npub struct Plain(pub Option<i32>);\n\
         {DERIVE}\npub struct Pair<T> {{ pub first: T, pub second: Vec<T> }}\n"
    );
    let required = |fields: &str| spec(fields, &types, Compat::Strict)["required"].clone();
    for absent in ["Opt<String>", "Own<i32>", "Box<Option<bool>>", "Seen"] {
        let fields = format!("pub a: {absent},");
        assert_eq!(required(&fields), Value::Null, "{absent}");
        let fields = format!("// +required\n{fields}");
        assert_eq!(required(&fields), json!(["a"]), "{absent}");
    }
    for present in ["Plain", "Own<i32, i32>", "Vec<Option<i32>>", "Pair<i32>"] {
        let fields = format!("pub a: {present},");
        assert_eq!(required(&fields), json!(["a"]), "{present}");
    }
    let pair = |argument: &str| {
        let fields = format!("pub a: Pair<{argument}>,");
        spec(&fields, &types, Compat::Strict)["properties"]["a"]["required"].clone()
    };
    assert_eq!(pair("i32"), json!(["first", "second"]));
    assert_eq!(pair("Opt<i32>"), json!(["second"]));
}

#[test]
fn a_flattened_enum_that_is_optional_may_have_no_variant() {
    let spec = |attributes: &str, ty: &str| {
        let types = format!(
            "pub type Opt<T> = Option<T>;\n{DERIVE}\n{attributes}\npub enum One {{ A {{ a: bool }}, B {{ b: i32 }} }}"
        );
        let fields = format!("#[serde(flatten)]\npub one: {ty},");
        spec(&fields, &types, Compat::Strict)
    };
    let tag = "#[serde(tag = \"type\")]";
    let choices = json!([
        {"properties": {"type": {"enum": ["A"]}}, "required": ["type", "a"]},
        {"properties": {"type": {"enum": ["B"]}}, "required": ["type", "b"]},
    ]);
    assert_eq!(spec(tag, "One")["oneOf"], choices);
    for ty in ["Option<One>", "Opt<One>"] {
        let optional = spec(tag, ty);
        assert_eq!(optional["oneOf"][2], json!({"not": {"required": ["type"]}}));
        assert_eq!(optional["required"], Value::Null);
    }
    let external = spec("", "Option<One>");
    let none = json!({"not": {"anyOf": [{"required": ["A"]}, {"required": ["B"]}]}});
    assert_eq!(external["oneOf"][2], none);
    assert!(spec("#[serde(untagged)]", "One")["anyOf"].is_array());
    let untagged = spec("#[serde(untagged)]", "Option<One>");
    assert_eq!(untagged["anyOf"], Value::Null);
}

/// Where controller-gen resolves conflicts between markers differently; see the list in
/// `docs/markers.md`.
#[test]
fn markers_that_meet_have_the_meaning_of_controller_gen_or_are_refused() {
    let number = |marker: &str| {
        let fields = format!(
            "// +kubebuilder:validation:{marker}\npub a: k8s_openapi::apimachinery::pkg::util::intstr::IntOrString,"
        );
        spec(&fields, "", Compat::Strict)["properties"]["a"].clone()
    };
    // An error in controller-gen; the API server accepts it and applies it to numbers.
    assert_eq!(number("Minimum=1")["minimum"], json!(1));
    let both = "// +kubebuilder:default=1\n// +default=2\npub a: i32,";
    let twice = spec(both, "", Compat::Strict);
    assert_eq!(twice["properties"]["a"]["default"], json!(1));
    let declared = "// +kubebuilder:validation:Schemaless\n// +kubebuilder:validation:Type=string\npub a: Foreign,\n";
    let types = format!("{DERIVE}\npub struct Foreign(pub Vec<u8>);");
    check(declared, &types, &json!({"a": {"type": "string"}}));
    // Explicit rules come first, then rules of unions, the largest union first.
    let rules = "// +kubebuilder:validation:AtLeastOneOf=a;b\n// +kubebuilder:validation:ExactlyOneOf=a;b\n\
                 // +kubebuilder:validation:AtMostOneOf=a;b\n// +kubebuilder:validation:XValidation:rule=\"true\"\n";
    let of_type = "pub a: Option<i32>, pub b: Option<i32>";
    let crd = spec(
        "pub one: One,",
        &format!("{rules}{DERIVE}\npub struct One {{ {of_type} }}"),
        Compat::Strict,
    );
    let rules = crd["properties"]["one"]["x-kubernetes-validations"].clone();
    let messages: Vec<&str> = rules
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["message"].as_str().unwrap_or("true"))
        .collect();
    assert_eq!(
        messages,
        [
            "true",
            "at most one of the fields in [a b] may be set",
            "exactly one of the fields in [a b] must be set",
            "at least one of the fields in [a b] must be set",
        ]
    );
}
