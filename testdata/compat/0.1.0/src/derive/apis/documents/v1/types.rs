use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state of a document.
#[derive(kube::CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "documents.example.com",
    version = "v1",
    kind = "Document",
    namespaced
)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSpec {
    /// What it says.
    pub plain_text: String,
}
