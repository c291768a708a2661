use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:validation:AtMostOneOf=image;disk
    pub source: Source,
}

/// A source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Source {
    pub image: Option<String>,
    pub disk: Option<String>,
}
