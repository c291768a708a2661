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
    /// The observed state.
    pub status: Option<MachineStatus>,
}

/// The desired state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpec {
    /// The disk.
    pub disk: Disk,
}

/// The observed state of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatus {
    /// How far it is.
    #[serde(default)]
    pub ready_replicas: i32,
}

/// A disk.
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.0'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.1'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.2'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.3'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.4'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.5'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.6'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.7'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.8'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.9'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.10'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.11'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.12'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.13'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.14'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.15'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.16'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.17'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.18'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.19'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.20'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.21'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.22'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.23'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.24'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.25'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.26'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.27'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.28'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.29'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.30'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.31'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.32'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.33'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.34'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.35'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.36'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.37'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.38'))"
// +kubebuilder:validation:XValidation:rule="self.parts.all(a, a.startsWith('part-') && a.endsWith('.39'))"
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// Its parts.
    // +kubebuilder:validation:items:MaxLength=20
    pub parts: Vec<String>,
}
