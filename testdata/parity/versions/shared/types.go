// Package shared has types that all versions use.
package shared

// Inner is part of Outer.
type Inner struct {
	Name string `json:"name,omitempty"`
}

// Outer has a struct that is replaced as a whole.
type Outer struct {
	// +structType=atomic
	Inner Inner `json:"inner,omitempty"`
}
