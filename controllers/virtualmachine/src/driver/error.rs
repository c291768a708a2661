//! Why a driver's call failed.

use std::time::Duration;

/// Why a driver's call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver can't do this, and trying again can't help.
    #[error("{0}")]
    Refused(String),
    /// It did not work this time.
    #[error("{0}")]
    Failed(String),
    /// The call did not end in time. What it asked for may have been done, or not.
    #[error("the driver did not answer within {0:?}")]
    DeadlineExceeded(Duration),
    /// A newer leader has called: this one must not.
    #[error("the driver refuses epoch {epoch}: {newest} has called")]
    Stale {
        /// The caller's epoch.
        epoch: u64,
        /// The newest epoch seen.
        newest: u64,
    },
    /// This process no longer leads; nothing was called.
    #[error("leadership lost")]
    LeadershipLost,
}

impl DriverError {
    /// As [`Failed`](Self::Failed), with what was tried before the cause.
    pub fn failed(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{what}: {cause}"))
    }

    /// Whether this process may call no more, or not with its epoch.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::LeadershipLost | Self::Stale { .. })
    }

    /// The word for it in metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::DeadlineExceeded(_) => "deadline_exceeded",
            Self::Stale { .. } => "stale",
            Self::LeadershipLost => "leadership_lost",
        }
    }

    /// Whether another try can help.
    pub fn is_retriable(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::DeadlineExceeded(_))
    }
}
