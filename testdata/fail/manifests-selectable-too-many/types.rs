use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:selectablefield:JSONPath=`.spec.f0`
// +kubebuilder:selectablefield:JSONPath=`.spec.f1`
// +kubebuilder:selectablefield:JSONPath=`.spec.f2`
// +kubebuilder:selectablefield:JSONPath=`.spec.f3`
// +kubebuilder:selectablefield:JSONPath=`.spec.f4`
// +kubebuilder:selectablefield:JSONPath=`.spec.f5`
// +kubebuilder:selectablefield:JSONPath=`.spec.f6`
// +kubebuilder:selectablefield:JSONPath=`.spec.f7`
// +kubebuilder:selectablefield:JSONPath=`.spec.f8`
/// A machine.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: MachineSpec,
    /// The observed state.
    pub status: Option<MachineStatus>,
}

/// The desired state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpec {
    /// Field 0.
    pub f0: String,
    /// Field 1.
    pub f1: String,
    /// Field 2.
    pub f2: String,
    /// Field 3.
    pub f3: String,
    /// Field 4.
    pub f4: String,
    /// Field 5.
    pub f5: String,
    /// Field 6.
    pub f6: String,
    /// Field 7.
    pub f7: String,
    /// Field 8.
    pub f8: String,
}

/// The observed state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatus {
    /// How far it is.
    #[serde(default)]
    pub ready_replicas: i32,
}
