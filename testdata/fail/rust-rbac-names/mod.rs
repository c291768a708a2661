//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get,namespace=Cloud_System
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get,roleName=cloud/manager

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
