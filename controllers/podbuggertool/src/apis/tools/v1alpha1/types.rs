//! The types of `tools.jicki.cn/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, ObjectMeta,
};
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:scope=Cluster,shortName=pbt
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Image,type=string,JSONPath=`.spec.image`
// +kubebuilder:printcolumn:name=Matched,type=integer,JSONPath=`.status.podsMatched`
// +kubebuilder:printcolumn:name=With,type=integer,JSONPath=`.status.podsWithTool`
// +kubebuilder:printcolumn:name=Reason,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
/// A tool that is added to running pods as an ephemeral container.
#[derive(Debug, Default, PartialEq)]
pub struct PodBuggerTool {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The tool, and the pods that get it.
    pub spec: PodBuggerToolSpec,
    /// The observed state of the tool.
    pub status: Option<PodBuggerToolStatus>,
}

/// A tool, and the pods that get it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodBuggerToolSpec {
    /// The labels of the pods. An empty selector selects every pod.
    pub selector: LabelSelector,
    /// The namespaces of the pods; all if empty.
    // +listType=set
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// The image. A new image is added as another container, since ephemeral containers never change.
    // +kubebuilder:validation:MinLength=1
    pub image: String,
    /// The command, instead of the image's entrypoint.
    // +listType=atomic
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The container of the pod whose processes the tool sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_container: Option<String>,
}

/// The observed state of a tool.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodBuggerToolStatus {
    /// The number of running pods that the selector matches.
    pub pods_matched: i32,
    /// The number of these pods that have the current version of the tool.
    pub pods_with_tool: i32,
    /// The number of these pods that keep a container of an earlier version of the tool.
    pub pods_with_earlier_versions: i32,
    /// Why a pod does not have the tool; of the first such pod by name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_error: String,
    /// The `metadata.generation` that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: every selected running pod has the tool.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
