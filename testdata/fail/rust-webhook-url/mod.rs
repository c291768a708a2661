//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

// +kubebuilder:webhook:mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=a.cloud.example.com,url="http://hooks.example.com/a"
// +kubebuilder:webhook:mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=b.cloud.example.com,url="https://user@hooks.example.com/a"
// +kubebuilder:webhook:mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=c.cloud.example.com,url="https://hooks.example.com/a#b"
// +kubebuilder:webhook:mutating=true,failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create,groups=apps,resources=deployments,versions=v1,name=d.cloud.example.com,url="https://hooks.example.com/a",serviceName=hooks

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
