// Package shared has types that several APIs use.
package shared

// Reference names an object.
type Reference struct {
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// Common is embedded.
//
// +kubebuilder:validation:XValidation:rule="!has(self.paused) || has(self.owner)",message="owner of a paused shape"
type Common struct {
	// Paused stops the controller.
	// +optional
	Paused *bool `json:"paused,omitempty"`
	// Owner of the shape.
	// +optional
	Owner *Reference `json:"owner,omitempty"`
}
