// +groupName=parity.example.com
// +versionName=kinds

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlainSpec {
    /// A text with a value of its own. Readers see this sentence. And this one, which is cut where descriptions are short
    // +kubebuilder:default=quiet
    // +kubebuilder:example=loud
    pub mode: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlainStatus {}

/// A plain kind, marked by nothing.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Plain {
    pub metadata: ObjectMeta,
    /// What it should be.
    // +optional
    pub spec: PlainSpec,
    /// What it is.
    pub status: Option<PlainStatus>,
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=rigs,singular=one-rig,shortName=rg;r,categories=all;tools,scope=Cluster
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`,description="how many",format=int32,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:selectablefield:JSONPath=`.spec.zone`
// +kubebuilder:metadata:annotations="a.example.com/b=c=d";"e=f",labels="tier=one"
// +kubebuilder:metadata:labels="z=9"
// +kubebuilder:deprecatedversion:warning="use Plain"
/// Rig has everything that markers on a kind write.
#[derive(Debug)]
pub struct Rig {
    pub metadata: ObjectMeta,
    pub spec: RigSpec,
    pub status: Option<RigStatus>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RigSpec {
    pub replicas: i32,
    /// Zone is where it stands.
    /// TODO: not for readers
    ///
    ///
    /// One empty line above.
    /// ```
    /// TODO: kept in a fence
    /// ```
    /// ---
    /// Not for readers either.
    pub zone: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RigStatus {
    #[serde(default)]
    pub replicas: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.zone`
// +kubebuilder:deprecatedversion
/// Columns has columns and no subresource.
#[derive(Debug)]
pub struct Columns {
    pub metadata: ObjectMeta,
    pub zone: Option<String>,
}
