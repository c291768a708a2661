use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Phase {
    Running,
    #[serde(rename = "Running")]
    Started,
}
