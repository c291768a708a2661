// +groupName=parity.example.com
// +versionName=v1
package recursion

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Tree struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PatternExpressionOrSpec `json:"spec,omitempty"`
	Other             OtherSpec               `json:"other,omitempty"`
	Third             Third                   `json:"third,omitempty"`
}

// A.
type PatternExpressionOrSpec struct {
	Name string `json:"name,omitempty"`
	// All of them.
	All []B `json:"all,omitempty"`
	// Any of them.
	Any []B `json:"any,omitempty"`
}

// B doc.
type B struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	PatternExpressionOrSpec `json:",inline"`
}
type OtherSpec struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	Next *OtherSpec `json:"next,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Free *OtherSpec `json:"free,omitempty"`
}
type Third struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	Kids []ThirdNode `json:"kids,omitempty"`
	Size int32       `json:"size,omitempty"`
}

// +kubebuilder:pruning:PreserveUnknownFields
type ThirdNode struct {
	Third `json:",inline"`
	Label string `json:"label"`
}
