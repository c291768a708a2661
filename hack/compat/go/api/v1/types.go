// +groupName=gears.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A gear.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +genclient
type Gear struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GearSpec   `json:"spec,omitempty"`
	Status GearStatus `json:"status,omitempty"`
}

// The desired state of a gear.
type GearSpec struct {
	// The number of its teeth.
	Teeth int32 `json:"teeth"`
	// Names of the gears that it drives.
	// +optional
	Drives []string `json:"drives,omitempty"`
}

// The observed state of a gear.
type GearStatus struct {
	// Turns a minute.
	// +optional
	Speed *int64 `json:"speed,omitempty"`
}

// Gears.
// +kubebuilder:object:root=true
type GearList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gear `json:"items"`
}
