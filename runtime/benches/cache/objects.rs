//! A custom resource of about 2.2 KB of JSON, including managedFields. The programs of
//! `hack/bench/informer` use them as well.

// A program uses some of them.
#![allow(dead_code, unreachable_pub)]

use std::borrow::Cow;
use std::collections::BTreeMap;

use codegen_runtime::kube::Resource;
use codegen_runtime::kube::core::{NamespaceResourceScope, ObjectMeta};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The typed form.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Widget {
    metadata: ObjectMeta,
    spec: Spec,
    status: Option<Status>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Spec {
    image: String,
    replicas: i64,
    args: Vec<String>,
    env: Vec<Variable>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Variable {
    name: String,
    value: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    phase: String,
    observed_generation: i64,
    conditions: Vec<BTreeMap<String, String>>,
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

/// Creates object number `n` at a version: its label `app` has a thousand values, `zone` three.
pub fn json(n: usize, version: usize) -> Value {
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
            "args": ["--verbose=2", "--listen=0.0.0.0:8080", "--mode=production"],
            "env": (0..6).map(|k| json!({"name": format!("VARIABLE_{k}"), "value": format!("value-{k}-of-{n}")}))
                .collect::<Vec<_>>(),
        },
        "status": {"phase": "Running", "observedGeneration": 3, "conditions": [condition("Ready"), condition("Progressing")]},
    })
}

/// Creates object number `n` as an informer holds it, without managedFields.
pub fn typed(n: usize, version: usize) -> Widget {
    let mut widget: Widget = serde_json::from_value(json(n, version)).unwrap();
    widget.metadata.managed_fields = None;
    widget
}

impl Widget {
    /// Removes everything but the metadata.
    pub fn light(mut self) -> Self {
        self.spec.args.clear();
        self.spec.env.clear();
        self.status = None;
        self
    }
}
