//! ConfigMaps to serve, and lists of them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

/// Creates a ConfigMap in the namespace `default`, with a uid derived from its name.
pub fn cm(name: &str, version: u64) -> Value {
    cm_with(name, version, &format!("uid-{name}"), &[])
}

/// Like [`cm`], with uid and labels.
pub fn cm_with(name: &str, version: u64, uid: &str, labels: &[(&str, &str)]) -> Value {
    let labels: BTreeMap<_, _> = labels.iter().copied().collect();
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": name, "namespace": "default", "uid": uid, "resourceVersion": version.to_string(), "labels": labels,
        },
        "data": {"version": version.to_string()},
    })
}

/// Decodes an object.
pub fn typed(object: &Value) -> ConfigMap {
    serde_json::from_value(object.clone()).unwrap()
}

/// Creates a list at a version.
pub fn list(version: u64, items: &[Value]) -> Value {
    page(version, items, None)
}

/// Creates one page of a list.
pub fn page(version: u64, items: &[Value], next: Option<&str>) -> Value {
    let metadata =
        json!({"resourceVersion": version.to_string(), "continue": next.unwrap_or_default()});
    json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": metadata, "items": items})
}
