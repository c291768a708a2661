//! The managers of an object's fields that name a version which is not served.
//!
//! The API server cannot convert such an entry, and a server-side apply of the object fails. An
//! entry moves to a served version with the fields that this version has; the others are nobody's.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::{Map, Value};

use super::plan::Versions;
use crate::apply::unite;

/// Returns the entries with those of unserved versions moved; `None` if there are none.
pub(super) fn moved(
    entries: &[ManagedFieldsEntry],
    versions: &Versions,
) -> Option<Vec<ManagedFieldsEntry>> {
    let (kept, stale): (Vec<_>, Vec<_>) = entries
        .iter()
        .cloned()
        .partition(|entry| !is_stale(entry, versions));
    if stale.is_empty() {
        return None;
    }
    let mut kept = kept;
    for mut entry in stale {
        let fields = entry.fields_v1.as_ref();
        let Some(fields) = fields.and_then(|fields| known(&fields.0, &versions.schema, true))
        else {
            continue;
        };
        entry.fields_v1 = Some(FieldsV1(fields));
        entry.api_version = Some(format!("{}/{}", versions.group, versions.request));
        match kept.iter_mut().find(|other| is_same(other, &entry)) {
            Some(other) => unite(other, &[entry]),
            None => kept.push(entry),
        }
    }
    // The server ignores an empty list, and takes an empty entry as the wish for one.
    if kept.is_empty() {
        kept.push(ManagedFieldsEntry::default());
    }
    Some(kept)
}

fn is_stale(entry: &ManagedFieldsEntry, versions: &Versions) -> bool {
    let version = entry.api_version.as_deref();
    let version = version.and_then(|it| it.strip_prefix(&*versions.group)?.strip_prefix('/'));
    version.is_some_and(|version| !versions.served.contains(version))
}

fn is_same(one: &ManagedFieldsEntry, other: &ManagedFieldsEntry) -> bool {
    let identity = |it: &ManagedFieldsEntry| {
        let (manager, operation) = (it.manager.clone(), it.operation.clone());
        (
            manager,
            operation,
            it.subresource.clone(),
            it.api_version.clone(),
        )
    };
    identity(one) == identity(other)
}

/// Returns the part of a set of fields that `schema` has; `None` if that is nothing.
///
/// The form of sets is that of `managedFields` (structured-merge-diff): `f:` a field, `k:` an item
/// by its keys, `v:` an item by its value, `.` the field itself.
fn known(set: &Value, schema: &Value, root: bool) -> Option<Value> {
    let Some(parts) = set.as_object().filter(|parts| !parts.is_empty()) else {
        return Some(set.clone());
    };
    let mut left = Map::new();
    for (element, below) in parts {
        let part = match Below::of(element, schema, root) {
            Below::Unknown => None,
            Below::Any => Some(below.clone()),
            Below::Schema(schema) => known(below, schema, false),
        };
        if let Some(part) = part {
            left.insert(element.clone(), part);
        }
    }
    (!left.is_empty()).then_some(Value::Object(left))
}

/// The schema below an element of a set.
enum Below<'a> {
    Unknown,
    Any,
    Schema(&'a Value),
}

impl<'a> Below<'a> {
    fn of(element: &str, schema: &'a Value, root: bool) -> Self {
        let is = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
        let list_type = schema.get("x-kubernetes-list-type").and_then(Value::as_str);
        let items = || schema.get("items").map_or(Self::Any, Self::Schema);
        match element.split_at_checked(2) {
            Some(("f:", "apiVersion" | "kind" | "metadata"))
                if root || is("x-kubernetes-embedded-resource") =>
            {
                Self::Any
            }
            Some(("f:", name)) => {
                let declared = schema.get("properties").and_then(|all| all.get(name));
                let declared = declared.or(schema.get("additionalProperties"));
                match declared {
                    Some(Value::Bool(true)) => Self::Any,
                    Some(below @ Value::Object(_)) => Self::Schema(below),
                    _ if is("x-kubernetes-preserve-unknown-fields") => Self::Any,
                    _ => Self::Unknown,
                }
            }
            Some(("k:", keys)) if list_type == Some("map") && has_keys(schema, keys) => items(),
            Some(("v:", _)) if list_type == Some("set") => items(),
            Some(("k:" | "v:" | "i:", _)) => Self::Unknown,
            _ => Self::Any, // `.`
        }
    }
}

