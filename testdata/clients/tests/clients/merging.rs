//! Apply configurations: their JSON, and what is extracted from an applied object. See also `applying`.

use codegen_runtime::apply::{ApplyConfiguration, ExtractError, Value};
use golden_features::generated::applyconfiguration::features::v1::EverythingApply;
use golden_kubederive::generated::applyconfiguration::documents::v1::{
    DocumentApply, DocumentSpecApply, ShelfApply, ShelfSpecApply,
};
use golden_merging::apis::merging::v1::Sample;
use golden_merging::generated::applyconfiguration::merging::v1::SampleApply;
use golden_virtualmachine::generated::applyconfiguration::cloudnative::v1alpha1::{
    VirtualMachineApply, VirtualMachineSpecApply,
};
use kube::ResourceExt;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

fn check(configuration: impl Serialize, expected: Value) {
    assert_eq!(serde_json::to_value(configuration).unwrap(), expected);
}

#[test]
fn a_new_configuration_is_its_names() {
    let names = |api_version: &str, kind: &str, metadata: Value| json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
    let metadata = json!({"name": "a", "namespace": "ns"});
    check(
        VirtualMachineApply::new("a", "ns"),
        names(
            "cloudnative.czs/v1alpha1",
            "VirtualMachine",
            metadata.clone(),
        ),
    );
    check(
        DocumentApply::new("a", "ns"),
        names("documents.example.com/v1", "Document", metadata),
    );
    check(
        ShelfApply::new("a"),
        names("documents.example.com/v1", "Shelf", json!({"name": "a"})),
    );
    assert_eq!(VirtualMachineApply::new("a", "ns").name_any(), "a");
}

#[test]
fn what_is_set_is_written_and_no_more() {
    let spec = VirtualMachineSpecApply::default().action("active");
    let mut wanted = VirtualMachineApply::new("a", "ns")
        .labels([("tier", "web")])
        .finalizers(["x/y"])
        .spec(spec);
    let metadata =
        json!({"name": "a", "namespace": "ns", "labels": {"tier": "web"}, "finalizers": ["x/y"]});
    let mut expected = json!({
        "apiVersion": "cloudnative.czs/v1alpha1", "kind": "VirtualMachine", "metadata": metadata, "spec": {"action": "active"},
    });
    check(&wanted, expected.clone());
    // Fields are public and can be changed, and an intentionally empty configuration is serialized.
    wanted.spec = Some(VirtualMachineSpecApply::default());
    expected["spec"] = json!({});
    check(&wanted, expected);
    let spec = DocumentSpecApply::default().copies(2);
    check(spec, json!({"copies": 2}));
    check(ShelfSpecApply::default().size(2), json!({"size": 2}));
}

/// Deserializes and serializes a configuration.
fn round_trip<T: DeserializeOwned + Serialize>(value: Value) {
    let read: T = serde_json::from_str(&value.to_string()).unwrap();
    check(read, value);
}

#[test]
fn values_have_the_wire_formats_of_their_types() {
    let spec = json!({
        "9lives": 9, "$ref-like": "x", "self": "me", "type": "t",
        "after": "2026-01-02T03:04:05.123456789Z", "anything": null, "choice": 4_294_967_296_i64, "payload": "aGk=",
        "memory": 2, "maybe": null, "forced": null, "weight": 1.5, "mode": "Fast", "half": {"known": "a", "other": [1]},
        "members": [{"host": "a"}], "provider": {"vault": null}, "port": "http", "replicas": 3,
    });
    round_trip::<EverythingApply>(json!({
        "apiVersion": "features.example.com/v1", "kind": "Everything", "metadata": {"name": "a"},
        "spec": spec, "status": null,
    }));
}

#[test]
fn a_configuration_of_another_kind_does_not_decode() {
    let other = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    let error = serde_json::from_value::<SampleApply>(other).unwrap_err();
    assert!(
        error.to_string().contains("merging.example.com/v1"),
        "{error}"
    );
}

/// For each kind of path, an object whose `managedFields` contain one leaf.
#[test]
fn a_manager_has_the_leaves_of_its_set() {
    let entry = |manager: &str, operation: &str, subresource: Value, fields: Value| {
        json!({
            "manager": manager, "operation": operation, "subresource": subresource, "fieldsType": "FieldsV1", "fieldsV1": fields,
            "apiVersion": "merging.example.com/v1",
        })
    };
    let spec = json!({
        "list": ["a", "b"], "map": {"a": "b"}, "atomicList": ["a"], "disks": [{"name": "x", "size": 1}, {"name": "y", "size": 2}],
        "ports": [{"port": 80, "protocol": "TCP"}],
    });
    let mine = json!({
        "f:metadata": {"f:labels": {"f:tier": {}}},
        "f:spec": {
            "f:list": {"v:\"b\"": {}}, "f:map": {}, "f:atomicList": {}, "f:gone": {},
            "f:disks": {"k:{\"name\":\"y\"}": {".": {}, "f:size": {}}},
            "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
        },
    });
    let mut object: Sample = serde_json::from_value(json!({
        "apiVersion": "merging.example.com/v1", "kind": "Sample", "spec": spec, "status": {"result": "good"},
        "metadata": {"name": "a", "namespace": "ns", "labels": {"tier": "web", "other": "x"}, "managedFields": [
            entry("me", "Update", Value::Null, json!({"f:spec": {"f:limit": {}}})),
            entry("me", "Apply", json!("status"), json!({"f:status": {"f:result": {}}})),
            entry("me", "Apply", Value::Null, mine),
            entry("you", "Apply", Value::Null, json!({"f:spec": {"f:map": {"f:a": {}}}})),
        ]},
    }))
    .unwrap();
    let names = json!({"name": "a", "namespace": "ns"});
    let kind = |metadata: Value| json!({"apiVersion": "merging.example.com/v1", "kind": "Sample", "metadata": metadata});
    let mut expected = kind(json!({"name": "a", "namespace": "ns", "labels": {"tier": "web"}}));
    expected["spec"] = json!({
        "list": ["b"], "map": {}, "atomicList": ["a"], "disks": [{"name": "y", "size": 2}], "ports": [{"port": 80}],
    });
    check(
        SampleApply::extract(&object, "me").unwrap().unwrap(),
        expected,
    );
    let mut expected = kind(names);
    expected["status"] = json!({"result": "good"});
    let status = SampleApply::extract_subresource(&object, "me", "status");
    check(status.unwrap().unwrap(), expected);
    assert_eq!(SampleApply::extract(&object, "other").unwrap(), None);
    object.metadata.managed_fields = None;
    let error = SampleApply::extract(&object, "me").unwrap_err();
    assert!(matches!(error, ExtractError::NoManagedFields), "{error}");
    assert!(error.to_string().contains("informers drop them"));
}
