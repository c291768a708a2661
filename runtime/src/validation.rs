//! Validation of objects before they are sent, as kube-apiserver validates them.
//!
//! The generator `validate` implements [`Validate`] for kinds: their schema is compiled when it is first used. What the API server
//! checks beyond schemas (admission, quotas, whether references exist) is not known here. docs/validation.md lists the limits.

use kube::core::CustomResourceExt;
pub use kube_schema::{FieldError, FieldErrorKind, FieldErrors, Unevaluated, Validator};
use serde::Serialize;
use serde_json::Value;

/// Kinds whose objects can be validated without a server.
pub trait Validate: Serialize {
    /// The validator by their schema.
    fn validator() -> &'static Validator;

    /// Validates the object as if it were created.
    ///
    /// # Errors
    /// The violations for which the API server would refuse it, in its words, and the rules that were not evaluated.
    fn validate(&self) -> Result<(), FieldErrors> {
        Self::validator().validate(to_json(self)?)
    }

    /// Validates the object as if it replaced another one: rules about `oldSelf` hold, and errors in values that did not change are
    /// forgiven.
    ///
    /// # Errors
    /// The violations for which the API server would refuse it, in its words, and the rules that were not evaluated.
    fn validate_update(&self, old: &Self) -> Result<(), FieldErrors> {
        Self::validator().validate_update(to_json(old)?, to_json(self)?)
    }
}

fn to_json<T: Serialize + ?Sized>(object: &T) -> Result<Value, FieldErrors> {
    serde_json::to_value(object).map_err(|error| {
        let detail = format!("cannot be written as JSON: {error}");
        let error = FieldError::new("<nil>", FieldErrorKind::Invalid, detail);
        FieldErrors::from(vec![error])
    })
}

/// The validator of a kind by its CRD; for generated code.
#[doc(hidden)]
#[must_use]
pub fn of_crd<K: CustomResourceExt>(version: &str) -> Validator {
    let crd = serde_json::to_value(K::crd()).unwrap_or_default();
    Validator::of_crd(&crd, version).unwrap_or_else(|| Validator::of_version(&Value::Null))
}

/// The validator of a kind by a version of its CRD, as JSON; for generated code.
///
/// # Panics
/// For a text that is not JSON.
#[doc(hidden)]
#[must_use]
pub fn of_version(json: &str) -> Validator {
    match serde_json::from_str(json) {
        Ok(version) => Validator::of_version(&version),
        Err(error) => panic!("the generated schema cannot be read, generate it anew: {error}"),
    }
}
