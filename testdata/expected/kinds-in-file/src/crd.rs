//! The kinds of the crate: a file beside a folder of its name.

mod hut;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::hut::{Hut, HutSpec};

/// A trail.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "trails.example.com",
    version = "v1",
    kind = "Trail",
    derive = "PartialEq"
)]
pub struct TrailSpec {
    /// The limits of who may walk it.
    pub limits: Limits,
}

/// The limits of a trail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// How many people may walk it at once.
    pub people: u16,
}
