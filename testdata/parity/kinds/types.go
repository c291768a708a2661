// +groupName=parity.example.com
package kinds

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type PlainSpec struct {
	// A text with a value of its own. Readers see this sentence. And this one, which is cut where descriptions are short
	// +kubebuilder:default=quiet
	// +kubebuilder:example=loud
	Mode string `json:"mode"`
}

type PlainStatus struct{}

// A plain kind, marked by nothing.
type Plain struct {
	// The type is not described.
	metav1.TypeMeta `json:",inline"`
	// The metadata is not described.
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What it should be.
	Spec PlainSpec `json:"spec,omitempty"`
	// What it is.
	Status PlainStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=rigs,singular=one-rig,shortName=rg;r,categories=all;tools,scope=Cluster
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`,description="how many",format=int32,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:selectablefield:JSONPath=`.spec.zone`
// +kubebuilder:metadata:annotations="a.example.com/b=c=d";"e=f",labels="tier=one"
// +kubebuilder:metadata:labels="z=9"
// +kubebuilder:deprecatedversion:warning="use Plain"

// Rig has everything that markers on a kind write.
type Rig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RigSpec   `json:"spec"`
	Status RigStatus `json:"status,omitempty"`
}

type RigSpec struct {
	Replicas int32 `json:"replicas"`
	// Zone is where it stands.
	// TODO: not for readers
	//
	//
	// One empty line above.
	// ```
	// TODO: kept in a fence
	// ```
	// ---
	// Not for readers either.
	Zone string `json:"zone"`
}

type RigStatus struct {
	Replicas int32  `json:"replicas,omitempty"`
	Selector string `json:"selector,omitempty"`
}

// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.zone`
// +kubebuilder:deprecatedversion

// Columns has columns and no subresource.
type Columns struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Zone string `json:"zone,omitempty"`
}
