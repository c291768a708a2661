//! A record of all requests for objects, for assertions about a client.

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use crate::http::decode::{Encoding, decode};
use crate::http::query::Query;
use crate::rbac::access::Access;

/// A request for objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The user, from [`client_as`](crate::ApiServer::client_as) or `Impersonate-User`; empty for
    /// other clients.
    pub user: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`.
    pub verb: &'static str,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version (`v1`).
    pub version: String,
    /// The plural name (`pods`).
    pub resource: String,
    /// The subresource (`status`); empty for none.
    pub subresource: String,
    /// The namespace; empty for cluster-scoped resources and all namespaces.
    pub namespace: String,
    /// The object's name; empty for collections.
    pub name: String,
    /// The request's `Content-Type`, which determines the type of a patch.
    pub content_type: String,
    /// The query string, undecoded.
    pub query: String,
    /// The decoded body; null if it is empty or malformed.
    pub body: Value,
    /// Whether an update or patch created the object, because it did not exist.
    pub created: bool,
    /// What the request needs permissions for besides its own verb, because it changed owner
    /// references: to delete the object, and to update the finalizers of owners whose deletion it
    /// blocks.
    pub implied: Vec<Access>,
}

impl Action {
    /// Whether this is a request with the specified verb and resource; `*` matches any. A
    /// subresource is written `pods/status`.
    pub fn matches(&self, verb: &str, resource: &str) -> bool {
        let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let resource_matches = resource == "*"
            || (plural == "*" || plural == self.resource)
                && (subresource == "*" || subresource == self.subresource);
        (verb == "*" || verb == self.verb) && resource_matches
    }
}

impl Access {
    /// Returns what a request needs for its own verb. A list or watch of one name is authorized by
    /// that name.
    pub(crate) fn of(action: &Action) -> Self {
        Self {
            verb: action.verb.to_owned(),
            group: action.group.clone(),
            resource: action.resource.clone(),
            subresource: action.subresource.clone(),
            namespace: action.namespace.clone(),
            name: if action.name.is_empty() {
                selected_name(&action.query).unwrap_or_default()
            } else {
                action.name.clone()
            },
        }
    }
}

/// Returns the name in `fieldSelector=metadata.name=…`: kube-apiserver authorizes such lists and
/// watches by name.
fn selected_name(query: &str) -> Option<String> {
    let query = Query::parse(query).ok()?;
    let selector = query.get("fieldSelector")?;
    let mut requirements = selector.split(',');
    requirements.find_map(|requirement| {
        let value = requirement.strip_prefix("metadata.name=")?;
        Some(value.strip_prefix('=').unwrap_or(value).to_owned())
    })
}

/// A recorded request; its body is decoded on demand.
#[derive(Debug)]
struct Kept {
    action: Action,
    body: Bytes,
}

#[derive(Debug, Default)]
struct Record {
    requests: VecDeque<Kept>,
    /// The number of requests dropped from the record.
    forgotten: usize,
    bytes: usize,
}

/// The requests so far, oldest first. Keeps the newest 100,000, with at most 64 MiB of bodies.
#[derive(Debug, Default)]
pub struct Recorder {
    record: Mutex<Record>,
}

const KEPT: usize = 100_000;
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Decodes a body by its content type; returns null if it is empty or malformed.
pub(crate) fn decode_body(content_type: &str, body: &[u8]) -> Value {
    let encoding = match content_type {
        kind if kind.contains("yaml") => Encoding::Yaml,
        kind if kind.contains("protobuf") => Encoding::Protobuf,
        _ => Encoding::Json,
    };
    if body.is_empty() {
        return Value::Null;
    }
    decode(body, encoding)
        .map(|decoded| decoded.value)
        .unwrap_or_default()
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock()
    }

    /// Records a request and returns its number. The body of `action` is discarded; `body` is kept.
    pub(crate) fn record(&self, mut action: Action, body: Bytes) -> usize {
        action.body = Value::Null;
        let mut record = self.lock();
        record.bytes += body.len();
        record.requests.push_back(Kept { action, body });
        while record.requests.len() > KEPT || record.bytes > KEPT_BYTES {
            let Some(oldest) = record.requests.pop_front() else {
                break;
            };
            record.bytes -= oldest.body.len();
            record.forgotten += 1;
        }
        record.forgotten + record.requests.len() - usize::from(!record.requests.is_empty())
    }

    /// Records that the request with this number created its object.
    pub(crate) fn created(&self, number: usize) {
        let mut record = self.lock();
        let index = number.checked_sub(record.forgotten);
        if let Some(kept) = index.and_then(|index| record.requests.get_mut(index)) {
            kept.action.created = true;
        }
    }

    /// Records what else the request with this number needs. A write that is tried again replaces
    /// it.
    pub(crate) fn implied(&self, number: usize, implied: Vec<Access>) {
        let mut record = self.lock();
        let index = number.checked_sub(record.forgotten);
        if let Some(kept) = index.and_then(|index| record.requests.get_mut(index)) {
            kept.action.implied = implied;
        }
    }

    /// Returns a copy of the recorded requests.
    pub fn actions(&self) -> Vec<Action> {
        let record = self.lock();
        let decoded = record.requests.iter().map(|kept| Action {
            body: decode_body(&kept.action.content_type, &kept.body),
            ..kept.action.clone()
        });
        decoded.collect()
    }

    /// Clears the record.
    pub fn clear(&self) {
        let mut record = self.lock();
        *record = Record {
            forgotten: record.forgotten + record.requests.len(),
            ..Record::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(content_type: &str) -> Action {
        Action {
            user: String::new(),
            verb: "update",
            group: String::new(),
            version: "v1".into(),
            resource: "pods".into(),
            subresource: "status".into(),
            namespace: "ns".into(),
            name: "a".into(),
            content_type: content_type.into(),
            query: String::new(),
            body: Value::Null,
            created: false,
            implied: Vec::new(),
        }
    }

    #[test]
    fn an_action_matches_by_verb_and_resource() {
        let action = action("");
        assert!(action.matches("*", "*"));
        assert!(action.matches("update", "pods/status"));
        assert!(action.matches("*", "pods/*"));
        assert!(!action.matches("update", "pods"));
        assert!(!action.matches("get", "pods/status"));
    }

    #[test]
    fn bodies_are_kept_up_to_a_bound_and_decoded_when_read() {
        let recorder = Recorder::default();
        recorder.record(action("application/yaml"), Bytes::from_static(b"a: 1"));
        assert_eq!(recorder.actions()[0].body, serde_json::json!({"a": 1}));
        for _ in 0..30 {
            recorder.record(action(""), Bytes::from(vec![b' '; 3 * 1024 * 1024]));
        }
        assert_eq!(recorder.lock().requests.len(), 21);
    }
}
