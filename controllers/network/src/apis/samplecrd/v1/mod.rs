//! Networks, as the samplecrd API serves them.

// +k8s:deepcopy-gen=package
// +groupName=samplecrd.k8s.io

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
