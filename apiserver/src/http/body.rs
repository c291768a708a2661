//! Request bodies with a size limit, and response bodies that may stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use futures::{Stream, StreamExt};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use tokio_util::sync::CancellationToken;

use crate::BoxError;
use crate::status::ApiError;

/// The limit of a request body in bytes (3 MiB), as in kube-apiserver.
pub(crate) const BODY_LIMIT: usize = 3 * 1024 * 1024;
/// How much of a body over the limit is read, so that its sender gets to the answer.
const DISCARDED: usize = 64 * 1024 * 1024;

type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// A response body: complete, or generated while it is read.
pub struct Body(Inner);

enum Inner {
    Full(Option<Bytes>),
    Chunks(Chunks),
}

impl Body {
    /// Creates a complete body.
    pub(crate) fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Inner::Full(Some(bytes.into())))
    }

    /// Creates a body that is generated chunk by chunk, at the reader's pace.
    pub(crate) fn stream(
        chunks: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static,
    ) -> Self {
        Self(Inner::Chunks(Box::pin(chunks)))
    }

    /// Returns a body that stalls forever once `is_cut` holds. A complete body is not affected.
    pub(crate) fn silent_once(self, is_cut: impl Fn() -> bool + Send + 'static) -> Self {
        let Self(Inner::Chunks(mut chunks)) = self else {
            return self;
        };
        Self::stream(futures::stream::poll_fn(move |cx| {
            if is_cut() {
                return Poll::Pending;
            }
            chunks.as_mut().poll_next(cx)
        }))
    }
}

impl Body {
    /// Returns a body that ends when the listener stops. A complete body is not affected.
    pub(crate) fn ended_by(self, stop: CancellationToken) -> Self {
        let Self(Inner::Chunks(chunks)) = self else {
            return self;
        };
        Self::stream(chunks.take_until(stop.cancelled_owned()))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Full(bytes) => f
                .debug_tuple("Full")
                .field(&bytes.as_ref().map(Bytes::len))
                .finish(),
            Inner::Chunks(_) => f.write_str("Chunks"),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Inner::Full(bytes) => Poll::Ready(bytes.take().map(|b| Ok(Frame::data(b)))),
            Inner::Chunks(chunks) => chunks
                .as_mut()
                .poll_next(cx)
                .map(|chunk| chunk.map(|result| result.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Inner::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Inner::Chunks(_) => SizeHint::default(),
        }
    }
}

/// Reads a request body up to the limit.
///
/// # Errors
/// 413 if the body exceeds the limit, 400 if it is truncated.
pub(crate) async fn read_body<B>(body: B) -> Result<Bytes, ApiError>
where
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    let mut body = std::pin::pin!(body);
    let mut bytes = BytesMut::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ApiError::bad_request(error.into().to_string()))?;
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        length += data.remaining();
        if length > DISCARDED {
            break;
        }
        if length > BODY_LIMIT {
            // A client that is still sending when the connection closes would not see the answer.
            bytes = BytesMut::new();
            continue;
        }
        let part = data.copy_to_bytes(data.remaining());
        bytes.extend_from_slice(&part);
    }
    if length > BODY_LIMIT {
        return Err(ApiError::too_large(BODY_LIMIT));
    }
    Ok(bytes.freeze())
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused() {
        let over = Full::new(Bytes::from(vec![0; BODY_LIMIT + 1]));
        assert_eq!(read_body(over).await.unwrap_err().code, 413);
        let at = Full::new(Bytes::from(vec![0; BODY_LIMIT]));
        assert_eq!(read_body(at).await.unwrap().len(), BODY_LIMIT);
    }
}
