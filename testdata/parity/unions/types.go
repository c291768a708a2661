// +groupName=parity.example.com
// +versionName=v1beta1
package unions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Union has specs of which one is chosen.
// +kubebuilder:object:root=true
type Union struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UnionSpec `json:"spec,omitempty"`
}

// UnionList is a list of Union.
// +kubebuilder:object:root=true
type UnionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Union `json:"items"`
}

// UnionSpec has a struct for each kind of union.
type UnionSpec struct {
	Most        *Most       `json:"most,omitempty"`
	MostTwice   *MostTwice  `json:"mostTwice,omitempty"`
	Exact       *Exact      `json:"exact,omitempty"`
	ExactTwice  *ExactTwice `json:"exactTwice,omitempty"`
	Least       *Least      `json:"least,omitempty"`
	All         *All        `json:"all,omitempty"`
	FirstLimit  Limit       `json:"firstLimit,omitempty"`
	SecondLimit Limit       `json:"secondLimit,omitempty"`
}

// Most has rules of its own beside the union.
// +kubebuilder:validation:AtMostOneOf=disk;image
// +kubebuilder:validation:XValidation:rule="!has(self.disk) || self.disk != 'none'",message="none is no disk"
type Most struct {
	Disk  *string `json:"disk,omitempty"`
	Image *string `json:"image,omitempty"`
}

// MostTwice has two unions.
// +kubebuilder:validation:AtMostOneOf=a;b
// +kubebuilder:validation:AtMostOneOf=c;d
type MostTwice struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
	C *string `json:"c,omitempty"`
	D *string `json:"d,omitempty"`
}

// +kubebuilder:validation:ExactlyOneOf=disk;image
type Exact struct {
	Disk  *string `json:"disk,omitempty"`
	Image *string `json:"image,omitempty"`
}

// +kubebuilder:validation:ExactlyOneOf=a;b
// +kubebuilder:validation:ExactlyOneOf=c;d
type ExactTwice struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
	C *string `json:"c,omitempty"`
	D *string `json:"d,omitempty"`
}

// +kubebuilder:validation:AtLeastOneOf=a;b
// +kubebuilder:validation:AtLeastOneOf=c;d
type Least struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
	C *string `json:"c,omitempty"`
	D *string `json:"d,omitempty"`
}

// +kubebuilder:validation:AtLeastOneOf=e;f
// +kubebuilder:validation:ExactlyOneOf=c;d
// +kubebuilder:validation:AtMostOneOf=a;b
type All struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
	C *string `json:"c,omitempty"`
	D *string `json:"d,omitempty"`
	E *string `json:"e,omitempty"`
	F *string `json:"f,omitempty"`
}

// Limit is a number with a rule.
// +kubebuilder:validation:XValidation:rule="self >= 10 && self <= 99",message="two digits"
type Limit *int32
