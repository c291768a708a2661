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
use crate::http::respond::{Answer, Content};
use crate::registry::{Persistence, Subresource};
use crate::status::ApiError;
pub(crate) use call::{Call, Requester, Verb, Warnings};

/// Handles a request.
///
/// # Errors
/// The status for the client.
pub(crate) async fn dispatch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let outcome = handle(core, call).await;
    let mut warnings: Vec<String> = call.served.version().deprecation.iter().cloned().collect();
    warnings.extend(call.warnings.take());
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
    let version = call.served.version();
    let unsupported = || not_supported(call);
    match call.subresource.as_str() {
        "" => main(core, call).await,
        "status" if version.status => match call.verb {
            Verb::Get => read::get(core, call).await,
            Verb::Update => update::update(core, call).await,
            Verb::Patch => patch::patch(core, call).await,
            _ => Err(unsupported()),
        },
        "scale" if version.scale.is_some() => match call.verb {
            Verb::Get => scale::get(core, call).await,
            Verb::Update => scale::update(core, call).await,
            Verb::Patch => scale::patch(core, call).await,
            _ => Err(unsupported()),
        },
        name => match version
            .subresources
            .iter()
            .find(|sub| sub.describe().name == name)
        {
            Some(sub) => match (sub, call.verb) {
                (Subresource::Binding, Verb::Create) => pods::bind(core, call).await,
                (Subresource::Eviction, Verb::Create) => pods::evict(core, call).await,
                (Subresource::Finalize, Verb::Update) => update::update(core, call).await,
                (Subresource::Approval | Subresource::EphemeralContainers, verb) => match verb {
                    Verb::Get => read::get(core, call).await,
                    Verb::Update => update::update(core, call).await,
                    Verb::Patch => patch::patch(core, call).await,
                    _ => Err(unsupported()),
                },
                (Subresource::Token, Verb::Create) => token::create(core, call),
                _ => Err(unsupported()),
            },
            None if call.served.resource.is_custom() => Err(call.not_found()),
            None if call.served.is("", "pods") && pods::NEEDS_NODE.contains(&name) => {
                Err(pods::no_node(core, call))
            }
            None => Err(ApiError::no_such_resource()),
        },
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
