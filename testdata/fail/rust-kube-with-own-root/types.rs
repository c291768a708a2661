use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// +kubebuilder:resource:scope=Cluster
/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Document")]
pub struct DocumentSpec {
    pub title: String,
}

pub struct Document;
