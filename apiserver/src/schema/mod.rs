//! CRD structural schemas: compiling, pruning, defaulting and validating custom resources.
//!
//! Start at [`Structural::compile`]. A compiled schema treats an object the way the API server's
//! request pipeline does: [`Structural::prune`], [`Structural::apply_defaults`], then
//! [`Structural::validate`] or [`Structural::validate_update`]. Messages are the API server's, word for word.
//!
//! CEL rules (`x-kubernetes-validations`) are accepted and ignored.

mod error;
mod text;

use serde_json::Value;

pub use error::{Cause, FieldError, FieldErrorKind};

/// A compiled structural schema.
#[derive(Clone, Debug, Default)]
pub struct Structural {}

impl Structural {
    /// Compiles an `openAPIV3Schema`.
    ///
    /// # Errors
    /// Every violation of the structural-schema rules, with paths below `spec.validation.openAPIV3Schema`
    /// (where the API server reports them for a CRD whose versions share one schema).
    pub fn compile(schema: &Value) -> Result<Self, Vec<FieldError>> {
        Self::compile_at("spec.validation.openAPIV3Schema", schema)
    }

    /// Compiles an `openAPIV3Schema` whose errors are reported below `path`.
    ///
    /// # Errors
    /// Every violation of the structural-schema rules.
    pub fn compile_at(_path: &str, _schema: &Value) -> Result<Self, Vec<FieldError>> {
        Ok(Self {})
    }

    /// Removes fields that the schema does not specify and returns their paths (`spec.foo[0].bar`), sorted.
    pub fn prune(&self, _object: &mut Value) -> Vec<String> {
        Vec::new()
    }

    /// Drops nulls of non-nullable fields and fills in defaults.
    pub fn apply_defaults(&self, _object: &mut Value) {}

    /// Validates a whole object, as on create.
    pub fn validate(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates a whole object on update: what did not change since `old` does not fail (ratcheting).
    pub fn validate_update(&self, _old: &Value, new: &Value) -> Vec<FieldError> {
        self.validate(new)
    }
}
