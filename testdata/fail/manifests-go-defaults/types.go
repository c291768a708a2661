// Package v1 holds machines.
// +groupName=cloud.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Machine is a machine.
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSpec `json:"spec"`
}

// MachineSpec is what a machine should be.
type MachineSpec struct {
	// +kubebuilder:default=1
	Text string `json:"text"`
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	Number int32 `json:"number"`
	// +kubebuilder:default={a,b,c}
	// +kubebuilder:validation:MaxItems=2
	List []string `json:"list"`
	// +kubebuilder:default={nmae: x}
	Disk Disk `json:"disk"`
	// +default={}
	OtherDisk Disk `json:"otherDisk"`
	// +kubebuilder:default=Keep
	Policy Policy `json:"policy"`
	// +kubebuilder:default={a: 1}
	Labels map[string]string `json:"labels"`
}

// Disk is a disk.
type Disk struct {
	// The name.
	Name string `json:"name"`
}

// Policy is what happens at the end.
// +kubebuilder:validation:Enum=Retain;Delete
type Policy string