/// Whether the items of a list are told apart by `keys`, an object with their values.
fn has_keys(schema: &Value, keys: &str) -> bool {
    let stated = schema.get("x-kubernetes-list-map-keys");
    let Some(stated) = stated.and_then(Value::as_array) else {
        return false;
    };
    serde_json::from_str::<Map<String, Value>>(keys).is_ok_and(|keys| {
        let is_key = |key: &Value| key.as_str().is_some_and(|key| keys.contains_key(key));
        keys.len() == stated.len() && stated.iter().all(is_key)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn versions() -> Versions {
        Versions {
            group: "example.com".to_owned(),
            served: ["v2".to_owned()].into(),
            storage: "v2".to_owned(),
            request: "v2".to_owned(),
            schema: json!({"type": "object", "properties": {"spec": {
                "type": "object",
                "properties": {
                    "size": {"type": "integer"},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "ports": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                    },
                    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                },
            }}}),
        }
    }

    fn entry(manager: &str, version: &str, fields: Value) -> ManagedFieldsEntry {
        ManagedFieldsEntry {
            manager: Some(manager.to_owned()),
            operation: Some("Apply".to_owned()),
            api_version: Some(format!("example.com/{version}")),
            fields_v1: Some(FieldsV1(fields)),
            ..ManagedFieldsEntry::default()
        }
    }

    #[test]
    fn served_versions_and_other_groups_stay() {
        let mut other = entry("a", "v1", json!({"f:metadata": {}}));
        other.api_version = Some("v1".to_owned());
        let entries = [entry("a", "v2", json!({"f:spec": {}})), other];
        assert_eq!(moved(&entries, &versions()), None);
    }

    #[test]
    fn fields_that_the_served_version_has_keep_their_manager() {
        let before = json!({
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {
                "f:size": {}, "f:gone": {},
                "f:labels": {".": {}, "f:x": {}},
                "f:ports": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:old": {}}},
                "f:open": {"f:anything": {}},
            },
            "f:status": {"f:gone": {}},
        });
        let after = json!({
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {
                "f:size": {},
                "f:labels": {".": {}, "f:x": {}},
                "f:ports": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}},
                "f:open": {"f:anything": {}},
            },
        });
        let entries = [entry("a", "v1", before)];
        assert_eq!(
            moved(&entries, &versions()),
            Some(vec![entry("a", "v2", after)])
        );
    }

    #[test]
    fn an_item_is_nobodys_if_the_list_has_other_keys() {
        let before = json!({"f:spec": {"f:ports": {"k:{\"port\":1}": {}}, "f:size": {"v:1": {}}}});
        let entries = [entry("a", "v1", before)];
        // An empty entry resets the list.
        let reset = vec![ManagedFieldsEntry::default()];
        assert_eq!(moved(&entries, &versions()), Some(reset));
    }

    #[test]
    fn entries_of_one_manager_become_one() {
        let entries = [
            entry("a", "v2", json!({"f:spec": {"f:size": {}}})),
            entry("a", "v1", json!({"f:spec": {"f:open": {}}})),
            entry("b", "v1", json!({"f:spec": {"f:size": {}}})),
        ];
        let united = json!({"f:spec": {"f:size": {}, "f:open": {}}});
        assert_eq!(
            moved(&entries, &versions()),
            Some(vec![
                entry("a", "v2", united),
                entry("b", "v2", json!({"f:spec": {"f:size": {}}})),
            ])
        );
    }
}
