package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'never'"

// Holiday is when no timer runs.
type Holiday struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Days of the year, such as 12-25.
	// +listType=set
	Days []string `json:"days"`

	// Zone in which they are.
	// +optional
	// +k8s:immutable
	Zone Zone `json:"zone,omitempty"`
}

// Zone of the earth.
// +kubebuilder:validation:MaxLength=64
type Zone string

// +kubebuilder:object:root=true

// HolidayList lists holidays.
type HolidayList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Holiday `json:"items"`
}
