//! The types of `cloudnative.czs/v1alpha1`.

use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, ObjectMeta, Time,
};
use codegen_runtime::quantity::Quantity;
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:shortName=vm
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=CPU,type=string,JSONPath=`.status.server.usage.cpu`
// +kubebuilder:printcolumn:name=Memory,type=string,JSONPath=`.status.server.usage.memory`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
/// A virtual machine.
#[derive(Debug, Default, PartialEq)]
pub struct VirtualMachine {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// The desired state of the machine.
    pub spec: VirtualMachineSpec,
    /// The observed state of the machine.
    pub status: Option<VirtualMachineStatus>,
}

/// The desired state of a virtual machine.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineSpec {
    /// Whether the machine runs.
    // +kubebuilder:default=active
    #[serde(default)]
    pub action: VirtualMachineAction,
    /// The sizes of the machine.
    pub resource: VirtualMachineResource,
}

/// What a virtual machine should do.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VirtualMachineAction {
    /// Run.
    #[default]
    Active,
    /// Be there, with its disk, and not run.
    Stopped,
}

/// The sizes of a virtual machine.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineResource {
    /// Processors: a whole number. A change restarts the machine.
    // +kubebuilder:validation:MaxLength=32
    // +kubebuilder:validation:Pattern=`^\+?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
    // +kubebuilder:validation:Minimum=1
    // +kubebuilder:validation:Maximum=1024
    // +kubebuilder:validation:XValidation:rule=`type(self) == int || (isQuantity(self) && quantity(self).compareTo(quantity('1')) >= 0 && quantity(self).compareTo(quantity('1024')) <= 0 && double(int(quantity(self).asApproximateFloat())) == quantity(self).asApproximateFloat())`,message="write a whole number from 1 to 1024"
    pub cpu: Quantity,
    /// Memory in bytes. A change restarts the machine.
    // +kubebuilder:validation:MaxLength=32
    // +kubebuilder:validation:Pattern=`^\+?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
    // +kubebuilder:validation:Minimum=1048576
    // +kubebuilder:validation:Maximum=70368744177664
    // +kubebuilder:validation:XValidation:rule=`type(self) == int || (isQuantity(self) && quantity(self).compareTo(quantity('1Mi')) >= 0 && quantity(self).compareTo(quantity('64Ti')) <= 0)`,message="write a size from 1Mi to 64Ti"
    pub memory: Quantity,
    /// The root disk in bytes. It can only grow.
    // +kubebuilder:validation:MaxLength=32
    // +kubebuilder:validation:Pattern=`^\+?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
    // +kubebuilder:validation:Minimum=1048576
    // +kubebuilder:validation:Maximum=1125899906842624
    // +kubebuilder:validation:XValidation:rule=`type(self) == int || (isQuantity(self) && quantity(self).compareTo(quantity('1Mi')) >= 0 && quantity(self).compareTo(quantity('1Pi')) <= 0)`,message="write a size from 1Mi to 1Pi"
    pub root_disk: Quantity,
}

/// The observed state of a virtual machine.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VirtualMachineStatus {
    /// Where the machine is in its life.
    pub phase: VirtualMachinePhase,
    /// Why the phase is what it is, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The server that runs the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerStatus>,
    /// When something in this status changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<Time>,
    /// The `metadata.generation` that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: the machine is what its spec says. `Progressing`: something is being done about it.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

// +kubebuilder:validation:Enum={"",Creating,Active,Stopped,Failed,Terminating,Unknown}
/// Where a virtual machine is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VirtualMachinePhase {
    /// Nothing has been done yet.
    #[default]
    #[serde(rename = "")]
    None,
    /// The server is being created or started.
    Creating,
    /// The server runs.
    Active,
    /// The server does not run, as asked.
    Stopped,
    /// The machine is not what it should be; the reason says why, and whether it is tried again.
    Failed,
    /// The server is being deleted.
    Terminating,
    /// The state of the server is unknown.
    #[serde(other)]
    Unknown,
}

/// The server that runs a virtual machine.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    /// The server's name at its driver.
    pub id: String,
    /// The driver's word for the server's state.
    pub state: String,
    /// What the server uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ServerUsage>,
}

/// What a server uses.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerUsage {
    /// Processors, such as `350m`.
    pub cpu: Quantity,
    /// Bytes of memory, such as `96Mi`.
    pub memory: Quantity,
}
