//! Shared by the server and the clients of the informer benchmark: the resource, and a reader of
//! the process's memory use.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kube::Resource;
use kube::core::{NamespaceResourceScope, ObjectMeta};
use serde::{Deserialize, Serialize};

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
