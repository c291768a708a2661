//! Kinds whose names hold acronyms, in a group whose name holds a hyphen.

// +k8s:deepcopy-gen=package
// +groupName=traffic-control.example.com
// +groupGoName=TrafficControl

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
