//! `ObjectMeta` as the API server decodes it: known fields of the right type, the others reported and dropped.

use serde_json::{Map, Value};

use crate::object;

#[derive(Clone, Copy)]
enum Type {
    Text,
    Integer,
    Time,
    TextMap,
    TextList,
    Objects(&'static [(&'static str, Type)]),
    Boolean,
    Any,
}

const OWNER: &[(&str, Type)] = &[
    ("apiVersion", Type::Text),
    ("blockOwnerDeletion", Type::Boolean),
    ("controller", Type::Boolean),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("uid", Type::Text),
];

const MANAGED: &[(&str, Type)] = &[
    ("apiVersion", Type::Text),
    ("fieldsType", Type::Text),
    ("fieldsV1", Type::Any),
    ("manager", Type::Text),
    ("operation", Type::Text),
    ("subresource", Type::Text),
    ("time", Type::Time),
];

const FIELDS: &[(&str, Type)] = &[
    ("annotations", Type::TextMap),
    ("creationTimestamp", Type::Time),
    ("deletionGracePeriodSeconds", Type::Integer),
    ("deletionTimestamp", Type::Time),
    ("finalizers", Type::TextList),
    ("generateName", Type::Text),
    ("generation", Type::Integer),
    ("labels", Type::TextMap),
    ("managedFields", Type::Objects(MANAGED)),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("ownerReferences", Type::Objects(OWNER)),
    ("resourceVersion", Type::Text),
    ("selfLink", Type::Text),
    ("uid", Type::Text),
];

/// Checks and cleans the `metadata` of a custom resource. Gives the paths of unknown fields.
///
/// # Errors
/// What does not decode, in the words of Go's decoder.
pub(crate) fn normalise(object: &mut Value) -> Result<Vec<String>, String> {
    let Some(meta) = object.get_mut("metadata").filter(|m| !m.is_null()) else {
        object::metadata(object);
        return Ok(Vec::new());
    };
    let Value::Object(meta) = meta else {
        return Err(format!(
            "json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
            go_type(meta)
        ));
    };
    let mut unknown = Vec::new();
    clean("metadata", meta, FIELDS, &mut unknown)?;
    Ok(unknown)
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn wrong_type(path: &str, expected: &str, found: &Value) -> String {
    let path = path.strip_prefix("metadata.").unwrap_or(path);
    format!(
        "json: cannot unmarshal {} into Go struct field ObjectMeta.{path} of type {expected}",
        go_type(found)
    )
}

fn clean(
    path: &str,
    map: &mut Map<String, Value>,
    known: &[(&str, Type)],
    faults: &mut Vec<String>,
) -> Result<(), String> {
    let mut unknown = Vec::new();
    for (key, value) in &mut *map {
        let here = format!("{path}.{key}");
        match known.iter().find(|(name, _)| name == key) {
            Some((_, field)) => check(&here, *field, value, faults)?,
            None => {
                faults.push(here);
                unknown.push(key.clone());
            }
        }
    }
    map.retain(|key, value| !value.is_null() && !unknown.contains(key));
    Ok(())
}

fn check(
    path: &str,
    field: Type,
    value: &mut Value,
    faults: &mut Vec<String>,
) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    let expect = |holds: bool, go_type: &str, value: &Value| {
        if holds {
            Ok(())
        } else {
            Err(wrong_type(path, go_type, value))
        }
    };
    match field {
        Type::Any => Ok(()),
        Type::Text => expect(value.is_string(), "string", value),
        Type::Boolean => expect(value.is_boolean(), "bool", value),
        Type::Integer => expect(value.is_i64(), "int64", value),
        Type::Time => {
            let valid = value
                .as_str()
                .is_some_and(|t| t.parse::<jiff::Timestamp>().is_ok());
            expect(valid, "v1.Time", value)
        }
        Type::TextMap => {
            let Value::Object(map) = value else {
                return expect(false, "map[string]string", value);
            };
            // A null value decodes to the empty string.
            for (_, item) in &mut *map {
                if item.is_null() {
                    *item = Value::String(String::new());
                }
                expect(item.is_string(), "string", item)?;
            }
            if map.is_empty() {
                *value = Value::Null;
            }
            Ok(())
        }
        Type::TextList => {
            let Value::Array(list) = value else {
                return expect(false, "[]string", value);
            };
            for item in &*list {
                expect(item.is_string(), "string", item)?;
            }
            if list.is_empty() {
                *value = Value::Null;
            }
            Ok(())
        }
        Type::Objects(known) => {
            let Value::Array(list) = value else {
                return expect(false, "[]struct", value);
            };
            for (index, item) in list.iter_mut().enumerate() {
                let Value::Object(map) = item else {
                    return expect(false, "struct", item);
                };
                clean(&format!("{path}[{index}]"), map, known, faults)?;
            }
            // An empty list of managedFields means something: it clears them.
            if list.is_empty() && !path.ends_with(".managedFields") {
                *value = Value::Null;
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_metadata_is_dropped_and_reported() {
        let mut object = json!({"metadata": {"name": "a", "nme": "b", "labels": {}, "annotations": {"k": null},
            "ownerReferences": [{"uid": "u", "x": 1}]}});
        let faults = normalise(&mut object).unwrap();
        assert_eq!(faults, ["metadata.nme", "metadata.ownerReferences[0].x"]);
        assert_eq!(
            object,
            json!({"metadata": {"name": "a", "annotations": {"k": ""}, "ownerReferences": [{"uid": "u"}]}})
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
