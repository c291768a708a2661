//! Validates objects before they are sent, as kube-apiserver does.
//!
//! The generator `validate` implements [`Validate`] for kinds. A kind's schema is compiled on first
//! use. The API server's checks beyond schemas (admission, quotas, existence of referenced objects)
//! are not covered. docs/validation.md lists the limits.

use kube::core::CustomResourceExt;
pub use kube_schema::{FieldError, FieldErrorKind, FieldErrors, Unevaluated, Validator};
use serde::Serialize;
use serde_json::Value;

use crate::json::to_value;

/// Kinds whose objects can be validated without a server.
pub trait Validate: Serialize {
    /// Returns the validator of the kind's schema.
    fn validator() -> &'static Validator;

    /// Validates the object as if it were created.
    ///
    /// # Errors
    /// The violations for which the API server would reject the object, with its messages, and the
    /// rules that were not evaluated.
    fn validate(&self) -> Result<(), FieldErrors> {
        Self::validator().validate(to_json(self)?)
    }

    /// Validates the object as an update of `old`: rules about `oldSelf` apply, and errors in
    /// unchanged values are ignored.
    ///
    /// # Errors
    /// The violations for which the API server would reject the object, with its messages, and the
    /// rules that were not evaluated.
    fn validate_update(&self, old: &Self) -> Result<(), FieldErrors> {
        Self::validator().validate_update(to_json(old)?, to_json(self)?)
    }
}

fn to_json<T: Serialize + ?Sized>(object: &T) -> Result<Value, FieldErrors> {
    to_value(object).map_err(|error| {
        let detail = format!("cannot be written as JSON: {error}");
        let error = FieldError::new("<nil>", FieldErrorKind::Invalid, detail);
        FieldErrors::from(vec![error])
    })
}

/// Creates the validator of a kind from its CRD; for generated code.
#[doc(hidden)]
#[must_use]
pub fn of_crd<K: CustomResourceExt>(version: &str) -> Validator {
    let crd = serde_json::to_value(K::crd()).unwrap_or_default();
    Validator::of_crd(&crd, version).unwrap_or_else(|| Validator::of_version(&Value::Null))
}

/// Creates the validator of a kind from one version of its CRD, as JSON; for generated code.
///
/// # Panics
/// `json` is not valid JSON.
#[doc(hidden)]
#[must_use]
pub fn of_version(json: &str) -> Validator {
    match serde_json::from_str(json) {
        Ok(version) => Validator::of_version(&version),
        Err(error) => panic!("invalid generated schema, regenerate it: {error}"),
    }
}
