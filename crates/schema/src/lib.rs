//! CRD structural schemas: compiles them, and prunes, defaults and validates custom resources like
//! kube-apiserver.
//!
//! Start reading at [`Structural::compile`]. A compiled schema processes an object as the API
//! server's request pipeline does: [`Structural::prune`], [`Structural::apply_defaults`], then
//! [`Structural::validate`] or [`Structural::validate_update`]; [`Validator`] does all of it for
//! one version of a CRD. Messages are the API server's, word for word; errors that the server lists
//! in the random order of a Go map are sorted by name here.
//!
//! # Limits
//! CEL rules (`x-kubernetes-validations`) are evaluated with the feature `cel`; [`FieldErrors`]
//! lists those that apply but were not evaluated. A schema document that Go's decoder would refuse
//! (with a number in place of a string) is refused with a field error of our own wording. One
//! validation reports at most a thousand value errors.

/// Defines a table of test cases: calls a check with each row. Keeps one row per line, which
/// rustfmt would not.
#[cfg(test)]
macro_rules! rows {
    ($check:ident: $($row:tt),+ $(,)?) => {
        $($check $row;)+
    };
}

#[cfg(feature = "cel")]
pub mod cel;
pub mod definition;
pub mod field;

mod build;
mod check_complete;
mod check_defaults;
mod check_openapi;
mod check_structural;
mod defaults;
mod embedded;
mod errors;
mod formats;
pub mod json_path;
mod keywords;
mod lists;
mod metadata;
mod node;
mod pattern;
mod props;
mod prune;
mod rule;
mod rules;
mod structural;
mod types;
mod validate;
mod validator;

pub use defaults::DefaultsTooLarge;
pub use errors::{FieldErrors, Unevaluated};
pub use field::{Cause, FieldError, FieldErrorKind};
pub use keywords::{Form, KEYWORDS, Keyword, Role};
pub use metadata::{DecodeMetadata, check_object_metadata, keep as keep_metadata};
pub use node::{Additional, Schema};
#[cfg(feature = "cel")]
pub use rules::walk::{Charge, RuleFault, RuleFinding, walk_rules};
pub use structural::Structural;
pub use types::{Kind, ListType, Types};
pub use validator::{Validator, check_counts};
