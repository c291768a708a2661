//! Documents, with kube's own derive.

mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use types::*;
