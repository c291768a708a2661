// +groupName=parity.example.com
// +versionName=v1
package plurals

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DiskQuota bounds disks.
// +kubebuilder:object:root=true
type DiskQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DiskQuotaSpec `json:"spec,omitempty"`
}

// DiskQuotaList is a list of DiskQuota.
// +kubebuilder:object:root=true
type DiskQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DiskQuota `json:"items"`
}

// WithIndex has an index. What its markers of client-gen say is nothing to controller-gen.
// +kubebuilder:object:root=true
// +genclient
// +genclient:nonNamespaced
// +resourceName=indexed
type WithIndex struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WithIndexSpec `json:"spec,omitempty"`
}

// WithIndexList is a list of WithIndex.
// +kubebuilder:object:root=true
type WithIndexList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WithIndex `json:"items"`
}

type DiskQuotaSpec struct {
	Size string `json:"size,omitempty"`
}

type WithIndexSpec struct {
	Path string `json:"path,omitempty"`
}
