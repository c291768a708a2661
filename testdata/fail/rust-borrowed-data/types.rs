use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub name: &'static str,
    pub call: fn() -> i32,
    pub any: Box<dyn Send>,
}
