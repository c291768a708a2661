//! The types of `apps.jicki.cn/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

/// A set of pods.
// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size
#[derive(Debug, Default, PartialEq)]
pub struct PodSet {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the set.
    pub spec: PodSetSpec,
    /// The observed state of the set.
    pub status: Option<PodSetStatus>,
}

/// The desired state of a set of pods.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodSetSpec {
    /// How many pods there should be.
    // +kubebuilder:validation:Minimum=0
    // +kubebuilder:validation:Maximum=100
    pub size: i32,
}

/// The observed state of a set of pods.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodSetStatus {
    /// How many pods there are.
    pub size: i32,
    /// The names of the pods.
    // +listType=set
    pub nodes: Vec<String>,
}
