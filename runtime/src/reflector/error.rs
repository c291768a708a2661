//! Errors of a reflector, and the classification of the API server's errors.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use kube::Error;
use kube::core::Status;

use crate::error::chain;
use crate::store::ObjectKey;

/// An error while listing or watching. None of them ends a reflector. Displayed with all its
/// causes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// The list failed; it is retried after a back-off.
    #[error("failed to list {resource}: {}", chain(source))]
    List {
        /// The resource.
        resource: String,
        /// The cause.
        source: Error,
    },
    /// The streamed list failed; a plain list follows immediately.
    #[error(
        "failed to stream the initial list of {resource}, falling back to a list: {}",
        chain(source)
    )]
    WatchList {
        /// The resource.
        resource: String,
        /// The cause.
        source: Error,
    },
    /// The watch failed or ended with an error.
    #[error("failed to watch {resource}: {}", chain(source))]
    Watch {
        /// The resource.
        resource: String,
        /// The cause.
        source: Error,
    },
    /// The server closed a watch in under a second without an event.
    #[error(
        "very short watch: {resource}: unexpected watch close, in under a second and without an event"
    )]
    VeryShortWatch {
        /// The resource.
        resource: String,
    },
    /// The server ended a streamed list before its closing bookmark; the objects received so far
    /// were discarded.
    #[error("the initial list of {resource} was cut before its closing bookmark")]
    InitialListCut {
        /// The resource.
        resource: String,
    },
    /// The closing bookmark of a streamed list is late; the list continues as long as objects
    /// arrive. Reported every ten seconds.
    #[error("the initial list of {resource} has waited {} s for its closing bookmark", waited.as_secs())]
    InitialListSlow {
        /// The resource.
        resource: String,
        /// The time since the request.
        waited: Duration,
    },
    /// A watch was silent for longer than the interval of the server's bookmarks; it is reopened.
    #[error("the watch of {resource} was silent for {} s: expected a bookmark; restarting the watch", silent.as_secs())]
    WatchSilent {
        /// The resource.
        resource: String,
        /// The duration of the silence.
        silent: Duration,
    },
    /// The API server's resourceVersions are lower than before: it has lost its state, was restored
    /// from a backup, or is another server. A list for its newest state follows immediately, or has
    /// just been read.
    #[error(
        "the resourceVersions of {resource} went back from {from} to {to}: the API server lost or replaced its state; relisting"
    )]
    VersionWentBack {
        /// The resource.
        resource: String,
        /// The highest version known before.
        from: String,
        /// The version received now.
        to: String,
    },
    /// One object was skipped.
    #[error("skipped an object of {resource}: {source}")]
    Undecodable {
        /// The resource.
        resource: String,
        /// The object and the reason.
        source: Undecodable,
    },
}

/// An object that does not decode as its type, has another kind, or made a transform panic.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {reason}", key.as_ref().map_or("(no name)", |key| key.as_str()))]
pub struct Undecodable {
    /// The object's key, if at least its metadata could be read.
    pub key: Option<ObjectKey>,
    /// The object's resourceVersion, if it could be read.
    pub resource_version: Option<String>,
    /// What is wrong with the object.
    pub reason: String,
}

/// Whether the resourceVersion is too old for the server.
pub(crate) fn is_expired(error: &Error) -> bool {
    status(error).is_some_and(|status| {
        matches!(status.reason.as_str(), "Expired" | "Gone") || status.code == 410
    })
}

/// Whether the resourceVersion is newer than any that the server has.
pub(crate) fn is_too_large_version(error: &Error) -> bool {
    let has_cause = |status: &Status| {
        let causes = status.details.iter().flat_map(|details| &details.causes);
        causes
            .into_iter()
            .any(|cause| cause.reason == "ResourceVersionTooLarge")
    };
    status(error).is_some_and(|status| {
        has_cause(status)
            || (status.code == 504 && status.message.contains("Too large resource version"))
    })
}

pub(crate) fn is_too_many_requests(error: &Error) -> bool {
    status(error).is_some_and(|status| status.reason == "TooManyRequests" || status.code == 429)
}

pub(crate) fn is_internal(error: &Error) -> bool {
    status(error).is_some_and(|status| status.reason == "InternalError" || status.code == 500)
}

/// Whether the server does not support streamed lists: they are unknown to it or disabled.
pub(crate) fn is_unsupported(error: &Error) -> bool {
    status(error).is_some_and(|status| matches!(status.code, 400 | 405 | 422))
}

/// Whether the connection to the server was refused.
pub(crate) fn is_connection_refused(error: &Error) -> bool {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::ConnectionRefused
        {
            return true;
        }
        next = error.source();
    }
    false
}

fn status(error: &Error) -> Option<&Status> {
    match error {
        Error::Api(status) => Some(status),
        _ => None,
    }
}
