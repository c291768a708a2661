//! Defaults, and values that plain serde would change.

use codegen_runtime::k8s_openapi::api::core::v1::{LocalObjectReference, SecretKeySelector};
use golden_features::apis::features::v1::{
    Everything, EverythingDirection, EverythingFilters, EverythingFiltersUnion,
    EverythingIpVersions, EverythingLevel, EverythingOffset, EverythingProvider,
    EverythingProviderUnion, EverythingRequestMirror, EverythingSource, EverythingSourceUnion,
    EverythingSpec, EverythingTarget, EverythingTargetSelectorUnion, EverythingTargetUnion, Flat,
    Holder,
};
use serde_json::{Value, json};

/// `new` names the object and takes its spec.
#[test]
fn kinds_have_a_constructor() {
    let spec = EverythingSpec {
        count: Some(3),
        ..EverythingSpec::default()
    };
    let object = Everything::new("web", spec.clone());
    assert_eq!(object.metadata.name.as_deref(), Some("web"));
    let expected = Everything {
        metadata: object.metadata.clone(),
        spec,
        ..Everything::default()
    };
    assert_eq!(object, expected);
}

/// A missing property decodes as its default, at the root and nested; a nullable one stays null.
#[test]
fn defaults_are_filled_in() {
    let least = json!({
        "apiVersion": "features.example.com/v1", "kind": "Flat", "metadata": {},
        "at": "2024-05-06T07:08:09Z", "ratio": 1.5, "forced": null,
    });
    let flat: Flat = serde_json::from_value(least).unwrap();
    let flat = serde_json::to_value(&flat).unwrap();
    assert_eq!(flat["since"], "2020-01-01T00:00:00Z");
    assert_eq!(flat["quota"], 4_294_967_296_i64);
    assert_eq!(flat["label"], "none");
    let preset = r#"{
        "since": "2020-01-01T00:00:00Z", "quota": 4294967296, "label": "none", "pi": 3.14,
        "steps": [1, 2.5], "started": "2020-01-01T00:00:00Z"
    }"#;
    let preset: Value = serde_json::from_str(preset).unwrap();
    assert_eq!(flat["preset"], preset);
    assert_eq!(
        serde_json::to_value(Flat::default()).unwrap()["preset"],
        flat["preset"]
    );
}

/// Values that an API server stores and that plain serde would round, reject or change.
#[test]
fn hard_values_come_through() {
    let text = r#"{"apiVersion":"features.example.com/v1","kind":"Flat","metadata":{},
        "at":"9999-12-31T23:59:59Z","until":"9999-12-30T22:00:00.999999999Z","forced":9007199254740993,
        "label":null,"maybe":123456789.12345679,"mode":"Slow","port":"-4294967296",
        "preset":{"label":null,"pi":-9223372036854775808,"quota":"+4294967296","since":null,"started":"2024-05-06T07:08:09.123456789Z","steps":[18446744073709551615]},
        "quota":-4294967296,"ratio":-0.0,"since":null,"sizes":["+4294967296",4294967296,"80"],
        "times":{"a":"0001-01-01T00:00:00Z"},"weight":1e+300}"#;
    let object: Value = serde_json::from_str(text).unwrap();
    let flat: Flat = serde_json::from_str(text).unwrap();
    let again = serde_json::to_string(&flat).unwrap();
    assert!(again.contains("\"ratio\":-0.0"), "{again}");
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), object);
}

