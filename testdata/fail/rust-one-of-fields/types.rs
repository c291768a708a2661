use serde::{Deserialize, Serialize};

// +kubebuilder:validation:ExactlyOneOf=image;disks
// +kubebuilder:validation:AtMostOneOf={image,source.disk}
// +kubebuilder:validation:AtLeastOneOf=image;cpus
/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub image: Option<String>,
    pub disk: Option<String>,
    pub cpus: i32,
}
