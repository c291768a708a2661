//! Samples, which show every way in which an API server merges what is applied.

// +k8s:deepcopy-gen=package
// +groupName=merging.example.com

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
