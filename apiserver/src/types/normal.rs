//! The normal form of an object: decoded into its Go type and re-encoded.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::TypeError;
use super::base64;
use super::scalars::{canonical_quantity, go_name, micro_time, time};
use super::{Cardinality, Empty, Field, Fields, Kind, Special, fields};

/// Removes unknown fields and returns their paths, drops or fills in empty values, and checks
/// types.
///
/// # Errors
/// The first value of the wrong type.
pub(crate) fn normalise(type_name: &str, object: &mut Value) -> Result<Vec<String>, TypeError> {
    let mut unknown = Vec::new();
    if let (Some(known), Value::Object(map)) = (fields(type_name), object) {
        let mut walk = Walk {
            unknown: &mut unknown,
            go_path: String::new(),
            path: String::new(),
        };
        walk.object(type_name, known, map)?;
    }
    Ok(unknown)
}

/// Normalises a part of an object, as [`normalise`] does; the paths of unknown fields are prefixed
/// with `prefix`.
///
/// # Errors
/// The first value of the wrong type.
pub(crate) fn normalise_part(
    type_name: &str,
    prefix: &str,
    part: &mut Map<String, Value>,
) -> Result<Vec<String>, TypeError> {
    let mut unknown = Vec::new();
    if let Some(known) = fields(type_name) {
        let mut walk = Walk {
            unknown: &mut unknown,
            go_path: String::new(),
            path: prefix.to_owned(),
        };
        walk.object(type_name, known, part)?;
    }
    Ok(unknown)
}

struct Walk<'a> {
    unknown: &'a mut Vec<String>,
    /// The path in Go's decoding errors: without indexes.
    go_path: String,
    /// The path in strict decoding errors.
    path: String,
}

fn find<'t>(known: &'t Fields, name: &str) -> Option<&'t Field> {
    known.iter().find(|field| field.name == name)
}

impl Walk<'_> {
    fn object(
        &mut self,
        type_name: &str,
        known: &'static Fields,
        map: &mut Map<String, Value>,
    ) -> Result<(), TypeError> {
        let mut dropped = BTreeSet::new();
        for (key, value) in &mut *map {
            let path = join(&self.path, key);
            let Some(field) = find(known, key) else {
                self.unknown.push(path);
                dropped.insert(key.clone());
                continue;
            };
            let go_path = join(&self.go_path, key);
            let outer = (
                std::mem::replace(&mut self.path, path),
                std::mem::replace(&mut self.go_path, go_path),
            );
            self.field(type_name, field, value)?;
            (self.path, self.go_path) = outer;
            // An empty list that Go always writes becomes null after a round trip through protobuf
            // storage.
            let is_json = type_name.starts_with("apiextensions.");
            if field.empty == Empty::Zero && !is_json && value.as_array().is_some_and(Vec::is_empty)
            {
                *value = Value::Null;
            }
            if is_empty(field, value) {
                dropped.insert(key.clone());
            }
        }
        map.retain(|key, _| !dropped.contains(key));
        fill(known, map);
        Ok(())
    }

    fn field(&mut self, owner: &str, field: &Field, value: &mut Value) -> Result<(), TypeError> {
        if value.is_null() {
            return Ok(());
        }
        match field.cardinality {
            Cardinality::One => self.value(owner, &field.kind, value),
            Cardinality::List => {
                let Value::Array(list) = value else {
                    return Err(self.wrong(owner, &format!("[]{}", go_name(&field.kind)), value));
                };
                for (index, item) in list.iter_mut().enumerate() {
                    let length = self.path.len();
                    self.path.push_str(&format!("[{index}]"));
                    self.item(owner, &field.kind, item)?;
                    self.path.truncate(length);
                }
                Ok(())
            }
            Cardinality::Map => {
                let Value::Object(map) = value else {
                    return Err(self.wrong(
                        owner,
                        &format!("map[string]{}", go_name(&field.kind)),
                        value,
                    ));
                };
                for (key, item) in map.iter_mut() {
                    let length = self.path.len();
                    self.path.push_str(&format!(".{key}"));
                    self.item(owner, &field.kind, item)?;
                    self.path.truncate(length);
                }
                Ok(())
            }
        }
    }

    /// Normalises an item of a list or map, where null means the zero value.
    fn item(&mut self, owner: &str, kind: &Kind, item: &mut Value) -> Result<(), TypeError> {
        if item.is_null() {
            *item = zero(kind);
        }
        self.value(owner, kind, item)
    }

    fn value(&mut self, owner: &str, kind: &Kind, value: &mut Value) -> Result<(), TypeError> {
        let fits = match kind {
            Kind::Bool => value.is_boolean(),
            Kind::Int32 => value.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            Kind::Int64 => value.is_i64(),
            Kind::Double => value.is_number(),
            Kind::Text(_) => value.is_string(),
            Kind::Bytes => match value.as_str().map(base64::fault) {
                Some(Some(at)) => return Err(format!("illegal base64 data at input byte {at}")),
                found => found.is_some(),
            },
            Kind::Struct(name) => {
                if let (Some(known), Value::Object(map)) = (fields(name), &mut *value) {
                    return self.object(name, known, map);
                }
                false
            }
            Kind::Special(special) => return self.special(owner, *special, value),
        };
        if fits {
            Ok(())
        } else {
            Err(self.wrong(owner, &go_name(kind), value))
        }
    }

    fn special(
        &mut self,
        owner: &str,
        special: Special,
        value: &mut Value,
    ) -> Result<(), TypeError> {
        match special {
            Special::Raw | Special::Extension => Ok(()),
            Special::Quantity => {
                if value.is_number() {
                    *value = json!(value.to_string());
                }
                if let Some(canonical) = value.as_str().and_then(canonical_quantity) {
                    *value = json!(canonical);
                    return Ok(());
                }
                Err("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".to_owned())
            }
            Special::IntOrString => {
                if value.is_string() || value.is_i64() {
                    return Ok(());
                }
                Err(self.wrong(owner, "intstr.IntOrString", value))
            }
            Special::Time | Special::MicroTime => {
                let Some(text) = value.as_str() else {
                    return Err(self.wrong(owner, "string", value));
                };
                if text.is_empty() {
                    *value = Value::Null;
                    return Ok(());
                }
                *value = json!(if special == Special::Time {
                    time(text)?
                } else {
                    micro_time(text)?
                });
                Ok(())
            }
        }
    }

    fn wrong(&self, owner: &str, go_type: &str, found: &Value) -> TypeError {
        let found = match found {
            // Go's message quotes a number that does not fit an integer.
            Value::Number(n) if go_type.starts_with("int") => format!("number {n}"),
            other => go_kind(other).to_owned(),
        };
        let owner = owner.rsplit('.').next().unwrap_or_default();
        format!(
            "json: cannot unmarshal {found} into Go struct field {owner}.{} of type {go_type}",
            self.go_path
        )
    }
}

