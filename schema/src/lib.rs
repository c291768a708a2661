//! CRD structural schemas: compiling, pruning, defaulting and validating custom resources as kube-apiserver does.
//!
//! Start at [`Structural::compile`]. A compiled schema treats an object the way the API server's request pipeline
//! does: [`Structural::prune`], [`Structural::apply_defaults`], then [`Structural::validate`] or
//! [`Structural::validate_update`]; [`Validator`] does all of it for one version of a CRD. Messages are the API server's, word for word; where the server lists errors in
//! the random order of a Go map, these come in the order of names.
//!
//! # Limits
//! CEL rules (`x-kubernetes-validations`) are evaluated with the feature `cel`; [`FieldErrors`] lists those that apply and were not
//! evaluated. A schema document that Go's
//! decoder would refuse (a number where a string belongs) is refused with a field error of our own wording. One
//! validation reports a thousand errors of values at most.

/// A table of cases: calls a test's check with each row, on a line of its own whatever rustfmt would make of the call.
#[cfg(test)]
macro_rules! rows {
    ($check:ident: $($row:tt),+ $(,)?) => {
        $($check $row;)+
    };
}

#[cfg(feature = "cel")]
pub mod cel;
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
mod lists;
mod metadata;
mod node;
mod pattern;
mod props;
mod prune;
mod rules;
mod structural;
mod validate;
mod validator;

pub use errors::{FieldErrors, Unevaluated};
pub use field::{Cause, FieldError, FieldErrorKind};
pub use metadata::{DecodeMetadata, check_object_metadata};
pub use node::{Additional, Kind, ListType, Schema, Types};
pub use structural::Structural;
pub use validator::{Validator, check_counts};
