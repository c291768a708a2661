// Package v2 has kinds that are those of v3.
//
// +groupName=aliases.example.com
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"parity.example.com/parity/aliases/v3"
)

// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=lm
// +kubebuilder:validation:XValidation:rule="self.spec.zone != 'b'"

// Lamp of v2 is that of v3.
type Lamp = v3.Lamp

// LampList lists lamps.
type LampList = v3.LampList

// Bulb is a kind of its own here.
//
// +kubebuilder:object:root=true
type Bulb struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Watts that it takes.
	Watts int32 `json:"watts"`
	// Colors are a list to controller-gen, though Go writes both as text.
	Colors []uint8 `json:"colors"`
	Key    []byte  `json:"key"`
}

// +kubebuilder:skipversion
type Street struct {
	Name string `json:"name"`
}
