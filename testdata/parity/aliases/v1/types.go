// Package v1 has kinds that are those of other versions, and one that is its own under another name.
//
// +groupName=aliases.example.com
package v1

import (
	"parity.example.com/parity/aliases/v2"
	"parity.example.com/parity/aliases/v3"
)

// Lamp of v1 is that of v2, which is that of v3.
//
// +kubebuilder:deprecatedversion
type Lamp = v2.Lamp

// LampList lists lamps.
type LampList = v2.LampList

// +kubebuilder:printcolumn:name=Zone,type=string,JSONPath=`.spec.zone`
type Street v3.Street

// Bulb has no list, and is a version nevertheless.
type Bulb = v3.Lamp
