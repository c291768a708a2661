//! A kind in a private module, which its parent exports.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A hut at a trail.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "trails.example.com",
    version = "v1",
    kind = "Hut",
    namespaced,
    derive = "PartialEq"
)]
pub struct HutSpec {
    /// The limits of who may stay.
    pub limits: Limits,
}

/// The limits of a hut, which no other module can name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// How many people may sleep in it.
    pub beds: u16,
}
