//! The kind `Memcached`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:path=memcacheds
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas
// +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
/// A set of memcached servers.
#[derive(Debug, Default, PartialEq)]
pub struct Memcached {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: MemcachedSpec,
    /// The observed state.
    pub status: Option<MemcachedStatus>,
}

/// The desired state of a Memcached.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemcachedSpec {
    /// The number of servers.
    // +kubebuilder:validation:Minimum=0
    // +kubebuilder:validation:Maximum=10
    pub size: i32,
    /// The memory of each server for items, in megabytes.
    // +kubebuilder:validation:Minimum=1
    // +kubebuilder:default=64
    #[serde(default = "megabytes")]
    pub memory: i32,
    /// The number of connections that each server accepts.
    // +kubebuilder:validation:Minimum=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<i32>,
}

fn megabytes() -> i32 {
    64
}

/// The observed state of a Memcached.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MemcachedStatus {
    /// The `metadata.generation` this status reflects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The number of servers that the Deployment has.
    pub replicas: i32,
    /// Conditions. `Ready` is true when the spec is met.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
