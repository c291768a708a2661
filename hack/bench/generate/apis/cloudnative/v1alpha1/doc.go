// +k8s:deepcopy-gen=package
// +groupName=cloudnative.czs

// Package v1alpha1 holds the VirtualMachine API.
package v1alpha1
