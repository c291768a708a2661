//! What a server checks when an object of a CRD is created or updated.

use kube_names::NameRule;
use serde_json::Value;

use crate::errors::FieldErrors;
use crate::field::FieldError;
use crate::metadata::check_object_metadata;
use crate::structural::Structural;

/// Validates objects of one version of a CRD.
#[derive(Clone, Debug)]
pub struct Validator {
    /// The schema, or why a server refuses it. None accepts every object.
    schema: Option<Result<Structural, Vec<FieldError>>>,
    /// The paths of the counts of the scale subresource.
    counts: Vec<String>,
}

impl Validator {
    /// The validator of an item of a CRD's `spec.versions`.
    ///
    /// A schema that a server refuses refuses every object, with the faults of the schema.
    #[must_use]
    pub fn of_version(version: &Value) -> Self {
        let schema = version.pointer("/schema/openAPIV3Schema");
        let scale = version.pointer("/subresources/scale");
        let paths = ["specReplicasPath", "statusReplicasPath"].into_iter();
        let counts = paths.filter_map(|name| scale?.get(name)?.as_str());
        Self {
            schema: schema.map(Structural::compile),
            counts: counts.map(str::to_owned).collect(),
        }
    }

    /// The validator of a version of a CRD; none if the CRD has no such version.
    #[must_use]
    pub fn of_crd(crd: &Value, version: &str) -> Option<Self> {
        let versions = crd.pointer("/spec/versions")?.as_array()?;
        let mut versions = versions.iter();
        let version = versions.find(|one| one.get("name").is_some_and(|name| name == version))?;
        Some(Self::of_version(version))
    }

    /// Validates an object that is to be created: unknown fields are left out and defaults are filled in before, as on the server.
    ///
    /// # Errors
    /// What the server would refuse it for, and the rules that were not evaluated.
    pub fn validate(&self, object: Value) -> Result<(), FieldErrors> {
        let schema = self.structural()?;
        let object = settled(schema, object);
        let mut found = self.common(&object);
        if let Some(schema) = schema {
            found.extend(schema.check(&object));
        }
        found.finish()
    }

    /// Validates an object that is to replace another one.
    ///
    /// # Errors
    /// What the server would refuse it for, and the rules that were not evaluated. Errors in values that did not change are forgiven.
    pub fn validate_update(&self, old: Value, new: Value) -> Result<(), FieldErrors> {
        let schema = self.structural()?;
        let (old, new) = (settled(schema, old), settled(schema, new));
        let mut found = self.common(&new);
        if let Some(schema) = schema {
            found.extend(schema.check_update(&old, &new));
        }
        found.finish()
    }

    fn structural(&self) -> Result<Option<&Structural>, FieldErrors> {
        match &self.schema {
            None => Ok(None),
            Some(Ok(schema)) => Ok(Some(schema)),
            Some(Err(faults)) => Err(FieldErrors::from(faults.clone())),
        }
    }

    /// What holds for objects of every kind.
    fn common(&self, object: &Value) -> FieldErrors {
        let mut errors = Vec::new();
        let metadata = object.get("metadata").unwrap_or(&Value::Null);
        check_object_metadata(NameRule::Subdomain, metadata, &mut errors);
        check_counts(self.counts.iter().map(String::as_str), object, &mut errors);
        FieldErrors::from(errors)
    }
}

fn settled(schema: Option<&Structural>, mut object: Value) -> Value {
    if let Some(schema) = schema {
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
    }
    object
}

/// The counts of the scale subresource, at paths as `.spec.replicas`, are not negative.
pub fn check_counts<'p>(
    paths: impl IntoIterator<Item = &'p str>,
    object: &Value,
    errors: &mut Vec<FieldError>,
) {
    for path in paths {
        let mut keys = path.split('.').filter(|key| !key.is_empty());
        let count = keys.try_fold(object, |value, key| value.get(key));
        let count = count.and_then(Value::as_i64).filter(|count| *count < 0);
        if let Some(count) = count {
            let detail = "should be a non-negative integer";
            errors.push(FieldError::invalid(path, count, detail));
        }
    }
}
