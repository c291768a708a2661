//! Points of time that exist, however long a wait is asked for.

use std::time::Duration;

use tokio::time::Instant;

/// A wait that nobody sees the end of: what [`Duration::MAX`] stands for. An [`Instant`] can't be that far away.
pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The time at which `wait` is over.
pub(crate) fn after(wait: Duration) -> Instant {
    Instant::now() + wait.min(FOREVER)
}
