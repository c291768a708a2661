//! Per-item exponential back-off.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use super::RateLimiter;

/// Waits `base · 2ⁿ` after the n-th consecutive failure of an item, at most `max`.
///
/// The count continues beyond the point where the wait would overflow; the wait then stays at
/// `max`.
#[derive(Debug)]
pub struct ItemExponentialFailureRateLimiter<T> {
    base: Duration,
    max: Duration,
    failures: Mutex<HashMap<T, u32, RandomState>>,
}

impl<T> ItemExponentialFailureRateLimiter<T> {
    /// Creates a limiter with the first wait `base` and the longest wait `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            failures: Mutex::default(),
        }
    }
}

impl<T> Default for ItemExponentialFailureRateLimiter<T> {
    /// Returns a limiter from 5 ms up to 1,000 s.
    fn default() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_secs(1000))
    }
}

impl<T> RateLimiter<T> for ItemExponentialFailureRateLimiter<T>
where
    T: Clone + Eq + Hash + Debug + Send + Sync,
{
    fn when(&self, item: &T) -> Duration {
        let mut failures = self.failures.lock();
        let earlier = match failures.get_mut(item) {
            Some(count) => {
                let earlier = *count;
                *count = count.saturating_add(1);
                earlier
            }
            None => {
                failures.insert(item.clone(), 1);
                0
            }
        };
        drop(failures);
        backoff(self.base, self.max, earlier)
    }

    fn forget(&self, item: &T) {
        self.failures.lock().remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.lock().get(item).copied().unwrap_or(0)
    }
}

/// Returns `base · 2ⁿ`, at most `max`, without overflow.
fn backoff(base: Duration, max: Duration, doublings: u32) -> Duration {
    match 1_u32
        .checked_shl(doublings)
        .and_then(|factor| base.checked_mul(factor))
    {
        Some(wait) => wait.min(max),
        None if base.is_zero() => Duration::ZERO,
        None => max,
    }
}
