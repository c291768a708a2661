//! Strings that are omitted when empty, and are written as they were read.

use k8s_openapi::api::core::v1::{EnvFromSource, LocalObjectReference, PodSpec, SecretKeySelector};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::codec::{
    self,
    sparse::{self, Sparse, SparseRef},
};

/// Decodes `json` and asserts that it encodes as the same JSON, both from a string and from a `Value`.
#[track_caller]
fn keeps<T: Serialize + DeserializeOwned>(json: &Value) -> T {
    let Sparse(value) = serde_json::from_str::<Sparse<T>>(&json.to_string()).unwrap();
    let text = serde_json::to_string(&SparseRef(&value)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *json);
    let Sparse(value) = serde_json::from_value::<Sparse<T>>(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(SparseRef(&value)).unwrap(), *json);
    value
}

fn written<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(SparseRef(value)).unwrap()
}

#[test]
fn an_absent_name_is_empty_and_an_empty_one_is_two_quotation_marks() {
    for (json, held) in [
        (json!({}), ""),
        (json!({"name": ""}), "\"\""),
        (json!({"name": "\""}), "\""),
        (json!({"name": "\"\""}), "\"\"\""),
        (json!({"name": "\"a\""}), "\"a\""),
        (json!({"name": "a"}), "a"),
    ] {
        let reference: LocalObjectReference = keeps(&json);
        assert_eq!(reference.name, held, "{json}");
    }
}

#[test]
fn a_name_that_a_program_leaves_empty_is_not_written() {
    let selector = SecretKeySelector {
        key: "token".to_owned(),
        ..SecretKeySelector::default()
    };
    assert_eq!(written(&selector), json!({"key": "token"}));
    assert_eq!(written(&LocalObjectReference::default()), json!({}));
    // A string that Go writes even if empty.
    assert_eq!(written(&SecretKeySelector::default()), json!({"key": ""}));
}

#[test]
fn lists_and_maps_and_options_are_read_through() {
    type References = Option<Vec<Option<LocalObjectReference>>>;
    keeps::<References>(&json!(null));
    keeps::<References>(&json!([{}, {"name": ""}, null, {"name": "a"}]));
    type Selectors = std::collections::BTreeMap<String, SecretKeySelector>;
    // The keys of a map are not properties.
    let selectors: Selectors = keeps(&json!({"name": {"key": "a"}, "": {"key": "", "name": ""}}));
    assert_eq!(selectors[""].name, "\"\"");
}

#[test]
fn texts_are_left_out_deep_within_pods_where_numbers_are_kept() {
    let spec: PodSpec = keeps(&json!({
        "containers": [{
            "name": "",
            "env": [
                {"name": "", "valueFrom": {"configMapKeyRef": {"key": ""}, "secretKeyRef": {"key": "", "name": ""}}},
                {"name": "A", "value": ""},
            ],
            "envFrom": [{"configMapRef": {}}, {"secretRef": {"name": "", "optional": true}}],
            "resources": {"limits": {"cpu": 2, "memory": ""}},
            "livenessProbe": {"httpGet": {"port": 4_294_967_296_i64, "path": ""}},
        }],
        "imagePullSecrets": [{}, {"name": ""}, {"name": "a"}],
        "serviceAccountName": "",
        "nodeSelector": {"name": "", "a": ""},
        "volumes": [
            {"name": "", "configMap": {"items": []}},
            {"name": "a", "projected": {"sources": [{"secret": {}}, {"configMap": {"name": "\"\""}}]}},
        ],
    }));
    let secrets = spec.image_pull_secrets.unwrap();
    let names: Vec<&str> = secrets.iter().map(|secret| secret.name.as_str()).collect();
    assert_eq!(names, ["", "\"\"", "a"]);
    assert_eq!(spec.containers[0].name, "");
}

#[test]
fn a_field_that_asks_for_it_is_sparse_and_another_is_not() {
    #[derive(Debug, Default, PartialEq)]
    struct Sources {
        required: LocalObjectReference,
        optional: Option<Vec<EnvFromSource>>,
        nullable: Option<Option<LocalObjectReference>>,
        defaulted: LocalObjectReference,
        full: Option<LocalObjectReference>,
    }

    impl Sources {
        fn default_defaulted() -> LocalObjectReference {
            sparse::from_json(r#"{"name": ""}"#)
        }
    }

    codec::object! {
        Sources; required_sparse required; optional_sparse optional; nullable_sparse nullable;
        defaulted_sparse defaulted or default_defaulted; optional full
    }

    let read = |json: Value| serde_json::from_value::<Sources>(json);
    for json in [
        json!({"required": {}, "defaulted": {}, "full": {"name": ""}}),
        json!({"required": {"name": ""}, "nullable": null, "defaulted": {"name": "a"}}),
        json!({"required": {}, "nullable": {}, "optional": [{"configMapRef": {}}], "defaulted": {"name": ""}}),
    ] {
        let written = serde_json::to_value(read(json.clone()).unwrap()).unwrap();
        assert_eq!(written, json);
    }
    let filled = read(json!({"required": {}, "full": {}})).unwrap();
    assert_eq!(filled.defaulted.name, "\"\"");
    assert_eq!(filled.full, Some(LocalObjectReference::default()));
    let error = read(json!({"defaulted": {}})).unwrap_err().to_string();
    assert_eq!(error, "missing field `required`");
}

#[test]
fn derived_serde_is_sparse_by_its_attribute() {
    #[derive(Debug, serde::Deserialize, serde::Serialize)]
    struct Derived {
        #[serde(default, with = "sparse", skip_serializing_if = "Option::is_none")]
        optional: Option<SecretKeySelector>,
        #[serde(
            default,
            with = "sparse::nullable",
            skip_serializing_if = "Option::is_none"
        )]
        nullable: Option<Option<LocalObjectReference>>,
    }
    for json in [
        json!({}),
        json!({"nullable": null}),
        json!({"optional": {"key": ""}, "nullable": {}}),
        json!({"optional": {"key": "", "name": ""}, "nullable": {"name": ""}}),
    ] {
        let derived: Derived = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(derived).unwrap(), json);
    }
}

/// A property that is absent, empty, quotation marks only, or another string.
fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        "\"{0,4}".prop_map(Some),
        "[a-z\"]{1,3}".prop_map(Some),
    ]
}

fn with_name(mut json: Value, name: Option<String>) -> Value {
    if let Some(name) = name {
        json["name"] = name.into();
    }
    json
}

proptest! {
    #[test]
    fn every_reference_is_kept(name in text(), optional: Option<bool>, key in "[a-z\"]{0,3}") {
        let mut selector = with_name(json!({"key": key}), name.clone());
        if let Some(optional) = optional {
            selector["optional"] = optional.into();
        }
        keeps::<SecretKeySelector>(&selector);
        keeps::<EnvFromSource>(&json!({"configMapRef": with_name(json!({}), name)}));
    }

    #[test]
    fn values_that_differ_are_held_apart(a in text(), b in text()) {
        let [a, b] = [a, b].map(|name| with_name(json!({}), name));
        let held = [&a, &b].map(keeps::<LocalObjectReference>);
        prop_assert_eq!(a == b, held[0] == held[1]);
    }
}
