//! `cache.example.com/v1`.

// +k8s:deepcopy-gen=package
// +groupName=cache.example.com

mod region;
pub mod zz_generated_conversion;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use self::region::*;
