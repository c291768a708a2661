use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:noStatus
#[derive(Debug)]
pub struct Machine {
    pub metadata: ObjectMeta,
    #[cfg(feature = "gpu")]
    pub gpus: i32,
}

#[derive(Serialize, Deserialize)]
pub enum Source {
    Disk {
        path: String,
        #[cfg(unix)]
        mode: u32,
    },
    #[cfg(feature = "net")]
    Network,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Cloned {
    #[cfg(unix)]
    pub mode: u32,
}
