//! Errors of a reflector, and the classification of the API server's answers.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use kube::Error;
use kube::core::Status;

use crate::error::chain;
use crate::store::ObjectKey;

/// Something that went wrong while listing or watching. None of these ends a reflector. Displayed with all its causes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// The list failed; it is tried again after a back-off.
    #[error("failed to list {resource}: {}", chain(source))]
    List {
        /// The resource.
        resource: String,
        /// Why.
        source: Error,
    },
    /// The streamed list failed; a plain list follows at once.
    #[error(
        "failed to stream the initial list of {resource}, falling back to a list: {}",
        chain(source)
    )]
    WatchList {
        /// The resource.
        resource: String,
        /// Why.
        source: Error,
    },
    /// The watch failed or ended with an error.
    #[error("failed to watch {resource}: {}", chain(source))]
    Watch {
        /// The resource.
        resource: String,
        /// Why.
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
    /// The server ended a streamed list before its closing bookmark; what came so far was discarded.
    #[error("the initial list of {resource} was cut before its closing bookmark")]
    InitialListCut {
        /// The resource.
        resource: String,
    },
    /// The closing bookmark of a streamed list is long in coming; it is waited for as long as objects come. Reported every ten
    /// seconds.
    #[error("the initial list of {resource} has waited {} s for its closing bookmark", waited.as_secs())]
    InitialListSlow {
        /// The resource.
        resource: String,
        /// Since the list was asked for.
        waited: Duration,
    },
    /// A watch was silent for longer than the server's bookmarks are apart; it is opened anew.
    #[error("the watch of {resource} was silent for {} s, in which a bookmark should have come; watching anew", silent.as_secs())]
    WatchSilent {
        /// The resource.
        resource: String,
        /// For how long.
        silent: Duration,
    },
    /// The API server's resourceVersions are lower than before: it has lost its state, was restored from a backup, or is
    /// another one. A list for its newest state follows at once, or has just been read.
    #[error(
        "the resourceVersions of {resource} went back from {from} to {to}: the API server has another state; relisting"
    )]
    VersionWentBack {
        /// The resource.
        resource: String,
        /// The highest that was known.
        from: String,
        /// The kind that came now.
        to: String,
    },
    /// One object was skipped.
    #[error("skipped an object of {resource}: {source}")]
    Undecodable {
        /// The resource.
        resource: String,
        /// Which one and why.
        source: Undecodable,
    },
}

/// An object that did not fit its type, is of another kind, or made a transform panic.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {reason}", key.as_ref().map_or("(no name)", |key| key.as_str()))]
pub struct Undecodable {
    /// The object's key, if at least its metadata could be read.
    pub key: Option<ObjectKey>,
    /// Its resourceVersion, if that could be read.
    pub resource_version: Option<String>,
    /// The defect.
    pub reason: String,
}

/// Whether the resourceVersion is too old for the server.
pub(crate) fn is_expired(error: &Error) -> bool {
    status(error).is_some_and(|status| {
        matches!(status.reason.as_str(), "Expired" | "Gone") || status.code == 410
    })
}

/// Whether the resourceVersion is newer than anything the server has.
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

/// Whether the server refuses streamed lists as such: it does not know them or they are switched off.
pub(crate) fn is_unsupported(error: &Error) -> bool {
    status(error).is_some_and(|status| matches!(status.code, 400 | 405 | 422))
}

/// How long the server asks to be left alone.
pub(crate) fn retry_after(error: &Error) -> Option<Duration> {
    let seconds = status(error)?.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)))
}

/// Whether nobody listens at the server's address.
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
