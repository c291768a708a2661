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
use serde::de::DeserializeOwned;

use super::lines::{Lines, MOST_BYTES, TooLarge};
use super::{Result, WatchStream, exchange};
use crate::error::chain;

/// Sends `request` once and returns the events of the answer as they arrive.
pub(super) async fn watch<K: DeserializeOwned + Send + 'static>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<WatchStream<K>> {
    let lines = lines(client, request).await?;
    Ok(lines.map(|line| decode(&line?)).boxed())
}

/// Returns the lines of the answer. Not generic, so that it is compiled once and not for every kind.
async fn lines(
    client: &Client,
    mut request: Request<Vec<u8>>,
) -> Result<BoxStream<'static, Result<Vec<u8>>>> {
    // Since 1.37 the API server compresses each watch event separately; common decoders stop after the first.
    let identity = HeaderValue::from_static("identity");
    request.headers_mut().insert(ACCEPT_ENCODING, identity);
    let body = exchange::send(client, request).await?.into_body();
    let start = Reader {
        body: body.into_data_stream(),
        lines: Lines::default(),
    };
    let chunks = stream::unfold(Some(start), next);
    Ok(chunks.flat_map(stream::iter).boxed())
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
            if reader.lines.held() > MOST_BYTES {
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

/// Whether the connection ended within the answer, which is how proxies end watches. As in kube, the error's kind
/// decides, or the message of TLS or of the chunk decoder.
fn is_cut_off(error: &Error) -> bool {
    let own: &dyn StdError = error;
    let mut causes = iter::successors(Some(own), |cause| StdError::source(*cause));
    causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
    }) || chain(error).to_string().contains("unexpected EOF")
}

fn decode<K: DeserializeOwned>(line: &[u8]) -> Result<WatchEvent<K>> {
    serde_json::from_slice(line).map_err(|error| match serde_json::from_slice::<Status>(line) {
        // A status instead of an event.
        Ok(status) if status.is_failure() => Error::Api(status.boxed()),
        _ => Error::SerdeError(error),
    })
}
