use std::path::Path;

use crate::{Generator, Options, RustPackage, Source, Sources};

const HEAD: &str = "\
// +groupName=cloud.example.com
// +k8s:deepcopy-gen=package
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
";

/// The configurations of a version whose root `A` has a spec `S`, which `text` defines.
#[track_caller]
fn configurations(markers: &str, text: &str) -> Option<String> {
    configurations_of(markers, "pub spec: S", text)
}

/// The configurations of a root with other fields.
#[track_caller]
fn configurations_of(markers: &str, fields: &str, text: &str) -> Option<String> {
    let root = format!(
        "#[derive(Debug, PartialEq)]\npub struct A {{ pub metadata: ObjectMeta, {fields} }}\n"
    );
    let text = format!("{HEAD}// +genclient\n{markers}\n{root}{text}").replace(
        "#[api]",
        "#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]",
    );
    let sources = Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1".to_owned(),
            module_path: "crate::apis::cloud::v1".to_owned(),
            dir: "apis/cloud/v1".into(),
            files: vec![Source::new("mod.rs", text)],
        }],
        ..Sources::default()
    };
    let options = Options {
        emit: [Generator::Apply].into(),
        ..Options::default()
    };
    let generated = crate::generate(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
    let path = Path::new("generated/applyconfiguration/cloud/v1/mod.rs");
    generated.files.get(path).cloned()
}

/// Checks the lines of the spec's fields.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let text = configurations("", text).unwrap();
    let (_, spec) = text.split_once("pub struct SApply").unwrap();
    let (spec, _) = spec.split_once("}").unwrap();
    let lines: Vec<&str> = spec.lines().skip(1).map(str::trim).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|it| !it.is_empty()).collect();
    assert_eq!(lines, expected);
}

#[test]
fn what_is_merged_has_a_configuration_and_the_rest_is_as_it_is() {
    check(
        "#[api] pub struct S {
            pub b: B, pub boxed: Box<B>, pub plain: Vec<B>,
            // +listType=map
            // +listMapKey=x
            pub keyed: Vec<B>,
            // +structType=atomic
            pub atomic: B,
            pub named: std::collections::BTreeMap<String, B>,
        }
        #[api] pub struct B { pub x: String }",
        &[
            "b: into BApply,",
            "boxed: into Box<BApply>,",
            "/// Replaced as a whole.",
            "plain: list api::B,",
            "/// Items are merged by `x`.",
            "keyed: list BApply,",
            "/// Replaced as a whole.",
            "atomic: into api::B,",
            "named: map BApply,",
        ],
    );
}

#[test]
fn types_that_are_not_their_fields_stay_whole() {
    check(
        "#[api] pub struct S { pub c: C, pub d: D, pub e: E, pub f: F<u8>, pub g: G }
        #[api] #[serde(into = \"String\", from = \"String\")] pub struct C { pub x: u8 }
        // +kubebuilder:ac:generate=false
        #[api] pub struct D { pub x: u8 }
        #[api] pub enum E { X(u8), Y { y: u8 } }
        #[api] pub struct F<T> { pub x: T }
        #[api] pub struct G(pub String);",
        &[
            "c: into api::C,",
            "d: into api::D,",
            "e: into api::E,",
            "f: into apply::Value,",
            "g: into api::G,",
        ],
    );
}

#[test]
fn what_generated_code_cannot_name_is_json() {
    check(
        "#[api] pub struct S { #[serde(with = \"x\")] pub a: u8, pub b: inner::B, pub c: (u8, u8) }
        mod inner { #[api] pub enum B { X(u8), Y(u8) } }",
        &[
            "a: into apply::Value as nullable,",
            "b: into apply::Value,",
            "c: into apply::Value,",
        ],
    );
}

#[test]
fn flattened_structs_give_their_fields_and_the_rest_a_map() {
    check(
        "#[api] pub struct S { pub a: u8, #[serde(flatten)] pub b: B, #[serde(flatten)] pub d: D, #[serde(skip)] pub e: u8 }
        #[api] pub struct B { #[serde(flatten)] pub c: C }
        #[api] pub struct C { pub a: String, #[serde(rename = \"podIPs\")] pub ips: Vec<String> }
        #[api] pub enum D { X(u8) }",
        &[
            "a: plain u8,",
            "a_ = \"a\": into String,",
            "/// Replaced as a whole.",
            "ips = \"podIPs\": list String,",
            "..unknown_fields: apply::Value",
        ],
    );
}

#[test]
fn types_that_contain_themselves_have_one_configuration() {
    check(
        "#[api] pub struct S { pub next: Option<Box<S>>, pub number: Option<u64>, pub r#type: Option<Option<String>> }",
        &[
            "next: into Box<SApply>,",
            "number: plain u64,",
            "r#type: nullable String as nullable,",
        ],
    );
}

#[test]
fn setters_do_not_hide_the_functions_that_make_configurations() {
    check(
        "#[api] pub struct S { pub default: Option<String>, pub new: Option<u8> }",
        &["default: bare String,", "new: plain u8,"],
    );
    let fields = "pub new: Option<Option<u8>>, pub extract: Option<bool>, pub default: Option<u8>";
    let text = configurations_of("", fields, "").unwrap();
    for line in [
        "new: bare Option<u8> as nullable,",
        "extract: bare bool,",
        "default: bare u8,",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn only_kinds_that_are_applied_have_one() {
    let spec = "#[api] pub struct S { pub x: u8 }";
    for markers in [
        "// +genclient:noVerbs",
        "// +genclient:noStatus\n// +genclient:skipVerbs=apply",
        "// +genclient:readonly",
        "// +kubebuilder:ac:generate=false",
    ] {
        assert_eq!(configurations(markers, spec), None, "{markers}");
    }
    assert!(configurations("", spec).is_some());
}

#[test]
fn without_partial_eq_in_the_api_there_is_none() {
    let spec = "#[derive(Clone, Debug, Serialize, Deserialize)] pub struct S { pub x: u8 }";
    let text = configurations("", spec).unwrap();
    assert!(
        text.contains("pub struct SApply without PartialEq {"),
        "{text}"
    );
}
