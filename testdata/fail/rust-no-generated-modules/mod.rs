//! Machines.

// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

mod types;

pub use types::*;
