// +groupName=parity.example.com
// +versionName=v1
package embedding

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"time"
)

// +kubebuilder:object:root=true
type Box struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              BoxSpec `json:"spec,omitempty"`
}

// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=3
type BoxSpec struct {
	Inner `json:",inline"`
	B     string       `json:"b,omitempty"`
	Same  Same         `json:"same,omitempty"`
	Month time.Month   `json:"month,omitempty"`
	Day   time.Weekday `json:"day,omitempty"`
	// Described.
	Day2 time.Weekday  `json:"day2,omitempty"`
	D    Interval      `json:"d,omitempty"`
	D2   Interval2     `json:"d2,omitempty"`
	D3   time.Duration `json:"d3,omitempty"`
	D4   *Interval     `json:"d4,omitempty"`
	D5   []Interval2   `json:"d5,omitempty"`
	M    MonthOf       `json:"m,omitempty"`
	Obj  Same          `json:"obj,omitempty"`
}
type Interval time.Duration

// Interval2 is documented.
type Interval2 time.Duration
type MonthOf time.Month

// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=2
type Inner struct {
	A string `json:"a,omitempty"`
}

// +kubebuilder:validation:MinProperties=1
type Same struct {
	Inner `json:",inline"`
	C     string `json:"c,omitempty"`
}
