use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:Maximum=ten
    pub size: i32,
    // +kubebuilder:validation:ExclusiveMinimum=yes
    pub other: i32,
}
