use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
/// A set of machines.
#[derive(Debug, Default, PartialEq)]
pub struct Machine {
    /// Standard metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: MachineSpec,
    /// The observed state.
    pub status: Option<MachineStatus>,
}

/// The desired state of a set of machines.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineSpec {
    /// The number of machines.
    // +kubebuilder:validation:Maximum=10
    pub replicas: i32,
    /// Their disks by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    // +listType=map
    // +listMapKey=name
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Disk {
    /// Its name.
    pub name: String,
}

/// The observed state of a set of machines.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineStatus {
    /// The number of machines that run.
    pub replicas: i32,
}
