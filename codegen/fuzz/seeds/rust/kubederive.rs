//! The types of `documents.example.com/v1`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document, as users of kube write it.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "documents.example.com",
    version = "v1",
    kind = "Document",
    namespaced,
    status = "DocumentStatus",
    derive = "PartialEq",
    derive = "Default",
    shortname = "doc",
    category = "all",
    selectable = ".spec.title",
    scale(
        spec_replicas_path = ".spec.copies",
        status_replicas_path = ".status.copies"
    ),
    printcolumn(name = "Title", type_ = "string", json_path = ".spec.title")
)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSpec {
    /// The title.
    pub title: String,
    /// How many copies there should be.
    #[serde(default)]
    pub copies: i32,
    /// The text, if it is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The observed state of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentStatus {
    /// How many copies there are.
    pub copies: i32,
    /// What is known, by type.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

// +genclient:skipVerbs=deleteCollection
/// A shelf, which the cluster holds.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "documents.example.com",
    version = "v1",
    kind = "Shelf",
    plural = "shelves"
)]
pub struct ShelfSpec {
    /// How many documents it holds.
    pub size: u32,
}
