use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +default=Cluster
    #[serde(default)]
    pub name: String,
}
