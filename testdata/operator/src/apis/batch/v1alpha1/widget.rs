//! The kind `Widget`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:path=widgets
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Reason,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:conversion:webhook:serviceNamespace=sample-operator-system
/// A Widget.
#[derive(Debug, Default, PartialEq)]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: WidgetSpec,
    /// The observed state.
    pub status: Option<WidgetStatus>,
}

/// The desired state of a Widget.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WidgetSpec {
    /// An example field. Replace it with your own.
    // +kubebuilder:validation:Minimum=0
    pub size: i32,
}

/// The observed state of a Widget.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetStatus {
    /// The `metadata.generation` this status reflects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Conditions. `Ready` is true when the spec is met.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
