//! The sample controller's API.

// +k8s:deepcopy-gen=package
// +groupName=samplecontroller.k8s.io

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
