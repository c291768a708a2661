//! Reads a server's answer whole and within limits, and detects failures with a successful HTTP
//! code.

use std::error::Error as StdError;
use std::iter;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Response;
use http::header::RETRY_AFTER;
use http_body_util::BodyExt;
use kube::Error;
use kube::client::Body;
use kube::core::Status;
use kube::core::response::StatusDetails;
use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::lines::MOST_BYTES;
use super::sent::{Answer, Sent};
use crate::error::chain;
use crate::json;

/// The longest silence within an answer. An API server ends a request after 60 s by itself.
const SILENCE: Duration = Duration::from_secs(65);
/// The length to which a body that is not a status is cut in the error: client-go's limit.
const MOST_TEXT: usize = 2048;

/// The longest delay that a server can request.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// The size limit of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One object, whose size the API server's store limits.
    Object,
    /// Any number of objects, or a size that only the caller knows.
    Any,
}

/// An answer that exceeds a limit.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum Endless {
    #[error("the response stalled: no data for {} s", SILENCE.as_secs())]
    Silent,
    #[error("the response has more than {MOST_BYTES} bytes")]
    TooLarge,
}

/// Reads all of `body`.
pub(super) async fn read(mut body: Body, size: Size) -> Result<Bytes, Error> {
    let endless = |error: Endless| Error::Service(Box::new(error));
    let mut whole = BytesMut::new();
    loop {
        let frame = match tokio::time::timeout(SILENCE, body.frame()).await {
            Ok(Some(frame)) => frame?,
            Ok(None) => return Ok(whole.freeze()),
            Err(_) => return Err(endless(Endless::Silent)),
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if size == Size::Object && whole.len() + data.len() > MOST_BYTES {
            return Err(endless(Endless::TooLarge));
        }
        whole.extend_from_slice(&data);
    }
}

/// Decodes the answer as an `R`.
pub(crate) fn object<R: DeserializeOwned>(answer: &Answer) -> Result<R, Error> {
    let body = &answer.body;
    // A type that ignores `kind` would decode a status as an object. Not every server writes `kind`
    // first.
    if memmem::find(body, b"\"Status\"").is_some()
        && let Err(failure @ Error::Api(_)) = status(answer)
    {
        return Err(failure);
    }
    json::read(body).map_err(|error| match status(answer) {
        Err(failure @ Error::Api(_)) => failure,
        _ => answer.sent.blame(Error::SerdeError(error)),
    })
}

/// Returns the answer's status, if its kind is `Status`. A failure is an error, whatever its HTTP
/// code.
pub(super) fn status(answer: &Answer) -> Result<Option<Status>, Error> {
    read_status(&answer.body).map_err(|error| answer.sent.blame(error))
}

fn read_status(answer: &[u8]) -> Result<Option<Status>, Error> {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        kind: String,
    }
    let kind: Kind = serde_json::from_slice(answer).map_err(Error::SerdeError)?;
    if kind.kind != "Status" {
        return Ok(None);
    }
    let status: Status = serde_json::from_slice(answer).map_err(Error::SerdeError)?;
    if status.is_failure() {
        return Err(Error::Api(status.boxed()));
    }
    Ok(Some(status))
}

/// Returns the error of an unsuccessful answer: the server's status, or one built from the body.
pub(super) async fn status_error(response: Response<Body>, sent: &Sent) -> Error {
    let code = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse::<u32>().ok());
    // The code counts even if the body is lost: not found is not found.
    let (body, lost) = match read(response.into_body(), Size::Object).await {
        Ok(body) => (body, String::new()),
        Err(error) => (
            Bytes::new(),
            format!(" (its body was lost: {})", chain(&error)),
        ),
    };
    let says = |status: &Status| !(status.message.is_empty() && status.reason.is_empty());
    let status = serde_json::from_slice::<Status>(&body).ok().filter(says);
    let mut status = status.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(&body);
        let text = match text.trim() {
            "" => format!("{code}{lost}"),
            text => sent.meaning(text).unwrap_or_else(|| shortened(text)),
        };
        Status::failure(&text, "")
    });
    if status.code == 0 {
        status.code = code.as_u16();
    }
    if let Some(seconds) = retry_after {
        let details = status.details.get_or_insert_with(|| StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes: Vec::new(),
            retry_after_seconds: 0,
        });
        if details.retry_after_seconds == 0 {
            details.retry_after_seconds = seconds;
        }
    }
    Error::Api(status.boxed())
}

/// Returns how long the server asks clients to wait before they send such a request again, five
/// minutes at most.
pub(crate) fn retry_after(error: &Error) -> Option<Duration> {
    match error {
        Error::Api(status) => rest(status),
        _ => None,
    }
}

/// Like [`retry_after`], for an error that an API server's error caused.
pub(crate) fn retry_after_in_chain(error: &(dyn StdError + 'static)) -> Option<Duration> {
    let mut causes = iter::successors(Some(error), |error| StdError::source(*error));
    causes.find_map(|cause| {
        // A transparent wrapper hides the error itself, but not the status, which is its source.
        let status = cause.downcast_ref::<Box<Status>>().map(|status| &**status);
        let status = status.or_else(|| cause.downcast_ref::<Status>());
        match cause.downcast_ref::<Error>() {
            Some(error) => retry_after(error),
            None => rest(status?),
        }
    })
}

fn rest(status: &Status) -> Option<Duration> {
    let seconds = status.details.as_ref()?.retry_after_seconds;
    let asked = Duration::from_secs(u64::from(seconds));
    (seconds > 0).then(|| asked.min(LONGEST_REST))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
