use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:MinLength=-1
    pub name: String,
}
