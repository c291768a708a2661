//! CRD structural schemas (`kube-schema`), with the server's decoder of object metadata.

use serde_json::Value;

use crate::metadata;
pub(crate) use kube_schema::{Additional, Kind, ListType, Schema, Types, check_counts};
pub use kube_schema::{Cause, FieldError, FieldErrorKind, Structural};

/// Compiles an `openAPIV3Schema`. Errors are reported at paths under `path`
/// (`spec.versions[1].schema.openAPIV3Schema`).
///
/// # Errors
/// All violations of the structural-schema rules.
pub fn compile(path: &str, schema: &Value) -> Result<Structural, Vec<FieldError>> {
    Structural::compile_with(path, schema, metadata::clean)
}

/// How many bytes the defaults of an object may add: more than any object has that can be stored.
const MOST_DEFAULTED: usize = 4 << 20;

/// Fills in the defaults of an object. If they are too large, some are missing: a write of the
/// object fails for its size.
pub(crate) fn apply_defaults(schema: &Structural, object: &mut Value) {
    if let Err(error) = schema.apply_defaults_within(object, MOST_DEFAULTED) {
        tracing::warn!(%error, "some are not filled in");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::compile;

    #[test]
    fn metadata_of_embedded_resources_is_decoded_as_object_metadata() {
        let template = json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true});
        let schema = json!({"type": "object", "properties": {"spec": template}});
        let schema = compile("s", &schema).unwrap();
        let mut object = json!({"spec": {"metadata": {"labels": {"a": 1}}}});
        assert_eq!(
            schema.decode_error(&object).as_deref(),
            Some(
                r#"spec.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"#
            )
        );
        object["spec"]["metadata"] = json!({"name": "a", "nme": "b"});
        assert_eq!(schema.prune(&mut object), ["spec.metadata.nme"]);
    }
}
