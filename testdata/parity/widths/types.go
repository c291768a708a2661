// Package widths has numbers of every width, and types that other packages declare under other names.
//
// +groupName=parity.example.com
// +versionName=v1
package widths

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	units "parity.example.com/parity/widths/units"
)

type (
	// Octet is a byte.
	Octet uint8

	// Grid is a list of lists.
	Grid [][]int16

	// Registry is a map.
	Registry map[string]Octet
)

// MeasuredSpec has a field for each width.
type MeasuredSpec struct {
	Platform         int     `json:"platform"`
	UnsignedPlatform uint    `json:"unsignedPlatform"`
	Int16            int16   `json:"int16"`
	Uint8            uint8   `json:"uint8,omitempty"`
	Uint16           uint16  `json:"uint16,omitempty"`
	Rune             rune    `json:"rune,omitempty"`
	Float32          float32 `json:"float32,omitempty"`
	// Octets are numbers in a list, not text.
	Octets [4]byte `json:"octets,omitempty"`
	// NamedOctets are, too.
	NamedOctets []Octet  `json:"namedOctets,omitempty"`
	Grid        Grid     `json:"grid,omitempty"`
	Registry    Registry `json:"registry,omitempty"`
	// Code writes itself.
	Code  units.Code                      `json:"code,omitempty"`
	Short units.Short                     `json:"short,omitempty"`
	Range metav1.LabelSelectorRequirement `json:"range,omitempty"`
}

// Measured is of every width.
// +kubebuilder:object:root=true
type Measured struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MeasuredSpec `json:"spec,omitempty"`
}
