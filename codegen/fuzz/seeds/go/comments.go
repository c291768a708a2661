/* +genclient */
// +build !windows

//go:build linux && (amd64 || !cgo)

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get

// Package a // of comments
package a // +optional

// +groupName=a

/* Block
 * doc */
type A struct { // +optional
	// +nullable

	// doc
	B int // +optional
	// +optional
} // +optional

// +optional
func F() { /* } */ }

type (
	// +enum
	C string

	// +required
)
// +1
// + optional
//+nolint
//nolint:all
