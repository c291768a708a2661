//! The types of `samplecrd.k8s.io/v1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, a sample"
// +kubebuilder:printcolumn:name=CIDR,type=string,JSONPath=`.spec.cidr`
// +kubebuilder:printcolumn:name=Gateway,type=string,JSONPath=`.spec.gateway`
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
/// A network.
#[derive(Debug, Default, PartialEq)]
pub struct Network {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state of the network.
    pub spec: NetworkSpec,
    /// The observed state of the network.
    pub status: Option<NetworkStatus>,
}

/// The desired state of a network.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkSpec {
    /// The address range, such as `192.168.0.0/16` or `fd00::/64`. Immutable.
    // +kubebuilder:validation:MaxLength=64
    pub cidr: String,
    /// The address of the gateway, such as `192.168.0.1`: a host address of the range.
    // +kubebuilder:validation:MaxLength=64
    pub gateway: String,
}

/// The observed state of a network.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkStatus {
    /// The phase of the network's lifecycle.
    pub phase: NetworkPhase,
    /// The network's id at its backend.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The address range of the network at its backend, which differs from the spec if that was changed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cidr: String,
    /// The `metadata.generation` that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: the network matches its spec.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// The phase of a network's lifecycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkPhase {
    /// Nothing has been done yet.
    #[default]
    #[serde(rename = "")]
    None,
    /// The backend could not create the network yet; it is retried.
    Pending,
    /// The network exists.
    Active,
    /// The spec cannot be applied; the condition says why.
    Failed,
    /// The network is being deleted.
    Terminating,
    /// A phase that this version does not know.
    #[serde(other)]
    Unknown,
}
