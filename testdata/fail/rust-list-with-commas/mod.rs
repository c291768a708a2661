//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get,list,watch
// +kubebuilder:rbac:groups=apps,resources=deployments,replicasets,verbs=get

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
