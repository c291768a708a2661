//! The types of `apps.jicki.cn/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size,selectorpath=.status.selector
// +kubebuilder:printcolumn:name=Desired,type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name=Current,type=integer,JSONPath=`.status.size`
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name=Reason,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
/// A set of sleeping pods.
#[derive(Debug, Default, PartialEq)]
pub struct PodSet {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state of the set.
    pub spec: PodSetSpec,
    /// The observed state of the set.
    pub status: Option<PodSetStatus>,
}

/// The desired state of a pod set.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSetSpec {
    /// The desired number of pods.
    // +kubebuilder:validation:Minimum=0
    pub size: i32,
}

/// The observed state of a pod set.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSetStatus {
    /// The names of its active pods, sorted.
    // +listType=set
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    /// The number of these pods.
    pub size: i32,
    /// The number of these pods that are ready.
    pub ready_replicas: i32,
    /// The label selector of the pods as a string, for autoscalers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
    /// The `metadata.generation` that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: the set has the desired number of pods, and all are ready.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
