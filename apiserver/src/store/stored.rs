//! A stored object: its encoded body, and the metadata that is needed without decoding the body.

use bytes::Bytes;
use serde_json::Value;

use crate::metadata::object;

/// The key of an object: its namespace (empty for cluster-scoped kinds) and name.
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

/// The fields of an owner reference that the garbage collector needs.
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
/// The body is the JSON object with `metadata.resourceVersion` and without `apiVersion` and `kind`,
/// so that one encoding serves all versions of a kind, as a single object and as a list item.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Key,
    pub(crate) uid: Box<str>,
    pub(crate) revision: u64,
    pub(crate) labels: Labels,
    pub(crate) owners: Box<[Owner]>,
    /// The schema that pruned and defaulted the body. A version with the same schema serves the
    /// bytes unchanged.
    pub(crate) schema: u64,
    pub(crate) body: Bytes,
}

/// Labels sorted by key. A slice, because a map with one entry takes 648 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    /// Returns the labels of an object.
    pub(crate) fn of(object: &Value) -> Self {
        let map = object::at(object, &["metadata", "labels"]).and_then(Value::as_object);
        Self(
            map.into_iter()
                .flatten()
                .map(|(k, v)| (k.as_str().into(), v.as_str().unwrap_or_default().into()))
                .collect(),
        )
    }

    /// Returns the value of a label.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(k, _)| (**k).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| &**value)
    }
}

/// How every body starts: the revision comes first, so that it is replaced without decoding the
/// rest.
const START: &str = "{\"metadata\":{\"resourceVersion\":\"";

/// An encoded object whose revision is not known yet. Encoding takes long for a large object, and
/// must not delay other writes.
#[derive(Debug)]
pub(crate) struct Draft {
    key: Key,
    uid: Box<str>,
    labels: Labels,
    owners: Box<[Owner]>,
    schema: u64,
    /// The body after the revision.
    rest: Vec<u8>,
}

impl Draft {
    /// Encodes an object, without `apiVersion` and `kind`.
    pub(crate) fn of(object: &Value, schema: u64) -> Self {
        Self {
            key: Key::new(object::namespace(object), object::name(object)),
            uid: object::uid(object).into(),
            labels: Labels::of(object),
            owners: owners_of(object),
            schema,
            rest: encode_rest(object),
        }
    }

    /// Returns the approximate number of bytes of the body.
    pub(crate) fn len(&self) -> usize {
        START.len() + self.rest.len()
    }

    /// Returns the object at a revision.
    pub(crate) fn at(self, revision: u64) -> Stored {
        Stored {
            body: body(revision, &self.rest),
            key: self.key,
            uid: self.uid,
            revision,
            labels: self.labels,
            owners: self.owners,
            schema: self.schema,
        }
    }
}

fn body(revision: u64, rest: &[u8]) -> Bytes {
    let revision = revision.to_string();
    let mut body = Vec::with_capacity(START.len() + revision.len() + rest.len());
    body.extend_from_slice(START.as_bytes());
    body.extend_from_slice(revision.as_bytes());
    body.extend_from_slice(rest);
    Bytes::from(body)
}

/// Encodes what follows the revision: the rest of the metadata, then all other fields but the type.
fn encode_rest(object: &Value) -> Vec<u8> {
    let mut rest = Vec::with_capacity(256);
    rest.push(b'"');
    let metadata = object.get("metadata").and_then(Value::as_object);
    for (name, value) in metadata.into_iter().flatten() {
        if name != "resourceVersion" {
            encode_field(&mut rest, name, value);
        }
    }
    rest.push(b'}');
    for (name, value) in object.as_object().into_iter().flatten() {
        if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
            encode_field(&mut rest, name, value);
        }
    }
    rest.push(b'}');
    rest.shrink_to_fit();
    rest
}

fn encode_field(out: &mut Vec<u8>, name: &str, value: &Value) {
    out.push(b',');
    // Writing JSON to memory does not fail.
    drop(serde_json::to_writer(&mut *out, name));
    out.push(b':');
    drop(serde_json::to_writer(out, value));
}

impl Stored {
    /// Encodes an object at a revision, without `apiVersion` and `kind`.
    #[cfg(test)]
    pub(crate) fn encode(object: &Value, revision: u64, schema: u64) -> Self {
        Draft::of(object, schema).at(revision)
    }

    /// Decodes the object, without `apiVersion` and `kind`.
    pub(crate) fn decode(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the same object with a later revision: the last state of a deleted object.
    pub(crate) fn at_revision(&self, revision: u64) -> Self {
        let after = self.body.get(START.len()..).unwrap_or_default();
        let end = after.iter().position(|byte| *byte == b'"');
        Self {
            key: self.key.clone(),
            uid: self.uid.clone(),
            revision,
            labels: self.labels.clone(),
            owners: self.owners.clone(),
            schema: self.schema,
            body: body(
                revision,
                after.get(end.unwrap_or_default()..).unwrap_or_default(),
            ),
        }
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
        let later = stored.at_revision(10);
        assert_eq!(later.revision, 10);
        assert_eq!(
            later.decode(),
            json!({"metadata": {"name": "a", "labels": {"l": "v"}, "resourceVersion": "10"}, "data": {}})
        );
    }
}
