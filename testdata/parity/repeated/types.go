// +groupName=parity.example.com
// +versionName=v1
package repeated

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=disk
// +kubebuilder:resource:scope=Cluster
type Disk struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=tapes,singular=tapy,shortName=tp,scope=Cluster,categories=all
// +kubebuilder:resource:shortName=t;ta
type Tape struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
