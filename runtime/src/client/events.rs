//! The events of a watch, one by one.

use std::error::Error as StdError;
use std::{io, iter};

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use http::{HeaderValue, Request, header::ACCEPT_ENCODING};
use http_body_util::BodyExt;
use kube::api::WatchEvent;
use kube::core::Status;
use kube::{Client, Error};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::value::RawValue;

use super::lines::{Lines, MOST_BYTES, TooLarge};
use super::sent::Sent;
use super::{Result, WatchStream, exchange};
use crate::error::chain;
use crate::json;

/// Sends `request` once and returns the events of the answer as they arrive.
pub(super) async fn watch<K: DeserializeOwned + Send + 'static>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<WatchStream<K>> {
    let (lines, sent) = lines(client, request).await?;
    let event = move |line: Result<Vec<u8>>| {
        let event = line.and_then(|line| decode(&line));
        event.map_err(|error| sent.blame(error))
    };
    Ok(lines.map(event).boxed())
}

/// Returns the lines of the answer. Not generic, so that it is compiled once and not for every
/// kind.
async fn lines(
    client: &Client,
    mut request: Request<Vec<u8>>,
) -> Result<(BoxStream<'static, Result<Vec<u8>>>, Sent)> {
    // Since 1.37 the API server compresses each watch event separately; common decoders stop after
    // the first.
    let identity = HeaderValue::from_static("identity");
    request.headers_mut().insert(ACCEPT_ENCODING, identity);
    let (response, sent) = exchange::send(client, request).await?;
    let start = Reader {
        body: response.into_body().into_data_stream(),
        lines: Lines::default(),
    };
    let chunks = stream::unfold(Some(start), next);
    Ok((chunks.flat_map(stream::iter).boxed(), sent))
}

struct Reader<B> {
    body: B,
    lines: Lines,
}

/// Returns the lines that the next chunk completes. Nothing follows an error.
async fn next<B>(reader: Option<Reader<B>>) -> Option<(Vec<Result<Vec<u8>>>, Option<Reader<B>>)>
where
    B: Stream<Item = Result<Bytes>> + Unpin,
{
    let mut reader = reader?;
    let mut whole = Vec::new();
    let mut keep = |line: &[u8]| {
        whole.push(Ok(line.to_vec()));
        Ok::<_, Error>(())
    };
    match reader.body.next().await {
        Some(Ok(chunk)) => {
            let _ = reader.lines.feed(&chunk, keep);
            if reader.lines.buffered() > MOST_BYTES {
                whole.push(Err(Error::Service(Box::new(TooLarge))));
                return Some((whole, None));
            }
            Some((whole, Some(reader)))
        }
        Some(Err(error)) if is_cut_off(&error) => {
            tracing::debug!(error = %chain(&error), "watch connection ended");
            None
        }
        Some(Err(error)) => Some((vec![Err(error)], None)),
        None => {
            let _ = reader.lines.finish(&mut keep);
            Some((whole, None))
        }
    }
}

/// Whether the connection ended within the answer, which is how proxies end watches. As in kube,
/// the error's kind decides, or the message of TLS or of the chunk decoder.
fn is_cut_off(error: &Error) -> bool {
    let own: &dyn StdError = error;
    let mut causes = iter::successors(Some(own), |cause| StdError::source(*cause));
    causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
    }) || chain(error).to_string().contains("unexpected EOF")
}

fn decode<K: DeserializeOwned>(line: &[u8]) -> Result<WatchEvent<K>> {
    let (kind, object) = split_event(line).map_err(|error| no_event(line, error))?;
    let read: fn(K) -> WatchEvent<K> = match kind {
        b"ADDED" => WatchEvent::Added,
        b"MODIFIED" => WatchEvent::Modified,
        b"DELETED" => WatchEvent::Deleted,
        _ => return other(kind, object).map_err(Error::SerdeError),
    };
    json::read(object).map(read).map_err(Error::SerdeError)
}

