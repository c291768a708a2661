//! `{{group}}/{{version}}`.

// +k8s:deepcopy-gen=package
// +groupName={{group}}

mod {{types_module}};
{{conversion_module}}mod zz_generated_deepcopy;
pub mod zz_generated_register;

pub use self::{{types_module}}::*;
