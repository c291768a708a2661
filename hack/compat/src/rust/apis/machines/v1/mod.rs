// +k8s:deepcopy-gen=package
// +groupName=machines.example.com
//! Machines, in annotated Rust.

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;
mod zz_generated_validate;

pub use types::*;
