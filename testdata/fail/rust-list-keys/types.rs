use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +listType=map
    // +listMapKey=nam
    // +listMapKey=protocol
    // +listMapKey=tags
    // +listMapKey=port
    pub a: Vec<Port>,
    // +listType=map
    // +listMapKey=name
    pub b: Vec<String>,
    // +listType=set
    pub c: Vec<Port>,
    // +listType=set
    pub d: Vec<Whole>,
}

/// A port.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Port {
    pub name: String,
    pub protocol: Option<String>,
    pub tags: Vec<String>,
    // +kubebuilder:default=80
    #[serde(default)]
    pub port: i32,
}

// +structType=atomic
/// One value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Whole {
    pub name: String,
}
