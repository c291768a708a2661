//! Compares the schema and apply modules with recorded answers of Kubernetes.
//!
//! `data/schema_messages.json`: the causes that a kube-apiserver reports for values and for CRD
//! schemas (dry-run requests). `data/apply_writes.json`: sequences of applies and updates through
//! Kubernetes' own field manager, with the outcome of each write: owners and their fields, and the
//! merged object or the conflicts.

use std::collections::BTreeMap;

use embedded_apiserver::apply::{ApplyError, ResetFields, Writer, apply, track_update};
use embedded_apiserver::schema::{self, FieldError, Structural};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The path at which the server reports errors in a schema that all versions share.
const PATH: &str = "spec.validation.openAPIV3Schema";

fn read(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the field, reason and message of every error, sorted.
fn causes(errors: &[FieldError]) -> Value {
    let mut shown: Vec<[String; 3]> = errors
        .iter()
        .map(FieldError::cause)
        .map(|cause| [cause.field, cause.reason.to_owned(), cause.message])
        .collect();
    shown.sort();
    json!(shown)
}

/// Whether two values are equal when integral floats count as integers, as they do on the wire.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(l), Value::Number(r)) => l.as_f64() == r.as_f64(),
        (Value::Object(l), Value::Object(r)) => {
            l.len() == r.len()
                && l.iter()
                    .all(|(key, l)| r.get(key).is_some_and(|r| same(l, r)))
        }
        (Value::Array(l), Value::Array(r)) => {
            l.len() == r.len() && l.iter().zip(r).all(|(l, r)| same(l, r))
        }
        _ => left == right,
    }
}

#[test]
fn values_are_judged_in_the_servers_words() {
    let recorded = read("schema_messages.json");
    let schema = schema::compile(PATH, &recorded["schema"]).unwrap();
    let mut faults = Vec::new();
    for case in recorded["values"].as_array().unwrap() {
        let spec = &case["spec"];
        let mut object = json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": spec});
        let decode = schema.decode_error(&object);
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
        let errors = causes(&schema.validate(&object));
        let holds = match (case.get("causes"), case.get("decode"), case.get("accepted")) {
            (Some(expected), _, _) => *expected == errors,
            (_, Some(expected), _) => expected.as_str() == decode.as_deref(),
            (_, _, Some(expected)) => {
                errors == json!([]) && decode.is_none() && same(expected, &object["spec"])
            }
            _ => false,
        };
        if !holds {
            faults.push(format!(
                "{case}\n  found {errors}, decoding {decode:?}, {}",
                object["spec"]
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn schemas_are_judged_in_the_servers_words() {
    let mut faults = Vec::new();
    for case in read("schema_messages.json")["schemas"].as_array().unwrap() {
        let errors = causes(
            &schema::compile(PATH, &case["schema"])
                .err()
                .unwrap_or_default(),
        );
        if errors != case["causes"] {
            faults.push(format!("{case}\n  found {errors}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the managers of an object by name, operation and subresource, with their fields.
fn owners(object: &Value) -> Value {
    let entries = object["metadata"]["managedFields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let owners: BTreeMap<String, Value> = entries
        .into_iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let name = format!(
                "{} {} {}",
                text("manager"),
                text("operation"),
                text("subresource")
            );
            (name.trim_end().to_owned(), entry["fieldsV1"].clone())
        })
        .collect();
    json!(owners)
}

/// Returns the conflicts of a rejected apply, or its message.
fn refusal(error: ApplyError) -> Value {
    match error {
        ApplyError::Conflicts { conflicts, .. } => {
            let shown = conflicts
                .iter()
                .map(|c| format!("{}|{}", c.field, c.message));
            json!(shown.collect::<std::collections::BTreeSet<_>>())
        }
        other => json!(other.to_string()),
    }
}

/// Replays the writes of a case; returns the first difference, if any.
fn play(case: &Value, schema: Option<&Structural>) -> Option<String> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let api_version = text(case, "apiVersion");
    let mut live: Option<Value> = None;
    for (i, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        let (manager, subresource) = (text(step, "manager"), text(step, "subresource"));
        let reset = match (subresource.as_str(), api_version.as_str()) {
            (_, "example.org/v1") => ResetFields::None,
            ("status", _) => ResetFields::AllButStatus,
            _ => ResetFields::Status,
        };
        let writer = Writer {
            manager: &manager,
            subresource: &subresource,
            api_version: &api_version,
            reset,
            schema,
            now: Timestamp::UNIX_EPOCH,
        };
        let mut object = step["object"].clone();
        object["apiVersion"] = json!(api_version);
        object["kind"] = case["kind"].clone();
        let written = if step["op"] == "apply" {
            apply(&writer, live.as_ref(), &object, step["force"] == true)
        } else {
            if live.is_some() {
                object["metadata"]["uid"] = json!("u");
            }
            track_update(&writer, live.as_ref(), &mut object);
            Ok(object)
        };
        match written {
            Ok(mut object) => {
                object["metadata"]["uid"] = json!("u");
                let part = |key: &str| object.get(key).unwrap_or(&Value::Null).clone();
                let expected = |key: &str| step["result"].get(key).unwrap_or(&Value::Null).clone();
                let merged = ["spec", "status"]
                    .into_iter()
                    .all(|key| same(&part(key), &expected(key)));
                if owners(&object) != step["owners"] || !merged {
                    return Some(format!("write {i} of {case}\n  left {object}"));
                }
                live = Some(object);
            }
            Err(error) => {
                let shown = refusal(error);
                if shown != step["refused"] {
                    return Some(format!("write {i} of {case}\n  refused with {shown}"));
                }
            }
        }
    }
    None
}

#[test]
fn writes_leave_the_owners_that_kubernetes_leaves() {
    let recorded = read("apply_writes.json");
    let schema = schema::compile(PATH, &recorded["schema"]).unwrap();
    let faults: Vec<String> = recorded["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|case| play(case, (case["kind"] == "Foo").then_some(&schema)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
