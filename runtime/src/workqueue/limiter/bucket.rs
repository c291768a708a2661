//! The overall token bucket.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::RateLimiter;

/// Allows `burst` tries at once and then one every `1 / rate` seconds, over all items.
///
/// Each call reserves the next free token, so that concurrent tries are spread out and none is
/// refused. The bucket does not track items: [`forget`](RateLimiter::forget) has no effect and
/// [`num_requeues`](RateLimiter::num_requeues) is 0.
#[derive(Debug)]
pub struct BucketRateLimiter {
    interval: Duration,
    burst: u32,
    /// The time at which the bucket is, or was, full: each token taken moves it by one interval.
    full_at: Mutex<Option<Instant>>,
}

impl BucketRateLimiter {
    /// Creates a full bucket of `burst` tokens that refills at `per_second`.
    ///
    /// A rate that is not a positive number never refills: tries beyond the burst wait for a year.
    pub fn new(per_second: f64, burst: u32) -> Self {
        const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);
        let interval = Duration::try_from_secs_f64(per_second.recip())
            .unwrap_or(NEVER)
            .min(NEVER);
        Self {
            interval,
            burst,
            full_at: Mutex::new(None),
        }
    }

    /// Takes a token; returns the time until the bucket holds it.
    pub fn reserve(&self) -> Duration {
        let now = Instant::now();
        let mut full_at = self.full_at.lock();
        let base = full_at.map_or(now, |at| at.max(now));
        let full = base + self.interval;
        *full_at = Some(full);
        (full - now).saturating_sub(self.interval.saturating_mul(self.burst))
    }

    /// Takes a token if the bucket holds one now; returns whether it did.
    pub fn try_take(&self) -> bool {
        let now = Instant::now();
        let mut full_at = self.full_at.lock();
        let full = full_at.map_or(now, |at| at.max(now)) + self.interval;
        let available = full - now <= self.interval.saturating_mul(self.burst);
        if available {
            *full_at = Some(full);
        }
        available
    }
}

impl Default for BucketRateLimiter {
    /// Returns a bucket of ten tries per second, with a burst of a hundred.
    fn default() -> Self {
        Self::new(10.0, 100)
    }
}

impl<T> RateLimiter<T> for BucketRateLimiter {
    fn when(&self, _item: &T) -> Duration {
        self.reserve()
    }

    fn forget(&self, _item: &T) {}

    fn num_requeues(&self, _item: &T) -> u32 {
        0
    }
}
