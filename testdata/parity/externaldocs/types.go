// +groupName=parity.example.com
// +versionName=v1
package externaldocs

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Documented has documentation elsewhere.
// +kubebuilder:object:root=true
type Documented struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DocumentedSpec `json:"spec,omitempty"`
}

// DocumentedList is a list of Documented.
// +kubebuilder:object:root=true
type DocumentedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Documented `json:"items"`
}

type DocumentedSpec struct {
	// With a description.
	// +kubebuilder:externalDocs:url="https://example.com/docs",description="the handbook"
	Described string `json:"described,omitempty"`
	// Without.
	// +kubebuilder:externalDocs:url="https://example.com/docs"
	Plain string `json:"plain,omitempty"`
	// By its type.
	Typed Typed `json:"typed,omitempty"`
	// +kubebuilder:title="A title"
	// +kubebuilder:example=b-side
	Titled Typed `json:"titled,omitempty"`
}

// Typed has documentation of its own.
// +kubebuilder:externalDocs:url="https://example.com/typed",description="the chapter"
// +kubebuilder:title="Typed"
type Typed string
