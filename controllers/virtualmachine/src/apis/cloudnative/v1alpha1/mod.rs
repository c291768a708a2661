//! Virtual machines, as the cloudnative API serves them.

// +k8s:deepcopy-gen=package
// +groupName=cloudnative.czs

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