/// A missing name stays missing, and an empty one stays empty.
#[test]
fn references_need_no_name() {
    for object in [
        json!({"secretKeyRef": {"key": ""}, "tokenSecretKeyRef": {"key": "token"}}),
        json!({
            "configMapKeyRef": null, "imagePullSecrets": [{}, {"name": ""}, {"name": "a"}],
            "secretKeyRef": {"key": "a", "name": ""}, "tokenSecretKeyRef": {"key": "b", "name": "c"},
        }),
        json!({"configMapKeyRef": {"key": "a"}, "secretKeyRef": {"key": "a"}, "tokenSecretKeyRef": {"key": "", "name": "\"\""}}),
    ] {
        let mut whole =
            json!({"apiVersion": "features.example.com/v1", "kind": "Holder", "metadata": {}});
        let properties = object.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(properties);
        let holder: Holder = serde_json::from_value(whole.clone()).unwrap();
        assert_eq!(serde_json::to_value(holder).unwrap(), whole);
    }
    let selector = SecretKeySelector {
        key: "a".to_owned(),
        ..SecretKeySelector::default()
    };
    let holder = Holder {
        image_pull_secrets: Some(vec![LocalObjectReference::default()]),
        secret_key_ref: selector,
        ..Holder::default()
    };
    let written = serde_json::to_value(&holder).unwrap();
    assert_eq!(written["secretKeyRef"], json!({"key": "a"}));
    assert_eq!(written["imagePullSecrets"], json!([{}]));
    assert_eq!(written["tokenSecretKeyRef"], json!({"key": "token"}));
}

/// The view of a union is the only field that is set, and converts back to the struct.
#[test]
fn a_union_has_a_view() {
    let source = EverythingSource {
        url: Some("https://example.com".to_owned()),
        ..EverythingSource::default()
    };
    let view = source.as_union();
    assert_eq!(
        view,
        Some(EverythingSourceUnion::Url(
            &"https://example.com".to_owned()
        ))
    );
    assert_eq!(view.map(EverythingSource::from), Some(source.clone()));
    assert_eq!(EverythingSource::default().as_union(), None);
    let both = EverythingSource {
        inline: Some(String::new()),
        ..source
    };
    assert_eq!(both.as_union(), None);
}

/// An object that the server would reject is decoded and encoded unchanged, including null.
#[test]
fn a_struct_holds_more_than_its_union_permits() {
    let object = json!({"aws": {"region": "eu"}, "vault": null});
    let provider: EverythingProvider = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(provider.as_union(), None);
    assert_eq!(serde_json::to_value(&provider).unwrap(), object);
    let null: EverythingProvider = serde_json::from_value(json!({"vault": null})).unwrap();
    assert_eq!(null.as_union(), Some(EverythingProviderUnion::Vault(&None)));
}

/// A member sets the value of the discriminator.
#[test]
fn a_view_sets_the_discriminator() {
    let mirror = EverythingRequestMirror { percent: Some(5) };
    let filter = EverythingFilters::from(EverythingFiltersUnion::RequestMirror(&mirror));
    assert_eq!(
        serde_json::to_value(&filter).unwrap(),
        json!({"type": "RequestMirror", "requestMirror": {"percent": 5}})
    );
}

/// Values of an integer enum have names, including those that the schema does not list.
#[test]
fn integers_of_an_enum_have_names() {
    let object = json!({
        "apiVersion": "features.example.com/v1", "kind": "Everything", "metadata": {},
        "spec": {"port": 80, "forced": null, "mode": "Fast", "offset": -1, "level": 9, "ipVersions": [6, 4, 5], "protocol": null,
                 "direction": "In"},
    });
    let everything: Everything = serde_json::from_value(object.clone()).unwrap();
    let spec = &everything.spec;
    assert_eq!(spec.offset, EverythingOffset::Minus1);
    assert_eq!(spec.level, Some(EverythingLevel::Unrecognized(9)));
    assert_eq!(
        spec.ip_versions.as_deref().unwrap(),
        [
            EverythingIpVersions::V6,
            EverythingIpVersions::V4,
            EverythingIpVersions::Unrecognized(5)
        ]
    );
    assert_eq!(spec.direction, Some(EverythingDirection::In));
    assert_eq!(i64::from(EverythingIpVersions::from(6)), 6);
    assert_eq!(serde_json::to_value(&everything).unwrap(), object);
    assert_eq!(EverythingSpec::default().offset, EverythingOffset::V0);
}

/// Each union of a struct has a view of its own.
#[test]
fn two_unions_are_independent() {
    let target = EverythingTarget {
        min_available: Some(1),
        target_ref: Some("a".to_owned()),
        ..EverythingTarget::default()
    };
    assert_eq!(
        target.as_union(),
        Some(EverythingTargetUnion::MinAvailable(&1))
    );
    assert_eq!(
        target.as_selector_union(),
        Some(EverythingTargetSelectorUnion::TargetRef(&"a".to_owned()))
    );
}
