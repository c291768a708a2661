//! The REST handlers: what each verb does to the store.
//!
//! [`dispatch`] takes a resolved request ([`Call`]) to its handler. Writes go through [`intake`] (decoding and field
//! validation), [`meta`] (metadata rules), [`kinds`] (what single built-in kinds do besides) and [`persist`].

pub(crate) mod apply;
pub(crate) mod continue_token;
pub(crate) mod crd_kind;
pub(crate) mod crds;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod intake;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod list_options;
pub(crate) mod meta;
pub(crate) mod namespaces;
pub(crate) mod options;
pub(crate) mod patch;
pub(crate) mod persist;
pub(crate) mod pods;
pub(crate) mod present;
pub(crate) mod read;
pub(crate) mod rules;
pub(crate) mod scale;
pub(crate) mod update;

use std::sync::Arc;

use bytes::Bytes;

use crate::core::Core;
use crate::faults::Struck;
use crate::http::negotiate::Accepted;
use crate::http::query::Query;
use crate::http::respond::Answer;
use crate::registry::Served;
use crate::status::{ApiError, GroupResource};
use crate::store::Key;

/// What a request does.
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

/// A request for objects of a served resource.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) verb: Verb,
    pub(crate) served: Served,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
    pub(crate) query: Query,
    pub(crate) accepted: Accepted,
    pub(crate) content_type: Option<String>,
    pub(crate) user_agent: String,
    pub(crate) body: Bytes,
    pub(crate) struck: Struck,
}

impl Call {
    pub(crate) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }

    pub(crate) fn group_resource(&self) -> GroupResource {
        self.served.resource.group_resource()
    }

    pub(crate) fn not_found(&self) -> ApiError {
        ApiError::not_found(&self.group_resource(), &self.name)
    }
}

/// Carries out a request.
///
/// # Errors
/// What the client gets as its status.
pub(crate) fn dispatch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let version = call.served.version();
    let unsupported = || not_supported(call);
    match call.subresource.as_str() {
        "" => main(core, call),
        "status" if version.status => match call.verb {
            Verb::Get => read::get(core, call),
            Verb::Update => update::update(core, call),
            Verb::Patch => patch::patch(core, call),
            _ => Err(unsupported()),
        },
        "scale" if version.scale.is_some() => match call.verb {
            Verb::Get => scale::get(core, call),
            Verb::Update => scale::update(core, call),
            Verb::Patch => scale::patch(core, call),
            _ => Err(unsupported()),
        },
        sub if version.subresources.contains(&sub) => match (sub, call.verb) {
            ("binding", Verb::Create) => pods::bind(core, call),
            ("eviction", Verb::Create) => pods::evict(core, call),
            ("finalize", Verb::Update) => update::update(core, call),
            _ => Err(unsupported()),
        },
        _ if call.served.resource.is_custom() => Err(call.not_found()),
        _ => Err(ApiError::no_such_resource()),
    }
}

/// 405, as the handler of custom resources and the router of built-in kinds word it.
fn not_supported(call: &Call) -> ApiError {
    if call.served.resource.is_custom() {
        ApiError::not_supported(&call.group_resource(), call.verb.name())
    } else {
        ApiError::method_not_allowed()
    }
}

fn main(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    match call.verb {
        Verb::Get => read::get(core, call),
        Verb::List => list::list(core, call),
        Verb::Watch => crate::watch::watch(core, call),
        Verb::Create => create::create(core, call),
        Verb::Update => update::update(core, call),
        Verb::Patch => patch::patch(core, call),
        Verb::Delete => delete::delete(core, call),
        Verb::DeleteCollection => delete::delete_collection(core, call),
    }
}
