use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "cloud.example.com", version = "v1alpha1", kind = "Machine")]
pub struct MachineSpec {
    /// A number has no length.
    #[schemars(length(max = 8))]
    pub cores: i32,
    /// A map has none either.
    #[schemars(length(max = 8))]
    pub labels: std::collections::BTreeMap<String, String>,
    /// Items of items.
    #[schemars(inner(inner(length(max = 3))))]
    pub names: Vec<Vec<String>>,
    /// Schemas of parts.
    #[schemars(extend("properties" = {"a": {"type": "string"}}))]
    pub data: Inner,
    /// Of another type than the keyword's.
    #[schemars(extend("maximum" = "many", "x-kubernetes-list-type" = "bag", "x-unknown" = 1))]
    pub amount: i32,
}

/// What is inside.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Inner {
    /// The first.
    #[schemars(extend("maxLength" = 3))]
    First(String),
}
