// +groupName=parity.example.com
// +versionName=v1
package enums

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Enum chooses among words.
// +kubebuilder:object:root=true
type Enum struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EnumSpec `json:"spec,omitempty"`
}

// EnumList is a list of Enum.
// +kubebuilder:object:root=true
type EnumList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Enum `json:"items"`
}

// EnumSpec has enums by constants and by markers.
type EnumSpec struct {
	// The values of the constants.
	Phase Phase `json:"phase,omitempty"`
	// The values of the marker.
	Policy Policy `json:"policy,omitempty"`
	// Values of the field.
	// +kubebuilder:validation:Enum=small;large
	Size string `json:"size,omitempty"`
	// Values of the elements.
	// +kubebuilder:validation:items:Enum=a;b
	Letters []string `json:"letters,omitempty"`
}

// Phase is how far it is.
// +k8s:enum
type Phase string

const (
	Stopped Phase = "Stopped"
	Running Phase = "Running"
)

// Policy is what happens at the end.
// +kubebuilder:validation:Enum=Retain;Delete
type Policy string
