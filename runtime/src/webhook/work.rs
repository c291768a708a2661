//! Where the work on a review runs.

use std::future::pending;
use std::panic::resume_unwind;

/// The length in bytes up to which a review is handled where it was read: about a millisecond of
/// work. More would keep other tasks of the thread waiting, and the deadline from firing.
const SHORT: usize = 64 << 10;

/// Runs `work` on a review of so many bytes: of a short one immediately, of a long one on a thread
/// for blocking work. A caller that stops waiting does not end the work, which therefore must take
/// time linear in the review's size, and own the memory that is reserved for it.
pub(super) async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= SHORT {
        return work();
    }
    blocking(work).await
}

/// Runs `work` on a thread for blocking work.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is shutting down, and drops this task, too.
            Err(_) => pending().await,
        },
    }
}

/// Frees a value that was made for a review of so many bytes.
pub(super) fn free<T: Send + 'static>(bytes: usize, value: T) {
    if bytes > SHORT {
        tokio::task::spawn_blocking(|| drop(value));
    }
}
