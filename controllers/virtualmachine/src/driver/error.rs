//! Errors of driver calls.

use std::time::Duration;

/// Why a driver call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver rejects the request, and retrying cannot help.
    #[error("{0}")]
    Refused(String),
    /// The call failed, but may succeed later.
    #[error("{0}")]
    Failed(String),
    /// The call timed out. It may have taken effect, or not.
    #[error("the driver did not answer within {0:?}")]
    DeadlineExceeded(Duration),
    /// A newer leader has called: this one must not.
    #[error("the driver rejects epoch {epoch}: the newest is {newest}")]
    Stale {
        /// The caller's epoch.
        epoch: u64,
        /// The newest epoch seen.
        newest: u64,
    },
    /// This process no longer leads; the call was not made, or was cancelled.
    #[error("leadership lost")]
    LeadershipLost,
}

impl DriverError {
    /// Builds a [`Failed`](Self::Failed) error that prefixes the cause with the attempted
    /// operation.
    pub fn failed(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{what}: {cause}"))
    }

    /// Whether this process may not call the driver any more, or not with its epoch.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::LeadershipLost | Self::Stale { .. })
    }

    /// The label value in metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::DeadlineExceeded(_) => "deadline_exceeded",
            Self::Stale { .. } => "stale",
            Self::LeadershipLost => "leadership_lost",
        }
    }

    /// Whether retrying can help.
    pub fn is_retriable(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::DeadlineExceeded(_))
    }
}
