//! A crate whose kind stands in its root module, with the clients that `kube-codegen generate` writes for it.

pub mod generated;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A note.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "notes.example.com",
    version = "v1",
    kind = "Note",
    namespaced,
    status = "NoteStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct NoteSpec {
    /// What it says.
    #[schemars(length(min = 1))]
    pub text: String,
    /// How it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
}

/// The observed state of a note.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteStatus {
    /// Whether somebody has read it.
    pub read: bool,
}

/// How a note is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Style {
    /// The color of the paper.
    pub color: Color,
}

/// A color of paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Color {
    /// Yellow.
    #[default]
    Yellow,
    /// Pink.
    Pink,
}
