//! Objects in another version of their resource.

use std::sync::Arc;

use serde_json::Value;

use crate::core::Core;
use crate::registry::Served;
use crate::status::ApiError;

/// Translates an object from one version to another.
///
/// # Errors
/// When a webhook is to convert it, and fails.
#[allow(clippy::unused_async, reason = "webhooks convert, too")]
pub(crate) async fn convert(
    _core: &Arc<Core>,
    from: &Served,
    to: &Served,
    object: Value,
) -> Result<Value, ApiError> {
    Ok(from.convert(to, object))
}
