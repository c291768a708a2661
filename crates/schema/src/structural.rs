//! A compiled schema and its operations on objects.

use std::sync::Arc;

use serde_json::Value;

use crate::defaults::DefaultsTooLarge;
use crate::errors::FieldErrors;
use crate::field::{FieldError, FieldErrorKind, Path};
use crate::metadata::{self, DecodeMetadata};
use crate::node::Schema;
use crate::props::{self, Props};
use crate::rules;
use crate::{
    build, check_defaults, check_openapi, check_structural, defaults, embedded, lists, prune,
    validate,
};

/// A compiled structural schema. Clones share it.
#[derive(Clone, Debug)]
pub struct Structural {
    root: Arc<Schema>,
    decode: DecodeMetadata,
}

impl Structural {
    /// Compiles an `openAPIV3Schema`.
    ///
    /// # Errors
    /// Every violation of the structural-schema rules, with paths below
    /// `spec.validation.openAPIV3Schema` (where the API server reports them for a CRD whose
    /// versions share one schema).
    pub fn compile(schema: &Value) -> Result<Self, Vec<FieldError>> {
        Self::compile_at("spec.validation.openAPIV3Schema", schema)
    }

    /// Compiles an `openAPIV3Schema` whose errors are reported below `path`
    /// (`spec.versions[1].schema.openAPIV3Schema`).
    ///
    /// # Errors
    /// Every violation of the structural-schema rules.
    pub fn compile_at(path: &str, schema: &Value) -> Result<Self, Vec<FieldError>> {
        Self::compile_with(path, schema, metadata::keep)
    }

    /// Like [`compile_at`](Self::compile_at), with a decoder of object metadata.
    ///
    /// # Errors
    /// Every violation of the structural-schema rules.
    pub fn compile_with(
        path: &str,
        schema: &Value,
        decode: DecodeMetadata,
    ) -> Result<Self, Vec<FieldError>> {
        let path = Path::root(path);
        let mut errors = Vec::new();
        props::check_shape(schema, &path, &mut errors);
        let Some(props) = Props::new(schema).filter(|_| errors.is_empty()) else {
            return Err(errors);
        };
        let unsupported = check_structural::unsupported(props);
        if unsupported.is_none() {
            errors = check_structural::check_structural(props, &path);
        }
        let root = build::Builder::default().build(props);
        if errors.is_empty() && unsupported.is_none() {
            errors = check_defaults::check_defaults(decode, &root, &path);
        }
        errors.extend(check_openapi::check_openapi(props, &path));
        if let Some(detail) = unsupported.filter(|_| errors.is_empty()) {
            errors.push(FieldError::with_value(
                path.field(),
                FieldErrorKind::Invalid,
                "".into(),
                detail,
            ));
        }
        if errors.is_empty() {
            Ok(Self {
                root: Arc::new(root),
                decode,
            })
        } else {
            Err(errors)
        }
    }

    /// Returns why an `openAPIV3Schema` is not structural, with paths below `path`; nothing if it
    /// has another shape than a schema. Defaults, patterns and other values are not checked.
    #[must_use]
    pub fn check_form(path: &str, schema: &Value) -> Vec<FieldError> {
        let path = Path::root(path);
        let mut errors = Vec::new();
        props::check_shape(schema, &path, &mut errors);
        let Some(props) = Props::new(schema).filter(|_| errors.is_empty()) else {
            return Vec::new();
        };
        match check_structural::unsupported(props) {
            Some(detail) => {
                let (kind, value) = (FieldErrorKind::Invalid, "".into());
                vec![FieldError::with_value(path.field(), kind, value, detail)]
            }
            None => check_structural::check_structural(props, &path),
        }
    }

    /// Returns the violations of the rules of a valid `openAPIV3Schema`: their expressions and
    /// estimated costs, as the server checks them. Errors are reported below `path`.
    #[cfg(feature = "cel")]
    #[must_use]
    pub fn check_rules(path: &str, schema: &Value) -> Vec<FieldError> {
        let path = Path::root(path);
        Props::new(schema)
            .map(|root| rules::check_cel::check_cel(root, &path))
            .unwrap_or_default()
    }

