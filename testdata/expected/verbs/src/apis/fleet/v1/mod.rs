//! Kinds whose clients offer some verbs only, or more than the usual ones.

// +k8s:deepcopy-gen=package
// +groupName=fleet.example.com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
