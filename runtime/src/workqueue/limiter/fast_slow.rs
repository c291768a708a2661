//! A few quick tries, then slow ones.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use super::RateLimiter;

/// Waits `fast` for the first `max_fast_attempts` tries of an item, then `slow`.
#[derive(Debug)]
pub struct ItemFastSlowRateLimiter<T> {
    fast: Duration,
    slow: Duration,
    max_fast_attempts: u32,
    attempts: Mutex<HashMap<T, u32, RandomState>>,
}

impl<T> ItemFastSlowRateLimiter<T> {
    /// Creates a limiter that waits `fast` up to and including try `max_fast_attempts`, and `slow`
    /// after that.
    pub fn new(fast: Duration, slow: Duration, max_fast_attempts: u32) -> Self {
        Self {
            fast,
            slow,
            max_fast_attempts,
            attempts: Mutex::default(),
        }
    }
}

impl<T> RateLimiter<T> for ItemFastSlowRateLimiter<T>
where
    T: Clone + Eq + Hash + Debug + Send + Sync,
{
    fn when(&self, item: &T) -> Duration {
        let mut attempts = self.attempts.lock();
        let count = attempts.entry(item.clone()).or_insert(0);
        *count = count.saturating_add(1);
        if *count <= self.max_fast_attempts {
            self.fast
        } else {
            self.slow
        }
    }

    fn forget(&self, item: &T) {
        self.attempts.lock().remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.attempts.lock().get(item).copied().unwrap_or(0)
    }
}
