//! Documents, declared with kube's own derive.

mod plate;
mod press;
mod types;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use plate::*;
pub use press::*;
pub use types::*;
