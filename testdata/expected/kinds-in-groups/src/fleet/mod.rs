//! Ships, in the version that is stored.

pub mod v1beta1;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Berth;

/// A ship.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "fleet.example.com",
    version = "v1",
    kind = "Ship",
    namespaced,
    status = "ShipStatus",
    derive = "PartialEq"
)]
pub struct ShipSpec {
    /// Where it belongs.
    pub home: Berth,
    /// How many masts it has.
    #[schemars(range(min = 1))]
    pub masts: u16,
}

/// The observed state of a ship.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShipStatus {
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub berth: Option<Berth>,
}
