use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:printcolumn:name=Column,type=date,JSONPath=`.spec.size`
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
    /// The size.
    pub size: i32,
    /// The name of the image.
    pub image: String,
}

/// What a machine is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatus {
    /// How far it is.
    #[serde(default)]
    pub ready_replicas: i32,
}
