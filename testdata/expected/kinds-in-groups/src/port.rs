//! Ports.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Berth;

/// A port.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "ports.example.com",
    version = "v1",
    kind = "Port",
    derive = "PartialEq"
)]
pub struct PortSpec {
    /// The places at its quays.
    #[serde(default)]
    pub berths: Vec<Berth>,
}
