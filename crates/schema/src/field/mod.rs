//! Field paths and field errors (`k8s.io/apimachinery/pkg/util/validation/field`), with values
//! formatted as in Go.

mod error;
mod path;
mod text;

pub use error::{Cause, FieldError, FieldErrorKind};
pub use path::Path;
pub use text::{go_float, go_json, go_plain, go_quote};
