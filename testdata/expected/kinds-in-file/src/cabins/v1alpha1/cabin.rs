//! A kind of the version.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cabin.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "cabins.example.com",
    version = "v1alpha1",
    kind = "Cabin",
    namespaced,
    derive = "PartialEq"
)]
pub struct CabinSpec {
    /// How many rooms it has.
    pub rooms: u16,
}
