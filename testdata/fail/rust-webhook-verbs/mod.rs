//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create;updat,groups=apps,resources=deployments,versions=v1,name=a.cloud.example.com
// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=get,groups=apps,resources=deployments,versions=v1,name=b.cloud.example.com
// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create;*,groups=apps,resources=deployments,versions=v1,name=c.cloud.example.com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
