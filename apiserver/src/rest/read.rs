//! Get requests.

use std::sync::Arc;

use bytes::BytesMut;

use super::Call;
use super::conversion::prepare;
use super::list::append_typed;
use super::present::present;
use crate::core::Core;
use crate::http::body::Body;
use crate::http::negotiate::{Format, View};
use crate::http::respond::{Answer, Content};
use crate::status::ApiError;

/// Handles GET of an object or its status.
pub(crate) async fn get(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let asked = call.query.text("resourceVersion");
    if !matches!(asked, "" | "0") {
        let revision = parse_revision(asked)?;
        let current = core.store.revision();
        if revision > current {
            return Err(ApiError::future_version(revision, current));
        }
    }
    let stored = core
        .find(&call.served, &call.key())
        .ok_or_else(|| call.not_found())?;
    prepare(core, &call.served, [&stored]).await?;
    let is_usual = call.accepted.view == View::Whole && call.accepted.format == Format::Json;
    if !is_usual || call.query.flag("pretty") {
        return present(call, 200, &call.served.decode(&stored));
    }
    let body = call.served.body(&stored);
    let prefix = call.served.type_prefix();
    let mut whole = BytesMut::with_capacity(body.len() + prefix.len() + 3);
    append_typed(&mut whole, &prefix, &body);
    whole.extend_from_slice(b"\n");
    Ok(Answer::new(200, Content::Json(Body::full(whole.freeze()))))
}

/// Parses a resourceVersion.
///
/// # Errors
/// 500 if it is not a number, as in kube-apiserver.
fn parse_revision(text: &str) -> Result<u64, ApiError> {
    text.parse().map_err(|_| {
        ApiError::new(
            500,
            "",
            format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": invalid syntax"),
        )
    })
}
