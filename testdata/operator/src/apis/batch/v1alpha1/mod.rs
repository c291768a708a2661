//! `batch.example.com/v1alpha1`.

// +k8s:deepcopy-gen=package
// +groupName=batch.example.com

mod widget;
pub mod zz_generated_conversion;
mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use self::widget::*;
