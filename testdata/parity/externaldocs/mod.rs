// +groupName=parity.example.com
// +versionName=v1

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

/// Documented has documentation elsewhere.
// +kubebuilder:object:root=true
#[derive(Debug)]
pub struct Documented {
    pub metadata: ObjectMeta,
    // +optional
    pub spec: DocumentedSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentedSpec {
    /// With a description.
    // +kubebuilder:externalDocs:url="https://example.com/docs",description="the handbook"
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    /// Without.
    // +kubebuilder:externalDocs:url="https://example.com/docs"
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
    /// By its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed: Option<Typed>,
    // +kubebuilder:title="A title"
    // +kubebuilder:example=b-side
    #[serde(skip_serializing_if = "Option::is_none")]
    pub titled: Option<Typed>,
}

/// Typed has documentation of its own.
// +kubebuilder:externalDocs:url="https://example.com/typed",description="the chapter"
// +kubebuilder:title="Typed"
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Typed(pub String);
