//! Schemas that code makes, and conditions that it decides, in crates of kube's derive.

use serde_json::{Value, json};

use super::sandbox::{Run, Sandbox};

const HEAD: &str = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n#[kube(group = \"example.com\", version = \"v1\", kind = ";

const DERIVE: &str = "#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]";

fn crate_of(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"operator\"\n");
    let text = text.replace("KIND", HEAD).replace("DERIVE", DERIVE);
    let uses = "use serde_json::Value;\nuse std::collections::{BTreeMap, HashMap};\n";
    sandbox.write("src/lib.rs", &(uses.to_owned() + &text));
    sandbox
}

pub(super) fn manifests(text: &str, arguments: &[&str]) -> (Sandbox, Run) {
    let sandbox = crate_of(text);
    let run = sandbox.quiet(&[&["manifests", "."], arguments].concat());
    (sandbox, run)
}

/// Returns the schema of the spec of the kind `Boat`.
#[track_caller]
pub(super) fn spec_of(text: &str) -> Value {
    let (sandbox, run) = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let crd: Value =
        serde_saphyr::from_str(&sandbox.read("config/crd/bases/example.com_boats.yaml")).unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

/// Checks the schema of the field `a`, whose attributes and type are given with functions below the
/// kind.
#[track_caller]
pub(super) fn check(field: &str, below: &str, expected: &Value) {
    let text = format!("KIND\"Boat\")]\npub struct BoatSpec {{ {field} }}\n{below}\n");
    assert_eq!(
        spec_of(&text)["properties"]["a"],
        *expected,
        "{field}\n{below}"
    );
}

#[test]
fn functions_return_schemas_in_the_forms_that_operators_use() {
    let open = json!({"x-kubernetes-preserve-unknown-fields": true});
    let function = |body: &str| {
        format!(
            "fn f(g: &mut schemars::gen::SchemaGenerator) -> schemars::schema::Schema {{ {body} }}"
        )
    };
    let check = |body: &str, expected: &Value| {
        check(
            "#[schemars(schema_with = \"f\")] a: Value",
            &function(body),
            expected,
        );
    };
    // schemars 1
    check(
        "json_schema!({\"type\": \"string\", \"minLength\": 2})",
        &json!({"type": "string", "minLength": 2}),
    );
    check(
        "json_schema! { {\"type\": \"string\"} }",
        &json!({"type": "string"}),
    );
    check(
        "return schemars::json_schema!({\"type\": [\"integer\", \"null\"]});",
        &json!({"type": "integer", "nullable": true}),
    );
    check(
        "Option::<bool>::json_schema(g)",
        &json!({"type": "boolean", "nullable": true}),
    );
    check(
        "g.subschema_for::<Vec<String>>()",
        &json!({"type": "array", "items": {"type": "string"}}),
    );
    check(
        "let items = g.subschema_for::<bool>(); json_schema!({\"type\": \"array\", \"items\": items, \"maxItems\": (2 * 3)})",
        &json!({"type": "array", "items": {"type": "boolean"}, "maxItems": 6}),
    );
    check(
        "let mut s = bool::json_schema(g); s.insert(\"description\".into(), json!(\"b\")); s.remove(\"type\"); s.insert(\"type\".into(), \"string\".into()); s",
        &json!({"type": "string", "description": "b"}),
    );
    check(
        "let mut s = Schema::default(); s.ensure_object().insert(\"const\".to_owned(), \"x\".into()); s.insert(\"type\".into(), \"string\".into()); s",
        &json!({"type": "string", "enum": ["x"]}),
    );
    check(
        "json_schema!({\"nullable\": true, \"x-kubernetes-preserve-unknown-fields\": true})",
        &json!({"nullable": true, "x-kubernetes-preserve-unknown-fields": true}),
    );
    check(
        "helper(g) } fn helper(g: &mut SchemaGenerator) -> Schema { json_schema!({\"type\": \"boolean\"})",
        &json!({"type": "boolean"}),
    );
    check("true.into()", &open);
    check(
        "let items = bool::json_schema(g); let items = serde_json::to_value(&items).unwrap_or_else(|_| json!({})); \
         serde_json::from_value(json!({\"type\": \"array\", \"items\": items})).expect(\"valid\")",
        &json!({"type": "array", "items": {"type": "boolean"}}),
    );
    check(
        "json_schema!({\"oneOf\": [{\"type\": \"object\", \"properties\": {\"b\": {\"type\": \"string\"}}, \"required\": [\"b\"]}, \
         {\"type\": \"object\", \"properties\": {\"c\": {\"type\": \"string\"}}, \"required\": [\"c\"], \"additionalProperties\": false}]})",
        &json!({
            "type": "object",
            "properties": {"b": {"type": "string"}, "c": {"type": "string"}},
            "oneOf": [{"required": ["b"]}, {"required": ["c"]}],
        }),
    );
    check(
        "json_schema!({\"x-kubernetes-int-or-string\": true, \"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"string\"}]})",
        &json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
    );
    check(
        "json_schema!({\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]})",
        &json!({"type": "string", "nullable": true}),
    );
    // schemars 0.8
    check(
        "let mut s: SchemaObject = <Vec<String>>::json_schema(g).into(); \
         s.extensions.insert(\"x-kubernetes-list-type\".to_owned(), serde_json::Value::String(\"set\".to_owned())); s.into()",
        &json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
    );
    check(
        "let mut s = SchemaObject::default(); s.extensions.insert(\"x-kubernetes-preserve-unknown-fields\".into(), true.into()); Schema::Object(s)",
        &open,
    );
    check(
        "let mut s = SchemaObject::default(); s.metadata().description = Some(\"b\".to_owned()); s.metadata().read_only = false; \
         s.instance_type = Some(InstanceType::String.into()); s.string().max_length = Some(3); Schema::Object(s)",
        &json!({"type": "string", "description": "b", "maxLength": 3}),
    );
    check(
        "Schema::Object(SchemaObject { instance_type: Some(SingleOrVec::Single(Box::new(InstanceType::Object))), \
         object: Some(Box::new(ObjectValidation { max_properties: Some(2), ..Default::default() })), ..Default::default() })",
        &json!({"type": "object", "maxProperties": 2}),
    );
    check(
        "let mut s: SchemaObject = bool::json_schema(g).into(); s.extensions.insert(\"x-kubernetes-validations\".to_owned(), \
         serde_json::from_str(r#\"[{\"rule\": \"self\"}]\"#).unwrap()); s.into()",
        &json!({"type": "boolean", "x-kubernetes-validations": [{"rule": "self"}]}),
    );
    check(
        "SchemaObject { instance_type: Some(SingleOrVec::Single(Box::new(InstanceType::Object))), \
         extensions: [(\"x-kubernetes-preserve-unknown-fields\".to_string(), json!(true))].into(), ..Default::default() }.into()",
        &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    );
    check(
        "let mut e = BTreeMap::from([(\"nullable\".to_string(), true.into())]); \
         let s = SchemaObject { instance_type: Some(InstanceType::Boolean.into()), extensions: e, ..Default::default() }; s.into()",
        &json!({"type": "boolean", "nullable": true}),
    );
}

/// The types are seen from the function's module, and those that it declares are its own.
#[test]
fn types_in_functions_are_found_where_these_are() {
    let spec = spec_of(
        "use helpers::schema as h;\nKIND\"Boat\")]\npub struct BoatSpec { #[schemars(schema_with = \"h::mast\")] a: Value, b: Sail, #[schemars(with = \"Vec<Sail>\")] c: Value }\n\
         mod helpers { pub mod schema {\nuse super::Mast;\npub fn mast(g: &mut SchemaGenerator) -> Schema { <Mast>::json_schema(g) }\n}\nDERIVE\npub struct Mast { height: u8 } }\n\
         #[derive(Serialize, Deserialize, Clone, Debug)]\npub enum Sail { A(u8), B(String) }\n\
         impl JsonSchema for Sail {\nfn schema_name() -> Cow<'static, str> { \"Sail\".into() }\n\
         fn json_schema(g: &mut SchemaGenerator) -> Schema {\n#[derive(Serialize, Deserialize, JsonSchema)]\n\
         struct Proxy {\n#[serde(rename = \"type\")]\ntag: Kind,\n#[serde(flatten)]\nrest: HashMap<String, Value>,\n}\nProxy::json_schema(g)\n}\n}\n\
         DERIVE\npub enum Kind { Jib, Main }\n",
    );
    let sail = json!({
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["Jib", "Main"]}},
        "required": ["type"],
        "x-kubernetes-preserve-unknown-fields": true,
    });
    let height = &spec["properties"]["a"]["properties"]["height"];
    assert_eq!(height["maximum"], 255);
    assert_eq!(spec["properties"]["b"], sail);
    assert_eq!(
        spec["properties"]["c"],
        json!({"type": "array", "items": sail})
    );
}

