//! Decodes `ObjectMeta` as kube-apiserver does: checks the types of known fields, and reports and
//! drops unknown ones.
//!
//! The same rules apply to the root object and to embedded resources.

use serde_json::Value;

use super::object;
use crate::types::normal;

const TYPE: &str = "meta.v1.ObjectMeta";

/// Checks and cleans the `metadata` of a custom resource. Returns the paths of unknown fields.
///
/// # Errors
/// Decoding errors, with the messages of Go's decoder.
pub(crate) fn normalise(object: &mut Value) -> Result<Vec<String>, String> {
    match object.get_mut("metadata").filter(|m| !m.is_null()) {
        Some(metadata) => clean(metadata, "metadata"),
        None => {
            object::metadata(object);
            Ok(Vec::new())
        }
    }
}

/// Decodes metadata in place: removes empty fields and fields that `ObjectMeta` does not have.
/// Returns the paths of unknown fields, prefixed with `prefix`.
///
/// # Errors
/// Decoding errors, with the messages of Go's decoder.
pub(crate) fn clean(metadata: &mut Value, prefix: &str) -> Result<Vec<String>, String> {
    match metadata {
        Value::Null => Ok(Vec::new()),
        Value::Object(map) => normal::normalise_part(TYPE, prefix, map),
        other => Err(format!(
            "json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
            normal::go_kind(other)
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_metadata_is_dropped_and_reported() {
        let mut object = json!({"metadata": {"name": "a", "nme": "b", "kind": "c", "labels": {}, "annotations": {"k": null},
            "ownerReferences": [{"uid": "u", "x": 1}]}});
        let faults = normalise(&mut object).unwrap();
        assert_eq!(
            faults,
            [
                "metadata.kind",
                "metadata.nme",
                "metadata.ownerReferences[0].x"
            ]
        );
        assert_eq!(
            object,
            json!({"metadata": {"name": "a", "annotations": {"k": ""},
                "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": "u"}]}})
        );
    }

    #[test]
    fn metadata_of_a_wrong_type_is_refused() {
        for meta in [
            json!({"labels": []}),
            json!({"name": 1}),
            json!({"labels": {"a": 1}}),
            json!([]),
            json!({"creationTimestamp": "x"}),
        ] {
            let mut object = json!({"metadata": meta});
            assert!(normalise(&mut object).is_err());
        }
    }
}
