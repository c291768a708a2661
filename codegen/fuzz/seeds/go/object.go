// Package v1 has an object.
// +groupName=example.com
// +versionName=v1
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Widget is an object.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size
// +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=.spec.size
// +kubebuilder:resource:path=widgets,scope=Cluster,shortName=w;wi
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

// Mode has two values.
// +kubebuilder:validation:Enum=Fast;Slow
// +kubebuilder:default=Fast
type Mode string

const (
	// Fast is the first.
	Fast Mode = "Fast"
	Slow Mode = "Slow"
)

// +kubebuilder:validation:ExactlyOneOf=a;b
type Choice struct {
	A *string `json:"a,omitempty"`
	B *int64  `json:"b,omitempty"`
}

type WidgetSpec struct {
	Choice `json:",inline"`
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Size int32 `json:"size"`
	// +optional
	Mode Mode `json:"mode,omitempty"`
	// +listType=map
	// +listMapKey=name
	Ports []corev1.ContainerPort `json:"ports,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="fixed"
	Limits map[corev1.ResourceName]resource.Quantity `json:"limits,omitempty"`
	Port   *intstr.IntOrString                       `json:"port,omitempty"`
	// +k8s:immutable
	// +kubebuilder:validation:items:MaxLength=3
	Names []string                `json:"names"`
	Data  []byte                  `json:"data,omitempty"`
	Pod   *corev1.PodTemplateSpec `json:"pod,omitempty"`
	Next  *WidgetSpec             `json:"-"`
	Any   any                     `json:"any,omitempty"`
}

type WidgetStatus struct {
	Size       int32              `json:"size,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Seen       metav1.Time        `json:"seen,omitempty"`
}
