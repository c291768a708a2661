//! Virtual machines, as the cloudnative API serves them.

// +k8s:deepcopy-gen=package
// +groupName=cloudnative.czs

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;
mod zz_generated_validate;

pub use types::*;
