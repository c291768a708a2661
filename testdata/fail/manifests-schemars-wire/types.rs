use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine")]
#[schemars(rename_all = "camelCase")]
pub struct MachineSpec {
    /// Has one name in the schema and another in objects.
    #[schemars(rename = "title")]
    pub name: String,
    /// Is flat in the schema alone.
    #[schemars(flatten)]
    pub inner: Inner,
    /// Has its name taken back.
    #[serde(rename = "kind")]
    #[schemars(!rename)]
    pub type_: String,
    /// Is sent, and not in the schema.
    #[schemars(skip)]
    pub hidden: String,
    /// As serde has it.
    #[serde(rename = "sameName")]
    #[schemars(rename = "sameName")]
    pub same: String,
}

/// What is inside.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "type")]
#[schemars(tag = "kind")]
pub enum Inner {
    /// The first.
    First {
        /// How many.
        amount: i32,
    },
    /// The second.
    #[schemars(skip)]
    Second,
}
