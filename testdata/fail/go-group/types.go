package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Machine belongs to no group.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
