//! The kind `PodSet`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:path=podsets
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name=Current,type=integer,JSONPath=`.status.size`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
/// A set of pods with a common label.
#[derive(Debug, Default, PartialEq)]
pub struct PodSet {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: PodSetSpec,
    /// The observed state.
    pub status: Option<PodSetStatus>,
}

/// The desired state of a PodSet.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSetSpec {
    /// The number of pods.
    // +kubebuilder:validation:Minimum=0
    // +kubebuilder:validation:Maximum=100
    pub size: i32,
}

/// The observed state of a PodSet.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSetStatus {
    /// The `metadata.generation` this status reflects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The number of pods that exist.
    pub size: i32,
    /// The selector of the pods.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
    /// Conditions. `Ready` is true when all pods exist.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
