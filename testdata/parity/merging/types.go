// +groupName=parity.example.com
// +versionName=v1
package merging

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Merged joins what types and fields say.
// +kubebuilder:object:root=true
type Merged struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MergedSpec `json:"spec,omitempty"`
}

// MergedList is a list of Merged.
// +kubebuilder:object:root=true
type MergedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Merged `json:"items"`
}

type MergedSpec struct {
	// The field's own words.
	// +kubebuilder:validation:MaxLength=5
	Both Text `json:"both,omitempty"`
	// +kubebuilder:validation:MinLength=4
	Adds Text `json:"adds,omitempty"`
	// +kubebuilder:validation:Pattern=^b
	// +kubebuilder:validation:XValidation:rule="self.startsWith('b')",message="starts with b"
	Patterns Text `json:"patterns,omitempty"`
	// +kubebuilder:validation:Enum=a
	Narrowed Letter `json:"narrowed,omitempty"`
	Twice    Alias  `json:"twice,omitempty"`
	// +kubebuilder:validation:MaxLength=7
	Thrice Chain `json:"thrice,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:XValidation:rule="self.name != 'field'"
	Object      Object `json:"object,omitempty"`
	Undescribed Object `json:"undescribed,omitempty"`
	List        List   `json:"list,omitempty"`
	// +kubebuilder:validation:items:MaxLength=3
	Items []Text `json:"items,omitempty"`
	// +nullable
	Null Object `json:"null,omitempty"`
	// +kubebuilder:default="abcdef"
	Default Text `json:"default,omitempty"`
	// Described by the field.
	Aliased Same `json:"aliased,omitempty"`
	First   `json:",inline"`
	Second  `json:",inline"`
}

// Text is a text of some length.
// +kubebuilder:validation:MaxLength=10
// +kubebuilder:validation:Pattern=^a
type Text string

// Alias is a text that is shorter.
// +kubebuilder:validation:MaxLength=8
type Alias Text

// Chain is one more.
// +kubebuilder:validation:MaxLength=6
// +kubebuilder:validation:MinLength=1
type Chain Alias

// Letter is a or b.
// +kubebuilder:validation:Enum=a;b
type Letter string

// Object is an object.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=3
// +kubebuilder:validation:XValidation:rule="self.name != 'type'"
type Object struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty"`
}

// List is a list.
// +kubebuilder:validation:MaxItems=9
type List []Text

// Same is another name.
type Same = Object

// First is inlined.
type First struct {
	// Of the first.
	One string `json:"one,omitempty"`
}

// Second is inlined too.
type Second struct {
	// Of the second.
	Two string `json:"two"`
}
