use serde::{Deserialize, Serialize};

/// A spec.
#[cfg(feature = "names")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,
}

/// A spec.
#[cfg(not(feature = "names"))]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub number: i32,
}
