use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:Minimum=10
    // +kubebuilder:validation:Maximum=9
    pub a: i32,
    // +kubebuilder:validation:Minimum=1.5
    // +kubebuilder:validation:Maximum=1.5
    // +kubebuilder:validation:ExclusiveMaximum=true
    pub b: f64,
    // +kubebuilder:validation:MinItems=3
    // +kubebuilder:validation:MaxItems=2
    // +kubebuilder:validation:items:MinLength=3
    // +kubebuilder:validation:items:MaxLength=2
    pub c: Vec<String>,
    // +kubebuilder:validation:MinProperties=1
    // +kubebuilder:validation:MaxProperties=0
    pub d: std::collections::BTreeMap<String, String>,
}
