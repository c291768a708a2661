//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:rbac:urls=/metrics,verbs=get,namespace=cloud-system

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
