//! A record of every request for objects, for tests that assert what a client did.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// One request for objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
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
    /// The request's `Content-Type`, which tells patches apart.
    pub content_type: String,
    /// The query string, undecoded.
    pub query: String,
    /// The body, decoded; null when it is empty or malformed.
    pub body: Value,
}

impl Action {
    /// Whether this is a request of a verb for a resource; `*` stands for any. A subresource is written `pods/status`.
    pub fn matches(&self, verb: &str, resource: &str) -> bool {
        let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let resource_matches = resource == "*"
            || (plural == "*" || plural == self.resource)
                && (subresource == "*" || subresource == self.subresource);
        (verb == "*" || verb == self.verb) && resource_matches
    }
}

/// The requests so far, oldest first. The newest 100,000 are kept.
#[derive(Debug, Default)]
pub struct Recorder {
    actions: Mutex<std::collections::VecDeque<Action>>,
}

const KEPT: usize = 100_000;

impl Recorder {
    pub(crate) fn record(&self, action: Action) {
        let mut actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        if actions.len() == KEPT {
            actions.pop_front();
        }
        actions.push_back(action);
    }

    /// A copy of the record.
    pub fn actions(&self) -> Vec<Action> {
        let actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        actions.iter().cloned().collect()
    }

    /// Forgets all requests so far.
    pub fn clear(&self) {
        self.actions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_matches_by_verb_and_resource() {
        let action = Action {
            verb: "update",
            group: String::new(),
            version: "v1".into(),
            resource: "pods".into(),
            subresource: "status".into(),
            namespace: "ns".into(),
            name: "a".into(),
            content_type: String::new(),
            query: String::new(),
            body: Value::Null,
        };
        assert!(action.matches("*", "*"));
        assert!(action.matches("update", "pods/status"));
        assert!(action.matches("*", "pods/*"));
        assert!(!action.matches("update", "pods"));
        assert!(!action.matches("get", "pods/status"));
    }
}
