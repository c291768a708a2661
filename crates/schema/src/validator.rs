//! Validates objects of a CRD as a server does on create and update.

use kube_names::NameRule;
use serde_json::{Map, Value};

use crate::errors::FieldErrors;
use crate::field::FieldError;
use crate::metadata::check_object_metadata;
use crate::structural::Structural;

/// Validates objects of one version of a CRD.
#[derive(Clone, Debug)]
pub struct Validator {
    /// The schema, or the errors for which a server refuses it. `None` accepts every object.
    schema: Option<Result<Structural, Vec<FieldError>>>,
    /// The paths of the replica counts of the scale subresource.
    counts: Vec<String>,
    /// Whether the status subresource exists.
    has_status: bool,
}

impl Validator {
    /// Creates the validator of an item of a CRD's `spec.versions`.
    ///
    /// If a server would refuse the schema, every object is refused with the errors of the schema.
    #[must_use]
    pub fn of_version(version: &Value) -> Self {
        let schema = version.pointer("/schema/openAPIV3Schema");
        let scale = version.pointer("/subresources/scale");
        let paths = ["specReplicasPath", "statusReplicasPath"].into_iter();
        let counts = paths.filter_map(|name| scale?.get(name)?.as_str());
        Self {
            schema: schema.map(Structural::compile),
            counts: counts.map(str::to_owned).collect(),
            has_status: version
                .pointer("/subresources/status")
                .is_some_and(|status| !status.is_null()),
        }
    }

    /// Creates the validator of a version of a CRD; `None` if the CRD has no such version.
    #[must_use]
    pub fn of_crd(crd: &Value, version: &str) -> Option<Self> {
        let versions = crd.pointer("/spec/versions")?.as_array()?;
        let mut versions = versions.iter();
        let version = versions.find(|one| one.get("name").is_some_and(|name| name == version))?;
        Some(Self::of_version(version))
    }

    /// Validates an object to be created. As on the server, unknown fields are removed first, and
    /// so is the status if it is a subresource; then defaults are applied.
    ///
    /// # Errors
    /// The violations for which the server would refuse it, and the rules that were not evaluated.
    pub fn validate(&self, object: Value) -> Result<(), FieldErrors> {
        let schema = self.structural()?;
        let mut object = settled(schema, object);
        if let (true, Some(map)) = (self.has_status, object.as_object_mut()) {
            // The server leaves it to the status subresource.
            map.remove("status");
        }
        let errors = self.common(&object);
        let found = match schema {
            Some(schema) => schema.check(errors, &object),
            None => errors.into(),
        };
        found.finish()
    }

    /// Validates an object to replace another one.
    ///
    /// # Errors
    /// The violations for which the server would refuse it, and the rules that were not evaluated.
    /// Errors in unchanged values are ignored.
    pub fn validate_update(&self, old: Value, new: Value) -> Result<(), FieldErrors> {
        let schema = self.structural()?;
        let (old, new) = (settled(schema, old), settled(schema, new));
        let errors = self.common(&new);
        let found = match schema {
            Some(schema) => schema.check_update(errors, &old, &new),
            None => errors.into(),
        };
        found.finish()
    }

    fn structural(&self) -> Result<Option<&Structural>, FieldErrors> {
        match &self.schema {
            None => Ok(None),
            Some(Ok(schema)) => Ok(Some(schema)),
            Some(Err(faults)) => Err(FieldErrors::from(faults.clone())),
        }
    }

    /// Checks that apply to objects of every kind.
    fn common(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let metadata = object.get("metadata").unwrap_or(&Value::Null);
        check_object_metadata(NameRule::Subdomain, metadata, &mut errors);
        check_counts(self.counts.iter().map(String::as_str), object, &mut errors);
        errors
    }
}

fn settled(schema: Option<&Structural>, mut object: Value) -> Value {
    if let Some(map) = object.as_object_mut() {
        let metadata = map.entry("metadata").or_insert(Value::Null);
        if metadata.is_null() {
            *metadata = Value::Object(Map::new());
        }
    }
    if let Some(schema) = schema {
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
    }
    object
}

/// Checks that the replica counts of the scale subresource, at paths such as `.spec.replicas`, are
/// not negative.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Validator;

    fn validator() -> Validator {
        let status = json!({"type": "object", "required": ["ready"], "properties": {"ready": {"type": "boolean"}}});
        let schema =
            json!({"type": "object", "required": ["metadata"], "properties": {"status": status}});
        Validator::of_version(
            &json!({"schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}),
        )
    }

    fn check(object: Value, expected: &str) {
        let found = validator().validate(object);
        assert_eq!(
            found
                .err()
                .map(|found| found.to_string())
                .unwrap_or_default(),
            expected
        );
    }

    #[test]
    fn an_object_is_created_without_its_status_and_with_metadata() {
        check(json!({"metadata": {"name": "a"}, "status": {}}), "");
        check(json!({"metadata": {"generateName": "a-"}}), "");
        check(
            json!({}),
            "metadata.name: Required value: name or generateName is required",
        );
    }

    #[test]
    fn the_status_is_validated_on_updates() {
        let object = |status: Value| json!({"metadata": {"name": "a"}, "status": status});
        let found = validator().validate_update(object(json!({"ready": true})), object(json!({})));
        assert_eq!(
            found.unwrap_err().to_string(),
            "status.ready: Required value"
        );
    }

    #[test]
    fn a_schema_that_a_server_refuses_refuses_every_object() {
        let validator =
            Validator::of_version(&json!({"schema": {"openAPIV3Schema": {"type": "array"}}}));
        assert!(validator.validate(json!({})).unwrap_err().is_refused());
    }
}
