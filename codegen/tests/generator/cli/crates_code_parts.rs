//! Parts of schemas that code makes: generators, constants, and keywords of other tools.

use serde_json::{Value, json};

use super::crates_code::{check, manifests, spec_of};

/// Operators make the schemas of Kubernetes' types so, and remove what is required in them.
#[test]
fn a_generator_of_the_function_s_own_is_not_read() {
    let spec = spec_of(
        "KIND\"Boat\")]\npub struct BoatSpec { #[schemars(schema_with = \"f\")] a: Value }\nDERIVE\npub struct Mast { height: u8 }\n\
         fn f(_g: &mut SchemaGenerator) -> Schema {\n\
         let gen = schemars::gen::SchemaSettings::openapi3().with(|s| { s.inline_subschemas = true; }).into_generator();\n\
         let mut val = gen.into_root_schema_for::<Mast>();\n\
         val.schema.object.as_mut().unwrap().required = BTreeSet::new();\nval.schema.into()\n}\n",
    );
    let mast = &spec["properties"]["a"];
    assert_eq!(mast["properties"]["height"]["maximum"], 255);
    assert_eq!(mast.get("required"), None);
}

#[test]
fn a_schema_by_hand_may_name_constants_of_its_type() {
    check(
        "a: Name",
        "#[derive(Serialize, Deserialize, Clone, Debug)]\npub struct Name(String);\n\
         impl Name { const PATTERN: &'static str = \"^[a-z]+$\"; }\n\
         impl JsonSchema for Name {\nfn schema_name() -> String { \"n\".into() }\nfn json_schema(_: &mut SchemaGenerator) -> Schema {\n\
         SchemaObject { instance_type: Some(InstanceType::String.into()), metadata: None, \
         string: Some(Box::new(StringValidation { max_length: Some(9), pattern: Some(Self::PATTERN.into()), ..Default::default() })), \
         ..SchemaObject::default() }.into()\n}\n}",
        &json!({"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"}),
    );
}

#[test]
fn parameters_of_functions_are_the_types_that_attributes_name() {
    let set = "fn set<T: JsonSchema>(gen: &mut SchemaGenerator) -> Schema {\nserde_json::from_value(serde_json::json!({\n\
        \"type\": \"array\", \"items\": T::json_schema(gen), \"x-kubernetes-list-type\": \"set\"\n})).unwrap()\n}\n";
    let list =
        |items: Value| json!({"type": "array", "items": items, "x-kubernetes-list-type": "set"});
    check(
        "#[schemars(schema_with = \"set::<String>\")] a: Vec<String>",
        set,
        &list(json!({"type": "string"})),
    );
    // The argument is resolved where it is written, also through another function.
    let inner = "mod sets {\nuse super::Mast as Other;\npub struct Mast;\npub fn masts<T>(g: &mut SchemaGenerator) -> Schema { super::set::<Box<T>>(g) }\n}\n\
        DERIVE\npub enum Mast { Main }\n";
    check(
        "#[schemars(schema_with = \"sets::masts::<Mast>\")] a: Value",
        &(set.to_owned() + inner),
        &list(json!({"type": "string", "enum": ["Main"]})),
    );
}

/// kube's own CRD has it, too, and the API server accepts it.
#[test]
fn a_value_that_no_object_can_have_is_a_warning() {
    let text = "KIND\"Boat\")]\npub struct BoatSpec { #[schemars(schema_with = \"f\")] a: Value }\n\
        fn f(_: &mut SchemaGenerator) -> Schema { json_schema!({\"type\": \"object\", \"enum\": [{}, \"none\"]}) }\n";
    let (sandbox, run) = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: `.spec.a` can never have the value \"none\" of its enum");
    assert!(
        sandbox
            .read("config/crd/bases/example.com_boats.yaml")
            .contains("- none")
    );
}

/// The API server drops a keyword that it does not know.
#[test]
fn a_keyword_of_other_tools_is_left_out_with_a_warning() {
    let text = "KIND\"Boat\")]\npub struct BoatSpec { #[schemars(schema_with = \"f\")] a: Value }\n\
        fn f(_: &mut SchemaGenerator) -> Schema { json_schema!({\"type\": \"string\", \"x-enum-descriptions\": [\"b\"]}) }\n";
    let (sandbox, run) = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: `x-enum-descriptions` in the schema of `BoatSpec.a` is left out");
    let crd = sandbox.read("config/crd/bases/example.com_boats.yaml");
    assert!(!crd.contains("x-enum"), "{crd}");
}