/// Decodes an event that does not contain an object of the kind.
fn other<K>(kind: &[u8], object: &[u8]) -> serde_json::Result<WatchEvent<K>> {
    match kind {
        b"BOOKMARK" => serde_json::from_slice(object).map(WatchEvent::Bookmark),
        b"ERROR" => serde_json::from_slice(object).map(WatchEvent::Error),
        _ => {
            let kind = String::from_utf8_lossy(kind);
            Err(serde_json::Error::custom(format_args!(
                "unknown event type {kind:?}"
            )))
        }
    }
}

/// Returns the error for a line that is not an event: the status, if it is one.
pub(crate) fn no_event(line: &[u8], error: serde_json::Error) -> Error {
    match serde_json::from_slice::<Status>(line) {
        Ok(status) if status.is_failure() => Error::Api(status.boxed()),
        _ => Error::SerdeError(error),
    }
}

/// An event as kube-apiserver sends it: `{"type":"ADDED","object":{…}}`.
///
/// kube's `WatchEvent` buffers an object that precedes its type, which compiles the types of a kind
/// once more.
#[derive(Deserialize)]
struct RawEvent<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Splits a line of a watch into the event's type, such as `ADDED`, and the object's JSON.
///
/// # Errors
///
/// The line is not an event.
pub(crate) fn split_event(line: &[u8]) -> serde_json::Result<(&[u8], &[u8])> {
    if let Some(parts) = split_plain(line) {
        return Ok(parts);
    }
    let event: RawEvent<'_> = serde_json::from_slice(line)?;
    Ok((event.kind.as_bytes(), event.object.get().as_bytes()))
}

/// Splits a line in the form that every API server writes, to avoid parsing the object twice.
fn split_plain(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let (kind, rest) = rest.split_at_checked(end)?;
    let object = rest
        .strip_prefix(b"\",\"object\":")?
        .trim_ascii_end()
        .strip_suffix(b"}")?;
    Some((kind, object))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn read(line: &str) -> Result<WatchEvent<ConfigMap>> {
        decode(line.as_bytes())
    }

    #[test]
    fn events_are_read_whatever_the_order_of_their_fields() {
        let object = r#"{"metadata":{"name":"a"}}"#;
        for (kind, expected) in [("ADDED", 'a'), ("MODIFIED", 'm'), ("DELETED", 'd')] {
            for line in [
                format!(r#"{{"type":"{kind}","object":{object}}}"#),
                format!(r#"{{ "type" : "{kind}", "object": {object} }}"#),
                format!(r#"{{"object":{object},"type":"{kind}"}}"#),
            ] {
                let (read, map) = match read(&line) {
                    Ok(WatchEvent::Added(map)) => ('a', map),
                    Ok(WatchEvent::Modified(map)) => ('m', map),
                    Ok(WatchEvent::Deleted(map)) => ('d', map),
                    other => panic!("{line}: {other:?}"),
                };
                assert_eq!((read, map.metadata.name.as_deref()), (expected, Some("a")));
            }
        }
    }

    #[test]
    fn bookmarks_and_errors_are_events_too() {
        let line = r#"{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"7"}}}"#;
        let Ok(WatchEvent::Bookmark(bookmark)) = read(line) else {
            panic!("{line}");
        };
        assert_eq!(bookmark.metadata.resource_version, "7");
        let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}"#;
        let Ok(WatchEvent::Error(error)) =
            read(&format!(r#"{{"type":"ERROR","object":{status}}}"#))
        else {
            panic!("{status}");
        };
        assert_eq!(error.code, 410);
        let Err(Error::Api(error)) = read(status) else {
            panic!("{status}");
        };
        assert_eq!(error.code, 410);
    }

    #[test]
    fn other_lines_are_errors() {
        for (line, message) in [
            (
                r#"{"type":"RENAMED","object":{}}"#,
                "unknown event type \"RENAMED\"",
            ),
            (r#"{"type":"ADDED"}"#, "missing field `object`"),
            (
                r#"{"type":"ADDED","object":{"metadata":7}}"#,
                "invalid type: integer `7`",
            ),
            ("{", "EOF while parsing"),
        ] {
            let Err(Error::SerdeError(error)) = read(line) else {
                panic!("{line}");
            };
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}
