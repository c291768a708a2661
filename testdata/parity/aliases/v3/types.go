// Package v3 declares the kinds.
//
// +groupName=aliases.example.com
package v3

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Lamp gives light.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.spec.zone != 'a'"
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LampSpec `json:"spec"`
}

// LampList lists lamps.
type LampList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Lamp `json:"items"`
}

// Bulb is a lamp by another name.
//
// +kubebuilder:storageversion
type Bulb = Fixture

// Fixture is the kind that it is.
type Fixture struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Street has lamps.
//
// +kubebuilder:storageversion
type Street struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LampSpec `json:"spec,omitempty"`
}

// Named has its metadata under a name in Go, and is no kind to controller-gen.
type Named struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
}

// LampSpec is passed over: this is an alias.
//
// +kubebuilder:validation:MaxProperties=9
type LampSpec = Spec

// Spec is what is wanted.
type Spec struct {
	// Zone of the lamp.
	Zone Zone `json:"zone"`
	// The docs of the type that the alias is of.
	Area   Area   `json:"area"`
	Areas  []Area `json:"areas"`
	Number Number `json:"number"`
	Since  Moment `json:"since"`
	*Place `json:",inline"`

	// +required
	// +optional
	Both string `json:"both"`
	// +kubebuilder:validation:Required
	// +optional
	Wanted string `json:"wanted,omitempty"`
	// +kubebuilder:validation:Optional
	// +kubebuilder:validation:Required
	Free string `json:"free"`

	// +kubebuilder:validation:MaxLength =3
	// +kubebuilder:validation:MinLength= 1
	Spaced string `json:"spaced"`
}

// Area is passed over, and Zone is not.
//
// +kubebuilder:validation:MinLength=1
type Area = Zone

// Zone counts where Area is named, and is passed over where it is.
//
// +kubebuilder:validation:MaxLength=9
type Zone = Name

// Name of a place.
//
// +kubebuilder:validation:Pattern=`^[a-z]*$`
type Name string

// Number is an alias of a type that Go declares, and counts.
//
// +kubebuilder:validation:Minimum=3
type Number = int32

// Moment is passed over.
//
// +kubebuilder:validation:Format=date
type Moment = metav1.Time

// Place is passed over.
//
// +kubebuilder:validation:XValidation:rule="self.street != 'a'"
type Place = Address

// Address of a lamp.
//
// +kubebuilder:validation:XValidation:rule="self.street != 'b'"
type Address struct {
	Street string `json:"street"`
}
