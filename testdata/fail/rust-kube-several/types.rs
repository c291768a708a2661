use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", versions = "v1alpha1", annotation("a"), printcolumn(name = "Age", typ = "date"))]
pub struct DocumentSpec {
    pub title: String,
}
