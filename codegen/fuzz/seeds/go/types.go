// Package v1 is an API.
// +groupName=cloud.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`

// Machine is a machine.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is wanted.
	Spec   MachineSpec   `json:"spec"`
	Status MachineStatus `json:"status,omitempty,omitzero"` // what is
}

// MachineSpec is wanted.
type MachineSpec struct {
	// +kubebuilder:validation:Minimum=1
	// +optional
	Cores, Threads *int32 `json:"cores,omitempty"`
	Disks map[string][]corev1.Volume `json:"disks" patchStrategy:"merge" patchMergeKey:"name"`
	Id [16]byte `json:"id"`
}
type MachineStatus struct{ Phase Phase `json:"phase"` }
type Phase string
const (
	// Pending is not yet.
	Pending Phase = "Pending"
	Running Phase = "Run" + "ning" // is
)
