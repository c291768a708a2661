use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelcase")]
pub struct Spec {
    pub last_update: String,
}
