use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Document")]
#[kube(shortname = "doc", shortname = "d", version = "v1")]
pub struct DocumentSpec {
    pub title: String,
}
