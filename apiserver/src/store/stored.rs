//! One stored object: its encoded body, and the few metadata fields that are needed without decoding it.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::metadata::object;

/// Where an object is stored: the namespace (empty for cluster-scoped kinds) and the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
}

impl Key {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

/// An owner reference, as the garbage collector needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) api_version: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) uid: Box<str>,
    pub(crate) blocks: bool,
}

/// An immutable revision of an object.
///
/// The body is the JSON object without `apiVersion` and `kind`, with `metadata.resourceVersion` in it: one encoding serves
/// every version of a kind, single objects and list items.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Key,
    pub(crate) uid: Box<str>,
    pub(crate) revision: u64,
    pub(crate) labels: Labels,
    pub(crate) owners: Box<[Owner]>,
    /// Which schema the body was pruned and defaulted with; readers of the same schema take the bytes unchanged.
    pub(crate) schema: u64,
    pub(crate) body: Bytes,
}

/// Labels in the order of their keys: a slice, since a map of one entry costs 648 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    /// The labels of an object.
    pub(crate) fn of(object: &Value) -> Self {
        let map = object::at(object, &["metadata", "labels"]).and_then(Value::as_object);
        Self(
            map.into_iter()
                .flatten()
                .map(|(k, v)| (k.as_str().into(), v.as_str().unwrap_or_default().into()))
                .collect(),
        )
    }

    /// The value of a label.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(k, _)| (**k).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| &**value)
    }
}

impl Stored {
    /// Encodes an object at a revision. `apiVersion` and `kind` are left out.
    pub(crate) fn encode(object: &Value, revision: u64, schema: u64) -> Self {
        let mut rest = match object {
            Value::Object(map) => map.clone(),
            _ => Map::new(),
        };
        rest.remove("apiVersion");
        rest.remove("kind");
        let mut rest = Value::Object(rest);
        object::set_meta(
            &mut rest,
            "resourceVersion",
            Some(Value::String(revision.to_string())),
        );
        let body = serde_json::to_vec(&rest).unwrap_or_default();
        Self {
            key: Key::new(object::namespace(object), object::name(object)),
            uid: object::uid(object).into(),
            revision,
            labels: Labels::of(object),
            owners: owners_of(object),
            schema,
            body: Bytes::from(body.into_boxed_slice()),
        }
    }

    /// The object without `apiVersion` and `kind`.
    pub(crate) fn decode(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The same object at a later revision: how a deleted object is shown.
    pub(crate) fn at_revision(&self, revision: u64) -> Self {
        Self::encode(&self.decode(), revision, self.schema)
    }
}

fn owners_of(object: &Value) -> Box<[Owner]> {
    object::at(object, &["metadata", "ownerReferences"])
        .and_then(Value::as_array)
        .map(|list| {
            list.iter()
                .map(|owner| Owner {
                    api_version: object::text(owner, &["apiVersion"]).into(),
                    kind: object::text(owner, &["kind"]).into(),
                    name: object::text(owner, &["name"]).into(),
                    uid: object::text(owner, &["uid"]).into(),
                    blocks: owner.get("blockOwnerDeletion") == Some(&Value::Bool(true)),
                })
                .collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_leaves_out_the_type_and_carries_the_revision() {
        let stored = Stored::encode(
            &json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "a", "labels": {"l": "v"}}, "data": {}}),
            7,
            0,
        );
        assert_eq!(
            stored.decode(),
            json!({"metadata": {"name": "a", "labels": {"l": "v"}, "resourceVersion": "7"}, "data": {}})
        );
        assert_eq!(stored.labels.get("l"), Some("v"));
        assert_eq!(stored.at_revision(9).revision, 9);
    }
}
