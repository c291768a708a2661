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
/// A tool that running pods get as an ephemeral container.
#[derive(Debug, Default, PartialEq)]
pub struct PodBuggerTool {
    /// Name, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The tool, and the pods that get it.
    pub spec: PodBuggerToolSpec,
    /// How far the tool has come.
    pub status: Option<PodBuggerToolStatus>,
}

/// A tool, and the pods that get it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodBuggerToolSpec {
    /// The labels of the pods. An empty selector selects every pod.
    pub selector: LabelSelector,
    /// The namespaces of the pods; all if there are none.
    // +listType=set
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// The image. Another one is added beside it, since ephemeral containers never change.
    // +kubebuilder:validation:MinLength=1
    pub image: String,
    /// The command, in place of the image's.
    // +listType=atomic
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The container of the pod whose processes the tool sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_container: Option<String>,
}

/// How far a tool has come.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodBuggerToolStatus {
    /// Running pods that the selector selects.
    pub pods_matched: i32,
    /// How many of them have the tool as it is now.
    pub pods_with_tool: i32,
    /// How many of them keep a container of the tool as it was before.
    pub pods_with_earlier_versions: i32,
    /// Why a pod does not have the tool, of the first such pod by name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_error: String,
    /// The `metadata.generation` that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: every running pod that is selected has the tool.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
