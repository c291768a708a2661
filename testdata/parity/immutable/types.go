// +groupName=parity.example.com
// +versionName=v1
package immutable

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Immutable has fields that are set once.
// +kubebuilder:object:root=true
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'none'",message="name is none"
type Immutable struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ImmutableSpec `json:"spec,omitempty"`

	Owned `json:",inline"`
}

// ImmutableList is a list of Immutable.
// +kubebuilder:object:root=true
type ImmutableList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Immutable `json:"items"`
}

// +kubebuilder:validation:XValidation:rule="self.size != 'none'",message="size is none"
type ImmutableSpec struct {
	Labeled `json:",inline"`

	// +k8s:immutable
	Name string `json:"name"`

	// +k8s:immutable
	// +optional
	Alias *string `json:"alias,omitempty"`

	// +k8s:immutable
	// +optional
	Comment string `json:"comment,omitempty"`

	// +k8s:immutable
	Disk Disk `json:"disk"`

	// +k8s:immutable
	// +optional
	Backup *Disk `json:"backup,omitempty"`

	// +k8s:immutable
	// +optional
	Swap Disk `json:"swap,omitzero"`

	// +k8s:immutable
	Zones []string `json:"zones"`

	// +k8s:immutable
	// +optional
	Hosts []string `json:"hosts,omitempty"`

	// +k8s:immutable
	Tags map[string]string `json:"tags"`

	// +k8s:immutable
	// +optional
	Hints map[string]string `json:"hints,omitempty"`

	Size string `json:"size"`
}

// Owned has rules that stand before those of the kind that embeds it.
// +kubebuilder:validation:XValidation:rule="!has(self.owner) || self.owner != 'none'",message="owner is none"
type Owned struct {
	// +k8s:immutable
	// +optional
	Owner *string `json:"owner,omitempty"`
}

// Labeled has rules that stand behind those of what embeds it.
// +kubebuilder:validation:XValidation:rule="!has(self.label) || self.label != ''",message="label is empty"
type Labeled struct {
	// +k8s:immutable
	// +optional
	Label *string `json:"label,omitempty"`
}

type Disk struct {
	Class string `json:"class"`
	Size  string `json:"size"`
}
