//! Orders, in the version that is stored.

// +k8s:deepcopy-gen=package
// +groupName=shop.example.com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
