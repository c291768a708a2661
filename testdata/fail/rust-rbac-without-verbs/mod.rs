//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
