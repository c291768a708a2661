// +groupName=parity.example.com
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"parity.example.com/parity/versions/shared"
)

// Versioned is there in several versions.
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ver
// +kubebuilder:unservedversion
type Versioned struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VersionedSpec `json:"spec"`
}

// VersionedSpec is that of v1beta1.
type VersionedSpec struct {
	Outer shared.Outer `json:"outer,omitempty"`
}

// Skipped is there in one version only.
// +kubebuilder:object:root=true
// +kubebuilder:skipversion
type Skipped struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VersionedSpec `json:"spec"`
}
