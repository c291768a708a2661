use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A machine.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub metadata: ObjectMeta,
    /// What it should be.
    pub spec: MachineSpec,
    /// What it is.
    pub status: Option<MachineStatus>,
}

/// What a machine should be.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpec {
    /// The disk.
    pub disk: Disk,
}

/// What a machine is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatus {
    /// How far it is.
    #[serde(default)]
    pub ready_replicas: i32,
}

/// A disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its last sizes.
    pub sizes: Ring<4>,
}

/// The last values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ring<const N: usize, T> {
    /// The values.
    pub values: [T; N],
}
