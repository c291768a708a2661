//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:rbac:groups=apps,urls=/metrics,verbs=get
// +kubebuilder:rbac:resourceNames=a,urls=/metrics,verbs=get

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
