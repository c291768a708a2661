// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

/// Enum chooses among words.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Enum {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: EnumSpec,
}

/// EnumSpec has enums by constants and by markers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnumSpec {
    /// The values of the constants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The values of the marker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Values of the field.
    // +kubebuilder:validation:Enum=small;large
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Values of the elements.
    // +kubebuilder:validation:items:Enum=a;b
    #[serde(default)]
    pub letters: Vec<String>,
}

/// Phase is how far it is.
// +k8s:enum
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Phase {
    Running,
    Stopped,
}

/// Policy is what happens at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Policy {
    Retain,
    Delete,
}
