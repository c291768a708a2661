use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +listType=map
    pub items: Vec<std::collections::BTreeMap<String, String>>,
    // +listMapKey=name
    pub others: Vec<std::collections::BTreeMap<String, String>>,
}
