//! Shared by the programs of the informer benchmark: the resource, its objects, and a reader of the
//! process's memory use.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kube::Resource;
use kube::core::{NamespaceResourceScope, ObjectMeta};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The path of the resource.
pub const PATH: &str = "/apis/bench.example.com/v1/widgets";

/// A custom resource whose objects are 2.2 KB of JSON.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: Spec,
    /// The observed state.
    pub status: Option<Status>,
}

/// The desired state.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Spec {
    /// An image.
    pub image: String,
    /// A count.
    pub replicas: i64,
    /// Arguments.
    pub args: Vec<String>,
    /// An environment.
    pub env: Vec<Variable>,
}

/// A variable.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// The observed state.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// A phase.
    pub phase: String,
    /// A generation.
    pub observed_generation: i64,
    /// Conditions.
    pub conditions: Vec<BTreeMap<String, String>>,
}

impl Resource for Widget {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Widget".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "bench.example.com".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "widgets".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Returns the current and the peak resident memory of the process, in kilobytes.
pub fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let read = |field: &str| {
        let line = status.lines().find(|line| line.starts_with(field));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
            .unwrap_or_default()
    };
    (read("VmRSS:"), read("VmHWM:"))
}

/// Returns object number `n`: 2.2 KB of JSON, more than half of it managedFields.
pub fn object(n: usize, version: usize) -> Value {
    let fields = |names: &[&str]| -> Value {
        names
            .iter()
            .map(|name| ((*name).to_owned(), json!({})))
            .collect()
    };
    let managed = |manager: &str| {
        json!({
            "manager": manager, "operation": "Update", "apiVersion": "bench.example.com/v1",
            "time": "2024-05-01T10:00:00Z", "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": fields(&["f:app", "f:zone", "f:team"]), "f:annotations": fields(&["f:note"])},
                "f:spec": fields(&["f:image", "f:replicas", "f:args", "f:env"]),
            },
        })
    };
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "AsExpected", "lastTransitionTime": "2024-05-01T10:00:00Z",
            "message": "Everything is as it should be."})
    };
    let env: Vec<_> = (0..6)
        .map(|k| json!({"name": format!("VARIABLE_{k}"), "value": format!("value-{k}-of-{n}")}))
        .collect();
    json!({
        "apiVersion": "bench.example.com/v1", "kind": "Widget",
        "metadata": {
            "name": format!("widget-{n:06}"), "namespace": format!("ns-{}", n % 20),
            "uid": format!("00000000-0000-4000-8000-{n:012}"), "resourceVersion": version.to_string(),
            "creationTimestamp": "2024-05-01T10:00:00Z", "generation": 3,
            "labels": {"app": format!("app-{}", n % 1000), "zone": format!("zone-{}", n % 3), "team": "platform"},
            "annotations": {"note": "made for measuring"},
            "managedFields": [managed("kubectl-client-side-apply"), managed("widget-controller")],
        },
        "spec": {
            "image": format!("registry.example.com/team/widget:{n}"), "replicas": 3,
            "args": ["--verbose=2", "--listen=0.0.0.0:8080", "--mode=production"], "env": env,
        },
        "status": {"phase": "Running", "observedGeneration": 3, "conditions": [condition("Ready"), condition("Progressing")]},
    })
}
