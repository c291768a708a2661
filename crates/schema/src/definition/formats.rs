//! Formats in the schemas of a definition that the API server does not know: it takes values of any
//! form for them.

use serde_json::Value;

use crate::formats::supported;
use crate::props::Props;
use crate::types::{Kind, Types};

/// Returns the unknown formats of a definition, sorted.
#[must_use]
pub fn unknown_formats(crd: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    for version in versions.into_iter().flatten() {
        let schema = version.pointer("/schema/openAPIV3Schema");
        if let Some(schema) = schema.and_then(Props::new) {
            collect(schema, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn collect(schema: Props<'_>, found: &mut Vec<String>) {
    let format = schema.text("format");
    let types = match schema.type_name() {
        "" => Types::Any,
        "string" => Types::One(Kind::String),
        "integer" => Types::One(Kind::Integer),
        "number" => Types::One(Kind::Number),
        // No format belongs to the others.
        _ => Types::One(Kind::Object),
    };
    if !format.is_empty() && supported(types, format).is_none() {
        found.push(format.to_owned());
    }
    let below = schema.properties().map(|(_, property)| property);
    let below = below
        .chain(schema.items())
        .chain(schema.additional_schema());
    let branches = ["allOf", "oneOf", "anyOf"].into_iter();
    let branches = branches.flat_map(|key| schema.branches(key));
    for schema in below.chain(schema.not()).chain(branches) {
        collect(schema, found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formats_are_known_for_their_type() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "format": "date-time"},
            "b": {"type": "string", "format": "x"},
            "c": {"type": "integer", "format": "int64"},
            "d": {"type": "integer", "format": "uint32"},
            "e": {"type": "array", "items": {"anyOf": [{"format": "x"}, {"type": "boolean", "format": "byte"}]}},
            "f": {"type": "object", "additionalProperties": {"type": "string", "format": "k8s-short-name"}}}});
        let crd = json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}});
        assert_eq!(unknown_formats(&crd), ["byte", "uint32", "x"]);
    }
}
