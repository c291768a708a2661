//! Debugging tools, as `tools.jicki.cn` serves them.

// +k8s:deepcopy-gen=package
// +groupName=tools.jicki.cn

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
