//! The types of `cloudnative.czs/v1alpha1`.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::apimachinery::pkg::{
    api::resource::Quantity,
    apis::meta::v1::{ObjectMeta, Time},
};
use serde::{Deserialize, Serialize};

// +genclient
// +k8s:deepcopy-gen:interfaces=runtime.Object
// +kubebuilder:resource:shortName=vm
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`
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
    /// What should be done with the machine, such as `active`.
    pub action: String,
    /// The sizes of the machine: `cpu`, `memory`, `rootDisk`.
    pub resource: ResourceList,
}

/// Quantities by the name of the resource.
pub type ResourceList = BTreeMap<String, Quantity>;

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
    /// When this status was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<Time>,
}

/// Where a virtual machine is in its life.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VirtualMachinePhase {
    /// Nothing has been done yet.
    #[default]
    #[serde(rename = "")]
    None,
    /// The server is being created.
    Creating,
    /// The server runs.
    Active,
    /// The server could not be created.
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
    /// The server's name at its provider.
    pub id: String,
    /// The provider's word for the server's state.
    pub state: String,
    /// What the server uses.
    #[serde(default)]
    pub usage: ServerUsage,
}

/// What a server uses, each from 0 to 1.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerUsage {
    /// Share of the processors.
    pub cpu: f64,
    /// Share of the memory.
    pub memory: f64,
}
