// Package v1 has a field of every shape that Go gives an API.
//
// +kubebuilder:object:generate=true
// +groupName=shapes.example.com
package v1
