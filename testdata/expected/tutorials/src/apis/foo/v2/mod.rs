//! Foos, in the version v2.

// +k8s:deepcopy-gen=package
// +groupName=foo.example.com

mod types;
pub mod zz_generated_conversion;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
