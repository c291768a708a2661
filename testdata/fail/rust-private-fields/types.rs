use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +genclient:noStatus
#[derive(Debug)]
pub struct Machine {
    metadata: ObjectMeta,
    pub(crate) spec: MachineSpec,
}

#[derive(Serialize, Deserialize)]
pub struct MachineSpec {
    pub port: Port,
    pub(self) cpus: i32,
    host: String,
}

#[derive(Serialize, Deserialize)]
pub struct Port(u16);

#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Cloned(u16);

#[derive(Serialize, Deserialize)]
pub enum Source {
    Git { url: String },
}