/// Returns the name of a value's kind in the messages of Go's JSON decoder.
pub(crate) fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns why `apiVersion` and `kind` cannot be read from a body, in Go's words.
pub(crate) fn type_fault(body: &Value) -> Option<String> {
    if !body.is_object() {
        return Some(format!(
            "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            go_kind(body)
        ));
    }
    ["apiVersion", "kind"].into_iter().find_map(|field| {
        let given = body.get(field).filter(|v| !v.is_string() && !v.is_null())?;
        Some(format!(
            "json: cannot unmarshal {} into Go struct field .{field} of type string",
            go_kind(given)
        ))
    })
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn zero(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!(false),
        Kind::Int32 | Kind::Int64 | Kind::Double => json!(0),
        Kind::Text(_) | Kind::Bytes => json!(""),
        Kind::Struct(_) => json!({}),
        Kind::Special(Special::Quantity) => json!("0"),
        Kind::Special(Special::IntOrString) => json!(0),
        Kind::Special(_) => Value::Null,
    }
}

/// Whether Go omits a value.
fn is_empty(field: &Field, value: &Value) -> bool {
    match (field.empty, value) {
        (_, Value::Null) => {
            field.empty != Empty::Zero
                || (field.cardinality == Cardinality::One && field.kind != Kind::Bytes)
        }
        // An empty list of managedFields is meaningful: it clears them.
        _ if field.name == "managedFields" => false,
        (Empty::Omitted, Value::Array(list)) => list.is_empty(),
        (Empty::Omitted, Value::Object(map)) => {
            map.is_empty() && field.cardinality == Cardinality::Map
        }
        (Empty::Omitted, Value::String(text)) => text.is_empty(),
        (Empty::Omitted, Value::Bool(value)) => !value,
        (Empty::Omitted, Value::Number(n)) => {
            n.as_f64() == Some(0.0) && field.kind != Kind::Special(Special::IntOrString)
        }
        _ => false,
    }
}

/// Adds the values that Go writes for absent fields.
fn fill(known: &Fields, map: &mut Map<String, Value>) {
    for field in known {
        match (field.empty, &field.kind) {
            (Empty::Struct, Kind::Struct(inner)) if !map.contains_key(field.name) => {
                let mut child = Map::new();
                if let Some(inner) = fields(inner) {
                    fill(inner, &mut child);
                }
                map.insert(field.name.to_owned(), Value::Object(child));
            }
            (Empty::Zero, kind) if !map.contains_key(field.name) => {
                let value = if field.cardinality == Cardinality::One {
                    zero(kind)
                } else {
                    Value::Null
                };
                map.insert(field.name.to_owned(), value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_go_and_empty_values_are_written_as_go_writes_them() {
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {}, "x": 1},
            "data": {"k": null}, "immutable": false, "bogus": 1});
        let unknown = normalise("core.v1.ConfigMap", &mut object).unwrap();
        assert_eq!(unknown, ["bogus", "metadata.x"]);
        assert_eq!(
            object,
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": ""}, "immutable": false})
        );
        let mut role = json!({"metadata": {"name": "r"}});
        normalise("rbac.v1.Role", &mut role).unwrap();
        assert_eq!(role, json!({"metadata": {"name": "r"}, "rules": null}));
        let mut pod = json!({"metadata": {}, "spec": {"containers": [{"name": "c"}], "volumes": [{"name": "v", "emptyDir": {}}]}});
        assert!(normalise("core.v1.Pod", &mut pod).unwrap().is_empty());
        assert_eq!(
            pod,
            json!({"metadata": {}, "status": {},
                "spec": {"containers": [{"name": "c", "resources": {}}], "volumes": [{"name": "v", "emptyDir": {}}]}})
        );
    }

    #[test]
    fn a_wrong_type_is_reported_as_gos_decoder_reports_it() {
        let check = |type_name: &str, mut object: Value, expected: &str| {
            assert_eq!(normalise(type_name, &mut object).unwrap_err(), expected);
        };
        rows![check:
            ("core.v1.ConfigMap", json!({"data": {"x": 1}}),
                "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"),
            ("core.v1.ConfigMap", json!({"metadata": []}),
                "json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta"),
            ("apps.v1.Deployment", json!({"spec": {"replicas": "3"}}),
                "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ];
    }
}
