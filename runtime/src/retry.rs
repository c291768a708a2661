//! Retries: a few quick tries of one call, like client-go's `util/retry`.
//!
//! For a reconciler, returning the error is nearly always better, since the queue backs off. These
//! functions are for a write in the middle of a reconciliation that merely lost a race.
//!
//! ```no_run
//! # use codegen_runtime::client::TypedClient;
//! # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::{self, api::PostParams}, retry};
//! # async fn example(maps: TypedClient<ConfigMap>) -> Result<(), kube::Error> {
//! retry::on_conflict(retry::DEFAULT_RETRY.steps(10), || async {
//!     let mut map = maps.get("settings").await?;
//!     map.data.get_or_insert_default().insert("level".to_owned(), "debug".to_owned());
//!     maps.update(&map, &PostParams::default()).await
//! })
//! .await?;
//! # Ok(())
//! # }
//! ```

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use rand::RngExt;

/// The number of tries and the pauses between them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Backoff {
    /// The number of tries, including the first. Zero counts as one.
    pub steps: u32,
    /// The first pause.
    pub duration: Duration,
    /// The factor from each pause to the next.
    pub factor: f64,
    /// The jitter: each pause is extended by a random part of up to this many times itself.
    pub jitter: f64,
    /// The longest pause, before jitter.
    pub cap: Duration,
}

/// client-go's `DefaultRetry`, for conflicts with occasional updates of the same object: 5 tries,
/// 10 ms apart.
pub const DEFAULT_RETRY: Backoff = Backoff {
    steps: 5,
    duration: Duration::from_millis(10),
    factor: 1.0,
    jitter: 0.1,
    cap: Duration::MAX,
};

/// client-go's `DefaultBackoff`, for objects that others update constantly: 4 tries, 10, 50 and 250
/// ms apart.
pub const DEFAULT_BACKOFF: Backoff = Backoff {
    steps: 4,
    duration: Duration::from_millis(10),
    factor: 5.0,
    jitter: 0.1,
    cap: Duration::MAX,
};

impl Default for Backoff {
    fn default() -> Self {
        DEFAULT_RETRY
    }
}

impl Backoff {
    /// Sets the number of tries, including the first. Zero counts as one.
    #[must_use]
    pub const fn steps(mut self, steps: u32) -> Self {
        self.steps = steps;
        self
    }

    /// Sets the first pause, and the factor from each pause to the next.
    #[must_use]
    pub const fn pause(mut self, duration: Duration, factor: f64) -> Self {
        (self.duration, self.factor) = (duration, factor);
        self
    }

    /// Sets the jitter: each pause is extended by a random part of up to this many times itself.
    /// Negative values count as zero.
    #[must_use]
    pub const fn jitter(mut self, jitter: f64) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets the longest pause, before jitter.
    #[must_use]
    pub const fn cap(mut self, cap: Duration) -> Self {
        self.cap = cap;
        self
    }

    /// Returns the pauses between tries, one fewer than tries, with new jitter at each call.
    pub fn pauses(self) -> impl Iterator<Item = Duration> {
        let base = std::iter::successors(Some(self.duration.min(self.cap)), move |pause| {
            let next =
                Duration::try_from_secs_f64(pause.as_secs_f64() * self.factor).unwrap_or(self.cap);
            Some(next.min(self.cap))
        });
        let jitter = if self.jitter > 0.0 { self.jitter } else { 0.0 };
        let jittered = move |pause: Duration| {
            let factor = 1.0 + rand::rng().random_range(0.0..=1.0) * jitter;
            Duration::try_from_secs_f64(pause.as_secs_f64() * factor).unwrap_or(pause)
        };
        base.map(jittered)
            .take(self.steps.saturating_sub(1) as usize)
    }
}

/// Calls `attempt` until it succeeds, fails with an error that is not `retriable`, or the tries are
/// used up.
///
/// # Errors
///
/// The last error.
pub async fn on_error<T, E, F, W>(
    backoff: Backoff,
    retriable: impl Fn(&E) -> bool,
    mut attempt: F,
) -> Result<T, E>
where
    F: FnMut() -> W,
    W: Future<Output = Result<T, E>>,
{
    for pause in backoff.pauses() {
        match attempt().await {
            Err(error) if retriable(&error) => tokio::time::sleep(pause).await,
            result => return result,
        }
    }
    attempt().await
}

/// Calls `attempt` until it does not fail with a conflict (HTTP 409, reason `Conflict`), or the
/// tries are used up.
///
/// `attempt` must read the object again each time, to decide based on its current state.
///
/// # Errors
///
/// The last error, which may be a conflict.
pub async fn on_conflict<T, F, W>(backoff: Backoff, attempt: F) -> Result<T, kube::Error>
where
    F: FnMut() -> W,
    W: Future<Output = Result<T, kube::Error>>,
{
    on_error(backoff, is_conflict, attempt).await
}

/// Whether `error` is a conflict: another client wrote first.
pub fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_conflict())
}

/// Whether the server rejected the request itself (HTTP 400, 403, 405, 413, 415 or 422): sent again
/// unchanged, it fails until the object, a policy or a quota changes. A reconciler reports such an
/// error in a condition, and retries after minutes.
pub fn is_refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 400 | 403 | 405 | 413 | 415 | 422))
}

/// Returns how long the API server asks to wait (`Retry-After`), five minutes at most, if `error`
/// or one of its [sources](Error::source) is a [`kube::Error`] with that request. A
/// [controller](crate::controller) waits by itself; a program with its own queue passes it to
/// [`WorkQueue::add_rate_limited_after`](crate::workqueue::WorkQueue::add_rate_limited_after).
pub fn retry_after(error: &(dyn Error + 'static)) -> Option<Duration> {
    crate::client::retry_after_in_chain(error)
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn only_answers_that_stay_the_same_are_refusals() {
        let of = |code| kube::Error::Api(Box::new(Status::failure("no", "Reason").with_code(code)));
        let refusals = [400, 403, 405, 413, 415, 422];
        assert!(refusals.into_iter().all(|code| is_refused(&of(code))));
        let others = [401, 404, 408, 409, 410, 429, 500, 503, 504];
        assert!(!others.into_iter().any(|code| is_refused(&of(code))));
    }
}
