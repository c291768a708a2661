package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Usage_Tcp has a name as protoc-gen-go gives nested messages.
type Usage_Tcp struct {
	// Connections that are open.
	Connections int32 `json:"connections"`
}

// Usage is measured rather than declared, so that its values stand at the root.
// +genclient
// +kubebuilder:object:root=true
type Usage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Timestamp of the measurement.
	Timestamp metav1.Time `json:"timestamp"`
	// Window that was measured.
	Window metav1.Duration `json:"window"`
	// TCP of the shape.
	Tcp Usage_Tcp `json:"tcp"`
}

// UsageList is a list of Usages.
// +kubebuilder:object:root=true
type UsageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Usage `json:"items"`
}
