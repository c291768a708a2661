package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// VirtualMachine is a virtual machine.
type VirtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   VirtualMachineSpec   `json:"spec"`
	Status VirtualMachineStatus `json:"status,omitempty"`
}

// VirtualMachineSpec is what the machine should be.
type VirtualMachineSpec struct {
	Action   VirtualMachineAction `json:"action,omitempty"`
	Resource ResourceList         `json:"resource"`
}

// VirtualMachineAction is whether a machine runs.
type VirtualMachineAction string

// ResourceList is what a machine is given.
type ResourceList struct {
	CPU      resource.Quantity `json:"cpu"`
	Memory   resource.Quantity `json:"memory"`
	RootDisk resource.Quantity `json:"rootDisk"`
}

// VirtualMachinePhase is where a machine is in its life.
type VirtualMachinePhase string

// VirtualMachineStatus is what the machine is.
type VirtualMachineStatus struct {
	Phase          VirtualMachinePhase `json:"phase,omitempty"`
	Reason         string              `json:"reason,omitempty"`
	Server         ServerStatus        `json:"server,omitempty"`
	LastUpdateTime metav1.Time         `json:"lastUpdateTime,omitempty"`
}

// ServerStatus is a machine's status as the driver reports it.
type ServerStatus struct {
	ID    string      `json:"id,omitempty"`
	State string      `json:"state,omitempty"`
	Usage ServerUsage `json:"usage,omitempty"`
}

// ServerUsage is what a machine uses.
type ServerUsage struct {
	CPU    int32 `json:"cpu,omitempty"`
	Memory int32 `json:"memory,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// VirtualMachineList is a list of virtual machines.
type VirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []VirtualMachine `json:"items"`
}