/// As in kube's own CRDs: the API server drops what the schema of embedded metadata lacks. A pod's
/// volumes have a claim with metadata, too.
#[test]
fn metadata_of_embedded_objects_is_whole() {
    let (sandbox, run) = manifests(
        "KIND\"Boat\")]\npub struct BoatSpec { a: k8s_openapi::api::core::v1::PodTemplateSpec, b: kube::core::ObjectMeta }\n",
        &["--max-description", "0"],
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let crd = sandbox.read("config/crd/bases/example.com_boats.yaml");
    assert_eq!(crd.matches(" labels:\n").count(), 3, "{crd}");
    assert_eq!(crd.matches(" ownerReferences:\n").count(), 3);
}

#[test]
fn kinds_of_several_versions_of_a_macro_have_the_fields_of_each() {
    let kind = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
         #[versioned(VERSIONS crd(group = \"example.com\", namespaced))]\npub struct BoatSpec {\n\
         #[versioned(added(since = \"v1\"))] crew: String,\n\
         #[versioned(changed(since = \"v1\", from_name = \"height\", from_type = \"Vec<u8>\"), hint(vec))] heights: u8,\n\
         #[versioned(deprecated(since = \"v1\", note = \"no sails\"), changed(since = \"v1\", from_name = \"no name\"))] deprecated_type: bool,\n FIELDS }\n";
    let versions = "version(name = \"v1alpha1\"), version(name = \"v1\")";
    let of_module = format!(
        "#[versioned({versions})]\npub mod versioned {{\npub mod v1 {{ pub use super::Mast as Spar; }}\n{}\
         DERIVE\npub enum Rig {{ Sloop, #[versioned(added(since = \"v1\"))] Ketch }}\n}}\nDERIVE\npub struct Mast {{ a: bool }}\n",
        kind.replace("VERSIONS", "").replace(
            "FIELDS",
            "rig: Rig, #[versioned(added(since = \"v1\"))] spar: Spar"
        ),
    );
    let of_type = kind
        .replace("VERSIONS", &format!("{versions},"))
        .replace("FIELDS", "");
    for text in [of_module, of_type] {
        let (sandbox, run) = manifests(&text, &[]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let crd = sandbox.read("config/crd/bases/example.com_boats.yaml");
        let crd: Value = serde_saphyr::from_str(&crd).unwrap();
        let fields = |at: usize| {
            crd["spec"]["versions"][at]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
                .clone()
        };
        let names = |at: usize| {
            let fields = fields(at);
            let names = fields.as_object().unwrap().keys().cloned();
            names
                .filter(|name| !["rig", "spar"].contains(&name.as_str()))
                .collect::<Vec<_>>()
        };
        let at = |version: &str| usize::from(crd["spec"]["versions"][0]["name"] != version);
        let (old, new) = (at("v1alpha1"), at("v1"));
        assert_eq!(names(old), ["height", "type"]);
        assert_eq!(fields(old)["height"]["type"], "array");
        assert_eq!(names(new), ["crew", "deprecated_type", "heights"]);
        assert_eq!(fields(new)["heights"]["type"], "integer");
        if text.contains("mod versioned") {
            assert_eq!(fields(old)["rig"]["enum"], json!(["Sloop"]));
            assert_eq!(fields(new)["rig"]["enum"], json!(["Sloop", "Ketch"]));
            assert_eq!(fields(new)["spar"]["type"], "object");
        }
    }
}

/// kube's derive panics: the variants have no schema in common.
#[test]
fn variants_of_different_forms_permit_any_value_with_a_warning() {
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let of = |variants: &str, expected: &Value| {
        check(
            "a: Sail",
            &format!("DERIVE\npub enum Sail {{ {variants} }}"),
            expected,
        );
    };
    of("Main, Other(String)", &any);
    of("Main, Other { area: u8 }", &any);
    of("Gaff { area: u8 }, #[serde(untagged)] Other(u8)", &any);
    let text = "KIND\"Boat\")]\npub struct BoatSpec { a: Sail }\nDERIVE\npub enum Sail { Main, Other(String) }\n";
    let (_, run) = manifests(text, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: the variants of `Sail` have different forms");
    run.says("the CRD permits any value: for objects only, write `Main {}`");
    // The advice.
    let text = text.replace("{ Main,", "{ Main {},");
    let (_, run) = manifests(&text, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn variants_without_tag_that_are_strings_join_the_names_of_the_others() {
    let of = |variants: &str, expected: &Value| {
        let types = format!(
            "DERIVE\npub enum Sail {{ {variants} }}\nDERIVE\npub enum Rig {{ Sloop, Ketch }}"
        );
        check("a: Sail", &types, expected);
    };
    of(
        "Main, #[serde(untagged)] Of(Rig)",
        &json!({"type": "string", "enum": ["Main", "Sloop", "Ketch"]}),
    );
    of(
        "Main, #[serde(untagged)] Of(Rig), #[serde(untagged)] Other(chrono::NaiveTime)",
        &json!({"type": "string"}),
    );
}

#[test]
fn types_of_the_standard_library_have_the_schemas_of_schemars() {
    let check = |ty: &str, expected: Value| check(&format!("a: {ty}"), "", &expected);
    for wrapper in [
        "num::Wrapping",
        "cmp::Reverse",
        "cell::RefCell",
        "sync::Mutex",
    ] {
        check(&format!("std::{wrapper}<bool>"), json!({"type": "boolean"}));
    }
    check("std::sync::atomic::AtomicBool", json!({"type": "boolean"}));
    check(
        "std::sync::atomic::AtomicI32",
        json!({"type": "integer", "format": "int32"}),
    );
    let port = json!({"type": "integer", "minimum": 1, "maximum": 65535});
    check("std::num::NonZero<u16>", port.clone());
    check("std::num::NonZeroU16", port);
    check(
        "std::collections::BinaryHeap<bool>",
        json!({"type": "array", "items": {"type": "boolean"}}),
    );
    check(
        "std::time::SystemTime",
        json!({
            "type": "object",
            "properties": {
                "secs_since_epoch": {"type": "integer", "format": "int64", "minimum": 0},
                "nanos_since_epoch": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 4294967295_u32},
            },
            "required": ["nanos_since_epoch", "secs_since_epoch"],
        }),
    );
}

/// kube writes `anyOf` without a type, which the API server refuses.
#[test]
fn an_untagged_enum_of_values_of_one_type_has_that_type() {
    let of = |variants: &str, expected: &Value| {
        let types = format!("DERIVE\n#[serde(untagged)]\npub enum Cidr {{ {variants} }}");
        check("a: Cidr", &types, expected);
    };
    of(
        "Addr(std::net::Ipv4Addr), Net(ipnet::IpNet)",
        &json!({"type": "string"}),
    );
    of("Small(u8), Large(i64)", &json!({"type": "integer"}));
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    of("One(String), Many(Vec<String>)", &any);
    of("Text(String), Any(serde_json::Value)", &any);
}

/// stackable-versioned makes a module of each version, in the place of the one that it is on.
#[test]
fn kinds_of_one_version_of_a_macro_are_read() {
    let (sandbox, run) = manifests(
        "const SIZES: u8 = 9;\n#[versioned(version(name = \"v1alpha1\"), crates(kube_core = \"kube::core\"))]\npub mod versioned {\n\
         DERIVE\n#[derive(CustomResource)]\n\
         #[versioned(crd(group = \"example.com\", shortname = \"b\", status = \"v1alpha1::BoatStatus\", namespaced,))]\n\
         pub struct BoatSpec { #[schemars(range(max = SIZES))] size: u8, mast: super::Mast }\n\
         DERIVE\npub struct BoatStatus { #[serde(default)] afloat: bool }\n}\n\
         DERIVE\npub struct Mast { of: v1alpha1::BoatStatus }\n",
        &[],
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let crd = sandbox.read("config/crd/bases/example.com_boats.yaml");
    for line in [
        "kind: Boat",
        "name: v1alpha1",
        "- b",
        "maximum: 9",
        "afloat:",
        "of:",
        "scope: Namespaced",
    ] {
        assert!(crd.contains(line), "{line}\n{crd}");
    }
}
