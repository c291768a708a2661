//! Get requests.

use std::sync::Arc;

use super::Call;
use super::conversion::prepare;
use super::present::present;
use crate::core::Core;
use crate::http::respond::Answer;
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
    present(call, 200, &call.served.decode(&stored))
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
