use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "../cloud", version = "v1alpha1", kind = "Docu\"ment", plural = "a/b")]
pub struct DocumentSpec {
    pub title: String,
}
