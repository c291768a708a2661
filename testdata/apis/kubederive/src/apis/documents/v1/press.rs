//! A kind whose schema attributes of schemars and kube shape.
#![allow(
    unreachable_pub,
    reason = "KubeSchema repeats the struct in a function"
)]

use std::collections::BTreeMap;

use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The most pages of a document.
const MOST_PAGES: i32 = 2_000;

/// A press, which prints documents.
#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "documents.example.com",
    version = "v1",
    kind = "Press",
    plural = "presses",
    namespaced,
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() < 40").message("the name is too long")
)]
#[x_kube(validation = ("self.pages >= self.trays.size()", "a tray needs a page"))]
#[serde(rename_all = "camelCase")]
pub struct PressSpec {
    /// The model.
    #[schemars(length(min = 1, max = 40), regex(pattern = "^[a-z]+$"), example = &"offset")]
    #[x_kube(validation = Rule::new("self == oldSelf").message("the model is immutable").reason(Reason::FieldValueForbidden))]
    pub model: String,
    /// How many pages it prints at once.
    #[serde(default = "pages")]
    #[schemars(range(min = 1, max = MOST_PAGES))]
    pub pages: i32,
    /// Its trays, by name.
    #[schemars(length(max = 8))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub trays: Vec<Tray>,
    /// The formats of paper.
    #[serde(default)]
    #[schemars(inner(length(max = 2), pattern("^[AB]")), title = "Formats")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub formats: Vec<String>,
    /// What it is doing.
    #[serde(default)]
    pub state: State,
    /// Its serial number.
    #[schemars(
        with = "Option<i64>",
        description = "The number that the maker gave it."
    )]
    pub serial: Option<Serial>,
    /// Settings of its maker.
    #[schemars(schema_with = "anything")]
    #[serde(default)]
    // +kubebuilder:validation:Type=object
    // +kubebuilder:pruning:PreserveUnknownFields
    pub settings: BTreeMap<String, serde_json::Value>,
    /// Spare parts.
    pub spares: Spare,
}

/// A tray of paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-kubernetes-validations" = [{"rule": "self.sheets % 2 == 0", "message": "sheets come in pairs"}]))]
pub struct Tray {
    /// Its name.
    pub name: String,
    /// How many sheets it holds.
    #[schemars(extend("multipleOf" = 2, "maximum" = 1000))]
    pub sheets: i32,
    /// Its color.
    pub color: Option<String>,
}

/// What a press is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// Nothing.
    #[default]
    Idle,
    /// It prints.
    Printing,
}

/// A number that is read as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Serial(pub i64);

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
/// Parts whose schema is written by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spare(pub BTreeMap<String, String>);

impl JsonSchema for Spare {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Spare".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        anything(generator)
    }
}

fn pages() -> i32 {
    1
}

fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}
