//! How leadership ends.

/// How [`LeaderElector::run`](super::LeaderElector::run) ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Stopped<T> {
    /// It was asked to stop before it led.
    NeverLed,
    /// The work ended, by itself or because it was asked to.
    Finished(T),
    /// The work didn't stop within the stop timeout, and was dropped.
    Overdue,
    /// Leadership was lost, and the work was dropped.
    Lost(LossReason),
    /// Leadership has ended, and the work runs on: it blocks its thread. The Lease was not released, and nobody was told that the
    /// work has stopped. The process should end before the Lease runs out, `lease duration − renew deadline` after the term did;
    /// only that ends such work.
    RunsOn,
}

/// Why a leader lost its Lease.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LossReason {
    /// Somebody else holds the Lease.
    #[error("{holder} holds the lease now")]
    TakenOver {
        /// Who.
        holder: String,
    },
    /// Another process that has this identity holds the Lease, or somebody edited it.
    #[error("another process with this identity holds the lease")]
    SameIdentity,
    /// Somebody emptied the Lease's holder.
    #[error("somebody released the lease")]
    Released,
    /// The Lease was not renewed before the renew deadline.
    #[error("the lease was not renewed in time: {cause}")]
    NotRenewed {
        /// The outcome of the last try, with all causes.
        cause: String,
    },
}
