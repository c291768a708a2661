use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:Pattern=`([`
    pub a: String,
    // +kubebuilder:validation:items:Pattern=`^(?!no)`
    pub b: Vec<String>,
    // +kubebuilder:validation:Pattern=`^[^[]{,3}\pL\Qa.b\E$`
    pub c: String,
}
