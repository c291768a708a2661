// +groupName=parity.example.com
// +versionName=v1
package limits

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Limited has bounds of every sort.
// +kubebuilder:object:root=true
type Limited struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LimitedSpec `json:"spec,omitempty"`
}

// LimitedList is a list of Limited.
// +kubebuilder:object:root=true
type LimitedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Limited `json:"items"`
}

type LimitedSpec struct {
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=100
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:ExclusiveMaximum=false
	// +kubebuilder:validation:MultipleOf=5
	Number int32 `json:"number"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:Format=hostname
	Text string `json:"text"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:UniqueItems=false
	// +kubebuilder:validation:items:MinLength=2
	// +kubebuilder:validation:items:MaxLength=9
	// +kubebuilder:validation:items:Pattern=^[a-z]+$
	List []string `json:"list"`
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=65535
	// +kubebuilder:validation:items:MultipleOf=1
	Ports []int64 `json:"ports,omitempty"`
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=4
	Map map[string]string `json:"map,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self > 0",message="above 0",reason=FieldValueInvalid
	// +kubebuilder:validation:XValidation:rule="self < 10",messageExpression="'below 10'"
	// +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || self >= oldSelf.value()",message="never less",optionalOldSelf=true
	Ruled int64 `json:"ruled,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self.low <= self.high",fieldPath=".low"
	Range Range `json:"range,omitempty"`
	// +nullable
	Null *string `json:"null,omitempty"`
	// +kubebuilder:validation:Optional
	Perhaps string `json:"perhaps"`
	// +kubebuilder:validation:Required
	Surely string `json:"surely,omitempty"`
	// +required
	Needed *string `json:"needed,omitempty"`
	// +k8s:optional
	Spared string `json:"spared"`
	// +k8s:required
	Wanted string `json:"wanted,omitempty"`
	// A word of the type.
	Word Word `json:"word"`
	// +kubebuilder:validation:MaxLength=10
	Short Word  `json:"short"`
	Bag   Bag   `json:"bag,omitempty"`
	Names Names `json:"names,omitempty"`
}

// Range is two numbers.
type Range struct {
	Low  int32 `json:"low"`
	High int32 `json:"high"`
}

// Word is a text with bounds.
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:XValidation:rule="self != 'xx'",message="xx is no word"
type Word string

// Bag has few properties.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=2
type Bag struct {
	A string `json:"a,omitempty"`
	B string `json:"b,omitempty"`
}

// Names is a list of texts.
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:items:MaxLength=8
// +listType=set
type Names []string
