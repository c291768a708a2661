//! Rules that the API server refuses, which controller-gen writes.

// +kubebuilder:rbac:groups=,resources=configmaps,verbs=get
// +kubebuilder:rbac:resources=grouplesses,verbs=list
// +kubebuilder:rbac:groups=apps,resources=,verbs=create
// +kubebuilder:rbac:groups=apps,resources=deployments,urls=/metrics,verbs=get
