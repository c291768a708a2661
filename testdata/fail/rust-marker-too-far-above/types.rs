use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +nullable

    // A remark.

    /// A name.
    pub name: Option<String>,
}
