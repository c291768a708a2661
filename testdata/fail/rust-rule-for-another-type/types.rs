use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:MaxLength=3
    pub size: i32,
    // +kubebuilder:validation:Minimum=1
    pub sizes: Vec<i32>,
    // +listType=set
    pub name: String,
}
