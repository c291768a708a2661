//! A request for objects, resolved to a served resource.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use crate::http::negotiate::Accepted;
use crate::http::query::Query;
use crate::rbac::user::User;
use crate::registry::{Served, Subresource};
use crate::status::{ApiError, GroupResource};
use crate::store::Key;
use crate::testing::faults::Struck;

/// The verb of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// The warnings collected while a request is handled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<Mutex<Recorded>>);

/// The collected warnings; bounded, because webhooks may return any number of them.
#[derive(Debug, Default)]
struct Recorded {
    texts: Vec<String>,
    characters: usize,
    /// The total number of characters if each warning is truncated.
    cut: usize,
}

/// The number of characters from which on warnings are truncated; also the approximate limit after
/// truncation (`k8s.io/apiserver/pkg/warning`).
const MOST_CHARACTERS: usize = 4096;
/// The number of characters that remain of a truncated warning.
const CUT_CHARACTERS: usize = 256;

impl Warnings {
    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock()
    }

    /// Adds warnings; skips duplicates.
    pub(super) fn extend(&self, warnings: impl IntoIterator<Item = String>) {
        let mut all = self.lock();
        for warning in warnings {
            if all.characters > MOST_CHARACTERS && all.cut >= MOST_CHARACTERS {
                return;
            }
            if !warning.is_empty() && !all.texts.contains(&warning) {
                let characters = warning.chars().count();
                all.characters += characters;
                all.cut += characters.min(CUT_CHARACTERS);
                all.texts.push(warning);
            }
        }
    }

    pub(super) fn take(&self) -> Vec<String> {
        let mut all = std::mem::take(&mut *self.lock());
        if all.characters > MOST_CHARACTERS {
            for text in &mut all.texts {
                *text = text.chars().take(CUT_CHARACTERS).collect();
            }
        }
        all.texts
    }
}

/// The user who makes a request, and the warnings that they get.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requester {
    pub(crate) user: User,
    pub(crate) warnings: Warnings,
    /// The number of the recorded request; `None` for the server's own writes, which need no
    /// permission.
    pub(crate) request: Option<usize>,
}

impl Requester {
    /// Returns the requester for a controller inside the server.
    pub(crate) fn controller(name: &str) -> Self {
        Self {
            user: User::named(format!("system:serviceaccount:kube-system:{name}")),
            ..Self::default()
        }
    }

    /// Returns the `userInfo` of an admission review.
    pub(super) fn info(&self) -> Value {
        self.user.info()
    }
}

/// A request for objects of a served resource.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) verb: Verb,
    pub(crate) served: Served,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// `None` for the object itself.
    pub(crate) subresource: Option<Subresource>,
    pub(crate) query: Query,
    pub(crate) accepted: Accepted,
    pub(crate) content_type: Option<String>,
    pub(crate) user_agent: String,
    pub(crate) requester: Requester,
    pub(crate) body: Bytes,
    pub(crate) struck: Struck,
}

impl Call {
    pub(crate) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }

    /// Returns the namespace of the request's objects; `None` for a cluster-scoped kind.
    pub(crate) fn object_namespace(&self) -> Option<&str> {
        self.served
            .resource
            .namespaced
            .then_some(self.namespace.as_str())
    }

    pub(crate) fn group_resource(&self) -> GroupResource {
        self.served.resource.group_resource()
    }

    pub(crate) fn not_found(&self) -> ApiError {
        ApiError::not_found(&self.group_resource(), &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_that_are_too_long_are_cut() {
        let check = |count: usize, length: usize, expected: (usize, usize)| {
            let warnings = Warnings::default();
            warnings.extend((0..count).map(|number| format!("{number:0length$}")));
            let taken = warnings.take();
            let longest = taken.iter().map(String::len).max().unwrap_or_default();
            assert_eq!((taken.len(), longest), expected, "{count} of {length}");
        };
        check(13, 300, (13, 300));
        check(14, 300, (14, 256));
        check(20, 300, (16, 256));
        check(100_000, 5, (820, 5));
    }
}