#[test]
fn code_that_is_not_read_is_an_error_with_its_place() {
    for body in [
        "make()",
        "let a = make(); a",
        "let mut s = bool::json_schema(g); let b = change(&mut s); s",
        "let mut s = bool::json_schema(g); if let Some(t) = s.get_mut(\"type\") { *t = \"string\".into(); } s",
        "json_schema!({\"type\": kind()})",
        "T::json_schema(g)",
    ] {
        let text = format!(
            "KIND\"Boat\")]\npub struct BoatSpec {{ #[schemars(schema_with = \"f\")] a: Value }}\nfn f{}(g: &mut SchemaGenerator) -> Schema {{ {body} }}\n",
            if body.starts_with("T::") { "<T>" } else { "" },
        );
        let (_, run) = manifests(&text, &[]);
        assert_eq!(run.code, 1, "{body}");
        run.says(
            "error[K0203]: `#[schemars(schema_with)]` is not known without compiling\n --> src/lib.rs:5:",
        );
    }
}

/// As in schemars: the type that a function stands for is no `Option`.
#[test]
fn an_option_with_a_schema_of_code_is_required_unless_it_has_a_default() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { #[schemars(schema_with = \"f\")] a: Option<u8>, #[schemars(default, schema_with = \"f\")] b: Option<u8> }\n\
         fn f(_: &mut SchemaGenerator) -> Schema { json_schema!({\"type\": \"integer\"}) }\n",
    );
    assert_eq!(spec["required"], json!(["a"]));
    assert_eq!(spec["properties"]["b"], json!({"type": "integer"}));
}

#[test]
fn a_flattened_map_has_the_schema_of_its_function() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { a: bool, #[serde(flatten)] #[schemars(schema_with = \"f\")] rest: BTreeMap<String, Value> }\n\
         fn f(_: &mut SchemaGenerator) -> Schema { json_schema!({\"properties\": {\"b\": {\"type\": \"string\"}}, \"required\": [\"b\"]}) }\n",
    );
    let expected = json!({
        "type": "object",
        "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}},
        "required": ["a", "b"],
    });
    assert_eq!(spec, expected);
}

#[test]
fn a_root_with_a_schema_by_hand_has_that_schema() {
    let text = "KIND\"Boat\", schema = \"manual\")]\npub struct BoatSpec { a: bool }\n\
         impl JsonSchema for Boat {\nfn json_schema(g: &mut SchemaGenerator) -> Schema {\nlet spec = g.subschema_for::<BoatSpec>();\n\
         json_schema!({\"type\": \"object\", \"properties\": {\"metadata\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\", \"maxLength\": 9}}}, \"spec\": spec}, \"required\": [\"spec\"]})\n}\n}\n";
    let (sandbox, run) = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let crd = sandbox.read("config/crd/bases/example.com_boats.yaml");
    assert!(
        crd.contains("maxLength: 9") && crd.contains("a:\n"),
        "{crd}"
    );
    let (_, run) = manifests(
        "KIND\"Boat\", schema = \"manual\")]\npub struct BoatSpec { a: bool }\n",
        &[],
    );
    assert_eq!(run.code, 1);
    run.says("error[K0207]: the schema of `Boat` is not known: code creates it");
}

#[test]
fn patterns_are_those_of_constants_and_never_their_names() {
    let pattern = json!({"type": "string", "pattern": "^a+$"});
    for below in [
        "static RE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r\"^a+$\").unwrap());",
        "static RE: Lazy<Regex> = Lazy::new(|| { Regex::new(\"^a+$\").expect(\"valid\") });",
        "lazy_static! { /// A.\nstatic ref RE: regex::Regex = regex::Regex::new(\"^a+$\").unwrap(); }",
        "const RE: &str = \"^a+$\";",
        "static RE: &str = \"^a+$\";",
    ] {
        for attribute in [
            "validate(regex(path = \"RE\"))",
            "validate(regex(path = *RE))",
            "validate(regex = \"RE\")",
            "validate(regex(path = \"crate::RE\", message = \"no\"))",
            "schemars(regex(pattern = *RE))",
            "schemars(pattern(RE))",
        ] {
            check(&format!("#[{attribute}] a: String"), below, &pattern);
        }
    }
    let text = "KIND\"Boat\")]\npub struct BoatSpec { #[validate(regex(path = \"RE\"))] a: String }\nstatic RE: Lazy<Regex> = Lazy::new(|| Regex::new(&make()).unwrap());\n";
    let (_, run) = manifests(text, &[]);
    assert_eq!(run.code, 1);
    run.says("error[K0203]: `#[validate(regex)]` is not known without compiling");
}

#[test]
fn bounds_are_those_of_constants() {
    let below = "const MOST: usize = 2 * 8;\nstatic LEAST: u8 = 1;";
    check(
        "#[validate(length(min = \"LEAST\", max = \"MOST\"))] a: String",
        below,
        &json!({"type": "string", "minLength": 1, "maxLength": 16}),
    );
}

/// Values were compared with those of `crd()`.
#[test]
fn functions_decide_which_defaults_are_written() {
    let below = "fn one() -> u8 { 1 }\nfn is_one(n: &u8) -> bool { *n == 1 }\nfn is_off(b: &bool) -> bool { !*b }\n\
         fn is_default<T: Default + PartialEq>(t: &T) -> bool { *t == T::default() }\nconst ONE: u8 = 1;\nfn is_const(n: &u8) -> bool { n == &ONE }\n\
         fn is_odd(n: &u8) -> bool { n % 2 == 1 }\n\
         DERIVE\n#[derive(Default)]\npub struct State { names: Vec<u8>, tls: Option<u8>, is_on: bool }\n\
         impl State { fn is_empty(&self) -> bool { self.names.is_empty() && self.tls.is_none() } fn is_off(&self) -> bool { !self.is_on } fn is_on(&self) -> bool { self.is_on } }\n";
    let default = |field: &str| {
        let text = format!("KIND\"Boat\")]\npub struct BoatSpec {{ {field} }}\n{below}");
        let spec = spec_of(&text);
        spec["properties"]["a"].get("default").cloned()
    };
    let check = |attributes: &str, ty: &str, expected: Option<Value>| {
        let field = format!("#[serde({attributes})] a: {ty}");
        assert_eq!(default(&field), expected, "{field}");
    };
    check(
        "default, skip_serializing_if = \"is_one\"",
        "u8",
        Some(json!(0)),
    );
    check(
        "default = \"one\", skip_serializing_if = \"is_one\"",
        "u8",
        None,
    );
    check(
        "default = \"one\", skip_serializing_if = \"is_const\"",
        "u8",
        None,
    );
    check(
        "default = \"one\", skip_serializing_if = \"is_default\"",
        "u8",
        Some(json!(1)),
    );
    check("default, skip_serializing_if = \"is_default\"", "u8", None);
    check("default, skip_serializing_if = \"is_off\"", "bool", None);
    check(
        "default, skip_serializing_if = \"std::ops::Not::not\"",
        "bool",
        None,
    );
    check(
        "default, skip_serializing_if = \"Clone::clone\"",
        "bool",
        Some(json!(false)),
    );
    check(
        "default, skip_serializing_if = \"Vec::is_empty\"",
        "Vec<u8>",
        None,
    );
    let of_state = |function: &str| format!("default, skip_serializing_if = \"State::{function}\"");
    check(&of_state("is_empty"), "State", None);
    check(&of_state("is_off"), "State", None);
    check(
        &of_state("is_on"),
        "State",
        Some(json!({"names": [], "is_on": false})),
    );
    let text = format!(
        "KIND\"Boat\")]\npub struct BoatSpec {{ #[serde(default, skip_serializing_if = \"is_odd\")] a: u8 }}\n{below}"
    );
    let (_, run) = manifests(&text, &[]);
    run.says("warning: the schema has no default for `a`");
    run.says("`is_odd` decides whether there is one");
}

#[test]
fn what_is_not_read_is_not_required() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { #[serde(skip_deserializing)] a: u8, b: u8 }\n",
    );
    assert_eq!(spec["required"], json!(["b"]));
    assert!(spec["properties"]["a"].is_object());
}

#[test]
fn attributes_on_the_field_of_a_transparent_struct_are_those_of_the_struct() {
    let of = |field: &str| {
        spec_of(&format!(
            "KIND\"Boat\")]\npub struct BoatSpec {{ a: Name }}\nDERIVE\n#[serde(transparent)]\npub struct Name {{ {field}, #[serde(skip)] kind: Cell<dyn Fn()> }}\n"
        ))["properties"]["a"]
            .clone()
    };
    let check = |field: &str, expected: Value| assert_eq!(of(field), expected, "{field}");
    check(
        "#[schemars(length(max = 3), regex(pattern = \"^a\"))] n: String",
        json!({"type": "string", "maxLength": 3, "pattern": "^a"}),
    );
    check(
        "#[schemars(range(max = 3))] n: i32",
        json!({"type": "integer", "format": "int32", "maximum": 3}),
    );
    check(
        "#[schemars(with = \"bool\")] n: other::Other",
        json!({"type": "boolean"}),
    );
    check(
        "#[schemars(with = \"Vec<bool>\", length(max = 3))] n: other::Other",
        json!({"type": "array", "items": {"type": "boolean"}, "maxItems": 3}),
    );
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { a: Name }\nDERIVE\n#[serde(transparent)]\n#[schemars(extend(\"minLength\" = 2))]\npub struct Name { n: String }\n",
    );
    assert_eq!(
        spec["properties"]["a"],
        json!({"type": "string", "minLength": 2})
    );
}

#[test]
fn types_of_crates_that_schemars_knows_have_its_schemas() {
    let check = |ty: &str, expected: Value| check(&format!("a: {ty}"), "", &expected);
    check("smol_str::SmolStr", json!({"type": "string"}));
    check(
        "smallvec::SmallVec<[bool; 4]>",
        json!({"type": "array", "items": {"type": "boolean"}}),
    );
    check(
        "ordered_float::NotNan<i32>",
        json!({"type": "integer", "format": "int32"}),
    );
    check(
        "bytes::Bytes",
        json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}),
    );
    check(
        "rust_decimal::Decimal",
        json!({"type": "string", "pattern": "^-?\\d+(\\.\\d+)?([eE]\\d+)?$"}),
    );
    check("ipnet::IpNet", json!({"type": "string"}));
    check("arrayvec::ArrayString<8>", json!({"type": "string"}));
    check("kube::core::Duration", json!({"type": "string"}));
    check(
        "Box<serde_json::value::RawValue>",
        json!({"x-kubernetes-preserve-unknown-fields": true}),
    );
    check("url::Url", json!({"type": "string", "format": "uri"}));
    check("uuid::Uuid", json!({"type": "string", "format": "uuid"}));
    check(
        "k8s_openapi::chrono::DateTime<k8s_openapi::chrono::Utc>",
        json!({"type": "string", "format": "date-time"}),
    );
    check(
        "k8s_openapi::jiff::Timestamp",
        json!({"type": "string", "format": "date-time"}),
    );
    check(
        "chrono::Weekday",
        json!({"type": "string", "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]}),
    );
    check(
        "either::Either<bool, String>",
        json!({
            "type": "object",
            "properties": {"Left": {"type": "boolean"}, "Right": {"type": "string"}},
            "oneOf": [{"required": ["Left"]}, {"required": ["Right"]}],
        }),
    );
    let spec = spec_of("KIND\"Boat\")]\npub struct BoatSpec { a: semver::Version }\n");
    let pattern = spec["properties"]["a"]["pattern"].as_str().unwrap();
    assert!(pattern.starts_with(r"^(0|[1-9]\d*)"), "{pattern}");
}

#[test]
fn a_variant_may_have_the_schema_of_another_type_or_of_a_function() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { a: Rig }\nDERIVE\npub enum Rig { #[schemars(with = \"Mast\")] One(other::Mast), \
         #[schemars(schema_with = \"f\")] Two { b: other::Mast } }\nDERIVE\npub struct Mast { height: bool }\n\
         fn f(g: &mut SchemaGenerator) -> Schema { <Vec<String>>::json_schema(g) }\n",
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "One": {"type": "object", "properties": {"height": {"type": "boolean"}}, "required": ["height"]},
            "Two": {"type": "array", "items": {"type": "string"}},
        },
        "oneOf": [{"required": ["One"]}, {"required": ["Two"]}],
    });
    assert_eq!(spec["properties"]["a"], expected);
}