    /// Removes fields that the schema does not specify and returns their paths (`spec.foo[0].bar`),
    /// sorted, in the form of strict decoding errors.
    ///
    /// apiVersion, kind and metadata of the object and of embedded resources are implicit; unknown
    /// fields *inside* metadata are removed and reported too.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune::prune_root(self.decode, &self.root, object)
    }

    /// Returns the error of decoding an object whose metadata, or an embedded resource's, has the
    /// wrong types. The server answers such a request with 400 `BadRequest`.
    pub fn decode_error(&self, object: &Value) -> Option<String> {
        let metadata = object
            .get("metadata")
            .and_then(|metadata| metadata::decode_error(self.decode, metadata));
        metadata.or_else(|| self.embedded_error(object))
    }

    /// Returns the error of decoding the embedded resources of an object whose own metadata is
    /// decoded.
    pub fn embedded_error(&self, object: &Value) -> Option<String> {
        let error = embedded::decode_error(self.decode, &self.root, &Path::root(""), object);
        error.map(|error| error.to_string())
    }

    /// Drops nulls of fields that are neither nullable nor defaulted, then fills in defaults.
    pub fn apply_defaults(&self, object: &mut Value) {
        self.drop_nulls(object);
        self.fill_defaults(object);
    }

    /// Fills in defaults, also for nulls; other nulls that are not allowed stay, for validation to
    /// report.
    pub fn fill_defaults(&self, object: &mut Value) {
        let mut unlimited = usize::MAX;
        // Memory ends before this budget does.
        defaults::fill(&self.root, object, &mut unlimited).ok();
    }

    /// Applies defaults as [`Structural::apply_defaults`] does, up to a number of bytes.
    ///
    /// # Errors
    /// If the defaults are larger; those that exceed the limit are missing then.
    pub fn apply_defaults_within(
        &self,
        object: &mut Value,
        mut bytes: usize,
    ) -> Result<(), DefaultsTooLarge> {
        self.drop_nulls(object);
        defaults::fill(&self.root, object, &mut bytes)
    }

    /// Drops nulls of fields that are neither nullable nor defaulted.
    pub fn drop_nulls(&self, object: &mut Value) {
        defaults::drop_nulls(Some(&self.root), object);
    }

    /// Validates a whole object, as on create: values, embedded resources, uniqueness in lists,
    /// rules. The object's own metadata is not checked, except for the schema's restrictions.
    pub fn validate(&self, object: &Value) -> Vec<FieldError> {
        self.check(Vec::new(), object).into_errors()
    }

    /// Like [`validate`](Self::validate), including the rules that were not evaluated, after the
    /// errors of the object's metadata.
    pub(crate) fn check(&self, mut errors: Vec<FieldError>, object: &Value) -> FieldErrors {
        let root = Path::root("");
        errors.extend(validate::check(&self.root, &root, object, None).into_errors());
        embedded::check_embedded(self.decode, &self.root, &root, object, &mut errors);
        lists::check_lists(&self.root, &root, object, &mut errors);
        self.with_rules(errors, object, None)
    }

    /// Validates a whole object on update. Errors in values unchanged since `old` are ignored
    /// (CRDValidationRatcheting), as are duplicates in lists if `old` has any too.
    pub fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        self.check_update(Vec::new(), old, new).into_errors()
    }

    /// Like [`validate_update`](Self::validate_update), including the rules that were not
    /// evaluated, after the errors of the object's metadata.
    pub(crate) fn check_update(
        &self,
        mut errors: Vec<FieldError>,
        old: &Value,
        new: &Value,
    ) -> FieldErrors {
        let root = Path::root("");
        let before = validate::Old {
            value: old,
            schema: &self.root,
        };
        errors.extend(validate::ratchet(&self.root, &root, new, Some(before)).into_errors());
        self.check_updated_lists(old, new, &mut errors);
        self.with_rules(errors, new, Some(old))
    }

    /// Adds the violations of rules, unless the object has errors that make rules meaningless.
    fn with_rules(
        &self,
        mut errors: Vec<FieldError>,
        new: &Value,
        old: Option<&Value>,
    ) -> FieldErrors {
        if self.root.has_rules && errors.iter().any(FieldError::blocks_rules) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
            errors.push(FieldError::invalid("<nil>", Value::Null, detail));
            return errors.into();
        }
        let mut found = FieldErrors::from(errors);
        found.extend(rules::check_rules(&self.root, new, old));
        found
    }

    /// Validates a write to the status subresource: only the status, and the lists of the whole
    /// object.
    pub fn validate_status_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if let (Some(schema), Some(status)) =
            (self.root.properties.get("status"), new.get("status"))
        {
            let value = old.get("status").unwrap_or(&Value::Null);
            let before = validate::Old { value, schema };
            errors = validate::ratchet(schema, &Path::root(""), status, Some(before)).into_errors();
            for error in &mut errors {
                error.field = match error.field.as_str() {
                    "<nil>" => "status".to_owned(),
                    field => format!("status.{field}"),
                };
            }
        }
        self.check_updated_lists(old, new, &mut errors);
        self.with_rules(errors, new, Some(old)).into_errors()
    }

    fn check_updated_lists(&self, old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
        let root = Path::root("");
        embedded::check_embedded(self.decode, &self.root, &root, new, errors);
        let mut before = Vec::new();
        lists::check_lists(&self.root, &root, old, &mut before);
        if before.is_empty() {
            lists::check_lists(&self.root, &root, new, errors);
        }
    }

    /// Returns the compiled root node.
    pub fn root(&self) -> &Schema {
        &self.root
    }
}

#[cfg(test)]
#[path = "structural_tests.rs"]
mod tests;
