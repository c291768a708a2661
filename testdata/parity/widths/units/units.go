// Package named differs in name from its folder.
package named

// Length in metres.
// +kubebuilder:validation:Minimum=0
type Length int32

// Short is another name.
type Short = Length

// Code is told by its text.
type Code [2]rune

// MarshalText writes a code.
func (c Code) MarshalText() ([]byte, error) { return []byte(string(c[:])), nil }
