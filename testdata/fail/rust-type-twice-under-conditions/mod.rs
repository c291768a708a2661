//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
