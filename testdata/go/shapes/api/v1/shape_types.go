package v1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/shapes/api/shared"
)

// Policy says what to do.
// +kubebuilder:validation:Enum=Allow;Forbid
type Policy string

const (
	// PolicyAllow lets it pass.
	PolicyAllow Policy = "Allow"
	// PolicyForbid does not.
	PolicyForbid Policy = "Forbid"
)

// Name of a part.
// +kubebuilder:validation:MaxLength=63
type Name string

// Names of parts.
// +listType=set
type Names []Name

// Level writes itself.
type Level struct{ value int }

// MarshalText writes a level as text.
func (l Level) MarshalText() ([]byte, error) { return nil, nil }

// UnmarshalText reads a level.
func (l *Level) UnmarshalText([]byte) error { return nil }

// Node may hold others of its kind.
type Node struct {
	// Label of the node.
	Label string `json:"label"`
	// Next node.
	// +optional
	Next *Node `json:"next,omitempty"`
	// Children of the node.
	// +optional
	Children []Node `json:"children,omitempty"`
}

// Choice is one thing of several, or another choice.
//
// +kubebuilder:validation:ExactlyOneOf=next;reference;text
type Choice struct {
	// Next choice.
	// +optional
	Next *Choice `json:"next,omitempty"`
	// Reference to an object.
	// +optional
	Reference *shared.Reference `json:"reference,omitempty"`
	// Text in place of it.
	// +optional
	Text *string `json:"text,omitempty"`
}

// ShapeSpec is what a shape should be.
type ShapeSpec struct {
	shared.Common `json:",inline"`

	// Text is always written.
	Text string `json:"text"`
	// Flag is always written.
	Flag bool `json:"flag"`
	// Count is as wide as the platform.
	Count int `json:"count"`
	// Small is unsigned.
	Small uint8 `json:"small"`
	// Large number.
	// +kubebuilder:validation:Minimum=0
	Large int64 `json:"large"`
	// Ratio of something.
	Ratio float64 `json:"ratio"`
	// List is null in Go when it is nil.
	List []string `json:"list"`
	// Map is null in Go when it is nil.
	Map map[string]string `json:"map"`
	// Pointer is null in Go when it is nil.
	Pointer *string `json:"pointer"`
	// Required, and left out when empty.
	// +required
	Required string `json:"required,omitempty"`
	// Policy of the shape.
	Policy Policy `json:"policy"`
	// Fallback policy.
	// +kubebuilder:default=Forbid
	// +optional
	Fallback Policy `json:"fallback,omitempty"`
	// Names of its parts.
	// +optional
	Names Names `json:"names,omitempty"`
	// ByName maps parts.
	// +optional
	ByName map[Name]shared.Reference `json:"byName,omitempty"`
	// Data is base64.
	// +optional
	Data []byte `json:"data,omitempty"`
	// Port is a number or a name.
	// +optional
	Port *intstr.IntOrString `json:"port,omitempty"`
	// Quantity of it.
	// +optional
	Quantity *resource.Quantity `json:"quantity,omitempty"`
	// Timeout is a duration.
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// Since is null in Go when it is zero.
	Since metav1.Time `json:"since"`
	// Level writes itself.
	// +optional
	Level *Level `json:"level,omitempty"`
	// Tree of nodes.
	// +optional
	Tree *Node `json:"tree,omitempty"`
	// Choice of a thing.
	// +optional
	Choice *Choice `json:"choice,omitempty"`
	// Zero is left out when it is zero.
	// +optional
	Zero shared.Reference `json:"zero,omitzero"`
	// Selector of pods.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Limits of resources.
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`
	// Protocol of the port.
	// +optional
	Protocol corev1.Protocol `json:"protocol,omitempty"`
	// Template of pods.
	// +optional
	Template *corev1.PodTemplateSpec `json:"template,omitempty"`
	// Raw object.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw *runtime.RawExtension `json:"raw,omitempty"`
	// Any JSON.
	// +optional
	Any *apiextensionsv1.JSON `json:"any,omitempty"`
	// Hidden is no part of the API.
	Hidden string `json:"-"`
}

// ShapeStatus is what a shape is.
type ShapeStatus struct {
	// ObservedGeneration of the spec.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the shape.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Shape has a field of every shape.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sh
// +kubebuilder:printcolumn:name="Text",type=string,JSONPath=`.spec.text`
type Shape struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec of the shape.
	Spec ShapeSpec `json:"spec"`
	// Status of the shape.
	// +optional
	Status ShapeStatus `json:"status,omitempty"`
}

// ShapeList lists shapes.
//
// +kubebuilder:object:root=true
type ShapeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Shape `json:"items"`
}
