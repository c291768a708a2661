use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:Pattern=^[a-z]{1,3}$
    pub name: String,
}
