//! Reads the body of a request.

use std::error::Error;
use std::pin::pin;

use bytes::{Buf, BufMut, Bytes};
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use tokio::time::Instant;

use super::fault::Fault;
use super::room::{Held, Room};
use crate::error::chain;

/// How much a path reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The maximum length of a body.
    pub(super) bytes: usize,
    /// How many texts of the body's length are in memory at once.
    pub(super) copies: usize,
}

/// A body that was read.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) bytes: Bytes,
    pub(super) held: Held,
}

/// Reads a JSON body in a POST, up to the limit, once the room has memory for it.
pub(super) async fn read<B>(
    request: Request<B>,
    limit: Limit,
    room: &Room,
    deadline: Instant,
) -> Result<Text, Fault>
where
    B: http_body::Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    check_head(&request)?;
    let too_large = || Fault::too_large("the review is too large");
    let size = request.body().size_hint();
    if size.lower() > limit.bytes as u64 {
        return Err(too_large());
    }
    // A body whose length is unknown may be as long as any.
    let length = size.upper().and_then(|upper| usize::try_from(upper).ok());
    let length = length.unwrap_or(limit.bytes).min(limit.bytes);
    let needed = length.saturating_mul(limit.copies);
    let held = room.for_body(needed, deadline).await?;
    let mut body = pin!(request.into_body());
    let mut read = Vec::with_capacity(size.exact().map_or(0, |_| length));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Fault::bad(chain(&*error.into()).to_string()))?;
        if let Ok(data) = frame.into_data() {
            if read.len() + data.remaining() > limit.bytes {
                return Err(too_large());
            }
            read.put(data);
        }
    }
    Ok(Text {
        bytes: read.into(),
        held,
    })
}

fn check_head<B>(request: &Request<B>) -> Result<(), Fault> {
    if request.method() != Method::POST {
        let why = "method not allowed: expected POST";
        return Err(Fault::new(StatusCode::METHOD_NOT_ALLOWED, why));
    }
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let content_type = content_type
        .and_then(|it| it.to_str().ok())
        .unwrap_or_default();
    let media = content_type.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        let why = format!("invalid content type {content_type:?}: expected application/json");
        return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    Ok(())
}
