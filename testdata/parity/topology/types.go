// +groupName=parity.example.com
// +versionName=v1
package topology

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Topology is applied by several.
// +kubebuilder:object:root=true
type Topology struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TopologySpec `json:"spec,omitempty"`
}

// TopologyList is a list of Topology.
// +kubebuilder:object:root=true
type TopologyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Topology `json:"items"`
}

type TopologySpec struct {
	// +listType=map
	// +listMapKey=name
	// +listMapKey=zone
	Keyed []Entry `json:"keyed"`
	// +listType=map
	// +listMapKey=zone
	// +listMapKey=name
	// +k8s:listType=map
	// +k8s:listMapKey=zone
	// +k8s:listMapKey=name
	Twice []Entry `json:"twice,omitempty"`
	// +listType=set
	Set []string `json:"set,omitempty"`
	// +listType=atomic
	Whole []Entry `json:"whole,omitempty"`
	// +mapType=granular
	Granular map[string][]byte `json:"granular,omitempty"`
	// +mapType=atomic
	Atomic map[string]string `json:"atomic,omitempty"`
	// +structType=atomic
	Struct Entry `json:"struct,omitempty"`
	Typed  Typed `json:"typed,omitempty"`
	// +structType=granular
	Both  Typed   `json:"both,omitempty"`
	Lists Entries `json:"lists,omitempty"`
}

type Entry struct {
	Name string `json:"name"`
	// +kubebuilder:default=here
	Zone string `json:"zone"`
	Size int    `json:"size,omitempty"`
}

// +structType=atomic
type Typed struct {
	Name string `json:"name,omitempty"`
}

// +listType=map
// +listMapKey=name
type Entries []Entry
