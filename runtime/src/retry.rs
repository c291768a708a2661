//! Trying again: a few quick tries of one call, as client-go's `util/retry` makes them.
//!
//! For a reconciler, returning the error is nearly always better: the queue backs off. These functions are for the write in the
//! middle of a reconciliation that only lost a race.
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

use std::future::Future;
use std::time::Duration;

use rand::RngExt;

/// How often to try, and how long to pause in between.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Backoff {
    /// Tries in all, the first included. Zero counts as one.
    pub steps: u32,
    /// The first pause.
    pub duration: Duration,
    /// Each pause is this many times the one before.
    pub factor: f64,
    /// Each pause is longer by a random part of up to this many times itself.
    pub jitter: f64,
    /// The longest pause, before jitter.
    pub cap: Duration,
}

/// client-go's `DefaultRetry`, for conflicts with others that update the same object now and then: 5 tries, 10 ms apart.
pub const DEFAULT_RETRY: Backoff = Backoff {
    steps: 5,
    duration: Duration::from_millis(10),
    factor: 1.0,
    jitter: 0.1,
    cap: Duration::MAX,
};

/// client-go's `DefaultBackoff`, for objects that others update all the time: 4 tries, 10, 50 and 250 ms apart.
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
    /// Sets the tries in all, the first included.
    #[must_use]
    pub const fn steps(mut self, steps: u32) -> Self {
        self.steps = steps;
        self
    }

    /// Sets the first pause, and how many times as long each pause is as the one before.
    #[must_use]
    pub const fn pause(mut self, duration: Duration, factor: f64) -> Self {
        (self.duration, self.factor) = (duration, factor);
        self
    }

    /// Sets the random part that is added to each pause, as a part of it.
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

    /// The pauses between tries: one fewer than there are tries.
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

/// Calls `attempt` until it succeeds, fails with an error that isn't `retriable`, or the tries are used up.
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

/// Calls `attempt` until it doesn't end with a conflict (HTTP 409, reason `Conflict`), or the tries are used up.
///
/// `attempt` must read the object anew each time: the point of trying again is to decide on what is there now.
///
/// # Errors
///
/// The last error, a conflict too.
pub async fn on_conflict<T, F, W>(backoff: Backoff, attempt: F) -> Result<T, kube::Error>
where
    F: FnMut() -> W,
    W: Future<Output = Result<T, kube::Error>>,
{
    on_error(backoff, is_conflict, attempt).await
}

/// Whether `error` says that somebody else wrote first.
pub fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_conflict())
}

/// Whether `error` says that the request itself won't do (HTTP 400, 403, 405, 413, 415 or 422): sent again unchanged, it fails again until
/// somebody changes the object, a policy or a quota. What a reconciler puts into a condition, and tries again after minutes.
pub fn is_refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 400 | 403 | 405 | 413 | 415 | 422))
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
