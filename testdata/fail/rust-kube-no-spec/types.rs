use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Document", no_spec)]
pub struct DocumentFields {
    pub title: String,
    pub kind: String,
}

/// A page.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Page", no_spec)]
pub struct PageFields(String);
