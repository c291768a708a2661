use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +optional
    // +required
    pub name: Option<String>,
}
