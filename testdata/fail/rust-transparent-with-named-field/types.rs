use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spec {
    pub name: String,
}
