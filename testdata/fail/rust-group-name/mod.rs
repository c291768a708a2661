//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=Cloud_Example/../com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
