use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
/// A machine.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: MachineSpec,
}

/// The desired state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpec {
    /// Its disks.
    // +kubebuilder:default={{name: root, size: {amount: 0}}}
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disk {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: Size,
}

/// A size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Size {
    /// How much.
    // +kubebuilder:validation:Minimum=1
    pub amount: i32,
}
