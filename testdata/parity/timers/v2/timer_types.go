// Package v2 says in fields what the rule of v1 says in a text.
//
// +kubebuilder:object:generate=true
// +groupName=timers.example.com
package v2

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"parity.example.com/parity/timers/v1"
)

// Part of a rule: a number, a range or a star.
type Part string

// Moments are those when all parts fit.
type Moments struct {
	// Minutes of the hour.
	// +optional
	Minutes *Part `json:"minutes,omitempty"`
	// Hours of the day.
	// +optional
	Hours *Part `json:"hours,omitempty"`
	// Days of the month.
	// +optional
	Days *Part `json:"days,omitempty"`
	// Months of the year.
	// +optional
	Months *Part `json:"months,omitempty"`
	// Weekdays of the week.
	// +optional
	Weekdays *Part `json:"weekdays,omitempty"`
}

// Reference is another name of a struct of another package.
type Reference = corev1.LocalObjectReference

// TimerSpec is when to run, and what.
type TimerSpec struct {
	// Moments when to run: `rule` of v1.
	Moments Moments `json:"moments"`

	// Grace is how late a run may start: `graceSeconds` of v1.
	// +optional
	Grace *metav1.Duration `json:"grace,omitempty"`

	// Overlap says what becomes of a run while another is under way.
	// +optional
	// +kubebuilder:default:=Wait
	Overlap v1.OverlapPolicy `json:"overlap,omitempty"`

	// Paused is `suspend` of v1.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// Job is `template` of v1; the server takes any.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Job batchv1.JobTemplateSpec `json:"job"`

	// Keep is how many runs are kept: `keepSucceeded` and `keepFailed` of v1.
	// +optional
	Keep Keep `json:"keep,omitzero"`
}

// Keep is how many runs are kept.
type Keep struct {
	// Succeeded runs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Succeeded *int32 `json:"succeeded,omitempty"`
	// Failed runs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed *int32 `json:"failed,omitempty"`
}

// TimerStatus is what the timer has done.
type TimerStatus struct {
	// Runs that are under way, by name: `active` of v1.
	// +optional
	// +listType=map
	// +listMapKey=name
	Runs []Run `json:"runs,omitempty"`
	// LastRun is when the last run was due.
	// +optional
	LastRun *metav1.MicroTime `json:"lastRun,omitempty"`
	// Owner of the timer.
	// +optional
	Owner *Reference `json:"owner,omitempty"`
}

// Run is one that is under way.
type Run struct {
	corev1.LocalObjectReference `json:",inline"`
	// Since when.
	// +required
	Since metav1.Time `json:"since,omitzero"`
}

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tm,categories=all

// Timer runs jobs at set times.
type Timer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   TimerSpec   `json:"spec"`
	Status TimerStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// TimerList lists timers.
type TimerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Timer `json:"items"`
}
