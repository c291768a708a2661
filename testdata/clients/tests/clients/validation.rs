//! Objects validated without a server: types from CRDs, and from annotated Rust.

use codegen_runtime::validation::{FieldErrorKind, Validate};
use golden_features::apis::features::v1::Everything;
use golden_virtualmachine::apis::cloudnative::v1alpha1::VirtualMachine;
use serde_json::{Value, json};

fn everything(spec: Value) -> Everything {
    let mut object = json!({
        "apiVersion": "features.example.com/v1", "kind": "Everything", "metadata": {"name": "a"},
        "spec": {"mode": "Fast", "port": 80, "forced": null},
    });
    let fields = spec.as_object().unwrap().clone();
    object["spec"].as_object_mut().unwrap().extend(fields);
    serde_json::from_value(object).unwrap()
}

/// Checks the errors of a spec with these fields in addition to the required ones.
fn check(spec: Value, expected: &[&str]) {
    let found = everything(spec.clone()).validate();
    let shown: Vec<String> = found.as_ref().err().map_or_else(Vec::new, |found| {
        found.errors().iter().map(ToString::to_string).collect()
    });
    assert_eq!(shown, expected, "{spec}");
}

#[test]
fn values_out_of_bounds_are_refused_in_the_words_of_the_api_server() {
    check(json!({}), &[]);
    check(json!({"replicas": 100, "limit": 105}), &[]);
    check(
        json!({"replicas": 11}),
        &["spec.replicas: Invalid value: too many: 11"],
    );
    check(
        json!({"replicas": -1}),
        &[
            ".spec.replicas: Invalid value: -1: should be a non-negative integer",
            "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
        ],
    );
    check(
        json!({"limit": 3}),
        &["spec.limit: Invalid value: 3: spec.limit in body should be a multiple of 5"],
    );
}

#[test]
fn the_error_of_an_object_is_typed() {
    let object = everything(json!({"replicas": 101, "limit": 105}));
    let errors = object.validate().unwrap_err();
    assert!(errors.is_refused());
    let error = &errors.errors()[0];
    assert_eq!(error.kind, FieldErrorKind::Invalid);
    assert_eq!(error.field, "spec.replicas");
    assert_eq!(error.value, Some(json!(101)));
    assert_eq!(
        error.to_string(),
        "spec.replicas: Invalid value: 101: spec.replicas in body should be less than or equal to 100"
    );
}

#[test]
fn an_update_forgives_what_it_leaves_unchanged() {
    let old = everything(json!({"replicas": 101, "limit": 105}));
    let errors = |new: &Everything| {
        let found = new.validate_update(&old);
        found.map_or_else(|found| found.errors().len(), |()| 0)
    };
    assert_eq!(errors(&old), 0);
    assert_eq!(
        errors(&everything(json!({"replicas": 102, "limit": 105}))),
        1
    );
}

#[test]
fn kinds_of_annotated_rust_are_validated_by_their_crd() {
    let object = |name: &str| -> VirtualMachine {
        let object = json!({
            "apiVersion": "cloudnative.czs/v1alpha1", "kind": "VirtualMachine", "metadata": {"name": name},
            "spec": {"action": "active", "resource": {"cpu": 2, "memory": "4G", "rootDisk": "40G"}},
        });
        serde_json::from_value(object).unwrap()
    };
    assert_eq!(object("a").validate(), Ok(()));
    let errors = object("A").validate().unwrap_err();
    assert!(
        errors
            .to_string()
            .starts_with("metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"),
        "{errors}"
    );
}
