//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.k8s.io

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
