//! Patches: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and, for built-in kinds, strategic
//! merge patch.
//!
//! The first two behave like `gopkg.in/evanphx/json-patch.v4`, which kube-apiserver uses, including
//! its deviations from the RFCs: negative array indices count from the end, `replace` of an absent
//! field sets it, and `remove` of an absent field fails.

mod json;
mod list;
mod merge;
mod strategic;

pub use json::json_patch;
pub use merge::merge_patch;
pub use strategic::{StrategicError, strategic_merge_patch};

/// Why a patch was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The patch does not parse (HTTP 400, reason `BadRequest`).
    #[error("{0}")]
    BadRequest(String),
    /// The patch has too many operations (HTTP 413, reason `RequestEntityTooLarge`).
    #[error("{0}")]
    TooLarge(String),
    /// The patch parses but does not apply to the object (HTTP 422, reason `Invalid`).
    /// kube-apiserver hides this message and returns
    /// `the server rejected our request due to an error in our request`.
    #[error("{0}")]
    Unprocessable(String),
}

#[cfg(test)]
mod tests;
