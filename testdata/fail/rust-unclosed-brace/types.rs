use serde::{Deserialize, Serialize};

/// A spec {
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,

/// Another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Other {
    pub name: String,
}
