//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=a.cloud.example.com,timeoutSeconds=31
// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=b.cloud.example.com,timeoutSeconds=0

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
