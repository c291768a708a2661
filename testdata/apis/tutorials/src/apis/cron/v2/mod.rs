//! Jobs that run at times, in the version v2.

// +k8s:deepcopy-gen=package
// +groupName=cron.example.com

mod decisions;
mod types;
pub mod zz_generated_conversion;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
