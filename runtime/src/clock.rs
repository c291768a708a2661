//! Deadlines that an [`Instant`] can represent, however long the wait.

use std::time::Duration;

use tokio::time::Instant;

/// The longest wait, used for [`Duration::MAX`], which exceeds the range of an [`Instant`].
pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Returns the instant at which `wait` is over.
pub(crate) fn after(wait: Duration) -> Instant {
    Instant::now() + wait.min(FOREVER)
}
