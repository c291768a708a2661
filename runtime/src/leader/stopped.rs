//! The end of leadership.

/// How [`LeaderElector::run`](super::LeaderElector::run) ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Stopped<T> {
    /// The elector was asked to stop before it led.
    NeverLed,
    /// The work ended, by itself or on request.
    Finished(T),
    /// The work did not stop within the stop timeout, and was dropped.
    Overdue,
    /// Leadership was lost, and the work was dropped.
    Lost(LossReason),
    /// Leadership has ended, but the work is still running, because it blocks its thread. The Lease
    /// was not released, and the end of the work was not reported. The process must exit before the
    /// Lease expires, `lease duration − renew deadline` after the end of the term; only that ends
    /// such work.
    RunsOn,
}

/// Why a leader lost its Lease.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LossReason {
    /// Another contender holds the Lease.
    #[error("{holder} holds the lease now")]
    TakenOver {
        /// The new holder.
        holder: String,
    },
    /// Another process with this identity holds the Lease, or the Lease was edited.
    #[error("another process with this identity holds the lease")]
    SameIdentity,
    /// The Lease's holder was cleared by another client.
    #[error("another client released the lease")]
    Released,
    /// The Lease was not renewed before the renew deadline.
    #[error("the lease was not renewed in time: {cause}")]
    NotRenewed {
        /// The outcome of the last try, with all causes.
        cause: String,
    },
}
