use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:default=[1,2]
    #[serde(default)]
    pub sizes: Vec<i32>,
}
