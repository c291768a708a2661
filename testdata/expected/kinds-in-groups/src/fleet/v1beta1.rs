//! Ships, in an earlier version.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ship.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "fleet.example.com",
    version = "v1beta1",
    kind = "Ship",
    namespaced,
    storage = false,
    derive = "PartialEq"
)]
pub struct ShipSpec {
    /// How many masts it has.
    pub masts: u16,
}
