//! The REST handlers: the implementation of each verb.
//!
//! [`dispatch`] passes a resolved request ([`Call`]) to its handler. Writes go through [`intake`]
//! (decoding and field validation), [`strategy`] (metadata rules, kind-specific rules and
//! validation) and [`write`](mod@write) (commit).

mod admission;
pub(crate) mod apply;
mod call;
pub(crate) mod continue_token;
mod conversion;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod intake;
pub(crate) mod list;
pub(crate) mod list_options;
pub(crate) mod options;
mod patch;
mod pods;
mod present;
mod read;
mod scale;
mod scale_intake;
mod shard_selector;
mod strategy;
mod token;
mod update;
mod watch;
pub(crate) mod write;

use std::sync::Arc;

use crate::core::Core;
use crate::http::path::ObjectPath;
use crate::http::respond::{Answer, Content};
use crate::registry::{Persistence, Served, Subresource};
use crate::status::ApiError;
pub(crate) use call::{Call, Requester, Verb};

/// Handles a request.
///
/// # Errors
/// The status for the client.
pub(crate) async fn dispatch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let outcome = handle(core, call).await;
    let mut warnings: Vec<String> = call.served.version().deprecation.iter().cloned().collect();
    warnings.extend(call.requester.warnings.take());
    match outcome {
        // Error responses carry the warnings, too.
        Err(error) if !warnings.is_empty() => {
            let content = Content::Document(error.to_status(), call.accepted.format);
            Ok(Answer::new(error.code, content).with_warnings(warnings))
        }
        outcome => outcome.map(|answer| answer.with_warnings(warnings)),
    }
}

async fn handle(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    use Subresource::{
        Approval, Binding, EphemeralContainers, Eviction, Finalize, Scale, Status, Token,
    };
    let Some(subresource) = call.subresource else {
        return main(core, call).await;
    };
    match (subresource, call.verb) {
        (Scale, Verb::Get) => scale::get(core, call).await,
        (Scale, Verb::Update) => scale::update(core, call).await,
        (Scale, Verb::Patch) => scale::patch(core, call).await,
        (Binding, Verb::Create) => pods::bind(core, call).await,
        (Eviction, Verb::Create) => pods::evict(core, call).await,
        (Token, Verb::Create) => token::create(core, call),
        (Status | Approval | EphemeralContainers, Verb::Get) => read::get(core, call).await,
        (Status | Approval | EphemeralContainers | Finalize, Verb::Update) => {
            update::update(core, call).await
        }
        (Status | Approval | EphemeralContainers, Verb::Patch) => patch::patch(core, call).await,
        _ => Err(not_supported(call)),
    }
}

/// Returns the subresource that a path names; `None` for the object itself.
///
/// # Errors
/// 404 for one that the kind does not have, 400 for one that only a node could answer.
pub(crate) fn subresource(
    core: &Core,
    served: &Served,
    path: &ObjectPath,
) -> Result<Option<Subresource>, ApiError> {
    let name = path.subresource.as_str();
    match served.version().subresource(name) {
        None if name.is_empty() => Ok(None),
        Some(subresource) => Ok(Some(subresource)),
        None if served.resource.is_custom() => Err(ApiError::not_found(
            &served.resource.group_resource(),
            &path.name,
        )),
        None if served.is("", "pods") && pods::NEEDS_NODE.contains(&name) => {
            Err(pods::no_node(core, served, path))
        }
        None => Err(ApiError::no_such_resource()),
    }
}

/// Returns 405, with the message of the custom resource handler or of the router of built-in kinds.
fn not_supported(call: &Call) -> ApiError {
    if call.served.resource.is_custom() {
        ApiError::not_supported(&call.group_resource(), call.verb.name())
    } else {
        ApiError::method_not_allowed()
    }
}

async fn main(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    if call.served.resource.persistence == Persistence::Virtual {
        return match call.verb {
            Verb::Create => create::review(core, call).await,
            _ => Err(not_supported(call)),
        };
    }
    match call.verb {
        Verb::Get => read::get(core, call).await,
        Verb::List => list::list(core, call).await,
        Verb::Watch => watch::watch(core, call).await,
        Verb::Create => create::create(core, call).await,
        Verb::Update => update::update(core, call).await,
        Verb::Patch => patch::patch(core, call).await,
        Verb::Delete => delete::delete(core, call).await,
        Verb::DeleteCollection => delete::delete_collection(core, call).await,
    }
}
