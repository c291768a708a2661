// Package v1 is the version of timers that all others are converted to and from.
//
// +kubebuilder:object:generate=true
// +groupName=timers.example.com
package v1

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OverlapPolicy says what becomes of a run that is due while another is under way.
// Exactly one of them holds; the default is Wait.
// +kubebuilder:validation:Enum=Wait;Skip;Stop
type OverlapPolicy string

const (
	// OverlapWait starts it when the other has ended.
	OverlapWait OverlapPolicy = "Wait"

	// OverlapSkip never starts it.
	OverlapSkip OverlapPolicy = "Skip"

	// OverlapStop ends the other at once.
	OverlapStop OverlapPolicy = "Stop"
)

// TimerSpec is when to run, and what.
type TimerSpec struct {
	// INSERT ADDITIONAL FIELDS HERE: this paragraph is documentation like any other.

	// Rule says when, in the five fields of crontab(5).
	// +kubebuilder:validation:MinLength=0
	Rule string `json:"rule"`

	// GraceSeconds is how late a run may start; later ones count as missed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	GraceSeconds *int64 `json:"graceSeconds,omitempty"`

	// Overlap says what becomes of a run while another is under way.
	// Valid values are:
	// - "Wait" (default): starts it when the other has ended;
	// - "Skip": never starts it;
	// - "Stop": ends the other at once.
	// +optional
	// +kubebuilder:default:=Wait
	Overlap OverlapPolicy `json:"overlap,omitempty"`

	// Suspend stops later runs, not those that are under way. It defaults to false.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// Template of each run.
	Template batchv1.JobTemplateSpec `json:"template"`

	// KeepSucceeded is how many runs are kept; a pointer, so that zero is told apart from nothing.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	KeepSucceeded *int32 `json:"keepSucceeded,omitempty"`

	// KeepFailed is how many runs are kept that failed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=1
	KeepFailed *int32 `json:"keepFailed,omitempty"`

	// Zones in which the rule holds.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	Zones []string `json:"zones,omitempty"`
}

// TimerStatus is what the timer has done.
type TimerStatus struct {
	// Active runs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Active []corev1.ObjectReference `json:"active,omitempty"`

	// LastRun is when the last run was due.
	// +optional
	LastRun *metav1.Time `json:"lastRun,omitempty"`

	// Conditions of the timer.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=tm,categories=all
// +kubebuilder:printcolumn:name="Rule",type=string,JSONPath=`.spec.rule`
// +kubebuilder:printcolumn:name="Last",type=date,JSONPath=`.status.lastRun`

// Timer runs jobs at set times.
type Timer struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// Spec is when to run, and what.
	// +required
	Spec TimerSpec `json:"spec"`

	// Status is what the timer has done.
	// +optional
	Status TimerStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// TimerList lists timers.
type TimerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Timer `json:"items"`
}
