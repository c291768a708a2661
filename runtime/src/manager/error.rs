//! Why a manager stopped.

use std::error::Error;

use crate::informer::CacheSyncError;
use crate::leader::LossReason;

/// Why a manager stopped without being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// Another process leads, or may lead. The work was dropped.
    #[error("leadership lost: {reason}")]
    LeadershipLost {
        /// The reason.
        reason: LossReason,
    },
    /// The leader's work blocks its thread and is still running after the end of the term. The
    /// Lease was not released, and another process will lead when it has expired: this process
    /// should exit before.
    #[error("the leader's work did not stop; the lease was not released")]
    WorkRunsOn,
    /// Work, or an event handler of an informer, did not stop in time. It was dropped, unless it
    /// blocks its thread.
    #[error("the work did not stop within the graceful timeout")]
    GracefulTimeout,
    /// An informer stopped before its first list.
    #[error(transparent)]
    CacheSync(#[from] CacheSyncError),
    /// A controller or another runnable failed.
    #[error("{name}: {source}")]
    Runnable {
        /// The runnable's name.
        name: String,
        /// The runnable's error.
        source: Box<dyn Error + Send + Sync>,
    },
}
