package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"parity.example.com/parity/timers/v1"
)

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion

// Holiday is that of v1.
type Holiday v1.Holiday

// +kubebuilder:object:root=true

// HolidayList lists holidays.
type HolidayList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Holiday `json:"items"`
}
