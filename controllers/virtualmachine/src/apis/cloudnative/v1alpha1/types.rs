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
    /// Standard object metadata.
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
    /// Whether the machine should run.
    // +kubebuilder:default=active
    #[serde(default)]
    pub action: VirtualMachineAction,
    /// The sizes of the machine.
    pub resource: VirtualMachineResource,
}

/// The desired power state of a virtual machine.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VirtualMachineAction {
    /// The machine runs.
    #[default]
    Active,
    /// The machine exists with its disk, but does not run.
    Stopped,
}

/// The sizes of a virtual machine.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineResource {
    /// The number of processors, an integer. A change restarts the machine.
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
    /// The phase of the machine's lifecycle.
    pub phase: VirtualMachinePhase,
    /// A human-readable explanation of the phase.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The server that runs the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerStatus>,
    /// The last time this status changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<Time>,
    /// The `metadata.generation` that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: the machine matches its spec. `Progressing`: a change is in progress.
    // +listType=map
    // +listMapKey=type
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

// +kubebuilder:validation:Enum={"",Creating,Active,Stopped,Failed,Terminating,Unknown}
/// The phase of a virtual machine's lifecycle.
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
    /// The server is stopped, as requested.
    Stopped,
    /// The machine does not match its spec; the reason says why, and whether it is retried.
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
    /// The server's state as reported by the driver.
    pub state: String,
    /// The resource usage of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ServerUsage>,
}

/// The resource usage of a server.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerUsage {
    /// Processors, such as `350m`.
    pub cpu: Quantity,
    /// Bytes of memory, such as `96Mi`.
    pub memory: Quantity,
}
