// +groupName=cloud.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              MachineSpec `json:"spec,omitempty"`
}

type MachineSpec struct {
	// +kubebuilder:validation:Type=banana
	Image string `json:"image"`
	// +kubebuilder:validation:Pattern=`(`
	Name string `json:"name"`
}
