// Package v1 has types that are no JSON.
// +groupName=cloud.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/elsewhere"
)

// Box holds anything.
type Box[T any] struct {
	Value T `json:"value"`
}

// Runner does something.
type Runner interface{ Run() }

// Disk of a machine.
type Disk struct {
	Size int64 `json:"size"`
}

// Machine has fields that no API has.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Runner  Runner            `json:"runner"`
	Boxed   Box[string]       `json:"boxed"`
	Events  chan string       `json:"events"`
	Inner   struct{ A int }   `json:"inner"`
	Disk    Disc              `json:"disk"`
	Other   elsewhere.Thing   `json:"other"`
	Complex complex128        `json:"complex"`
}
