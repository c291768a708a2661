//! Rate limiters: the wait of a failed item before its next try.
//!
//! A limiter only computes; the queue waits. The default is client-go's: the longer of a per-item
//! exponential back-off and an overall token bucket. Start reading at [`RateLimiter`] and
//! [`default_controller_rate_limiter`].

mod bucket;
mod compose;
mod exponential;
mod fast_slow;

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

pub use self::bucket::BucketRateLimiter;
pub use self::compose::{MaxOfRateLimiter, WithMaxWaitRateLimiter};
pub use self::exponential::ItemExponentialFailureRateLimiter;
pub use self::fast_slow::ItemFastSlowRateLimiter;

/// Decides how long an item waits before it is handed out again.
///
/// Calls are fast and never block. Several queues may share a limiter.
pub trait RateLimiter<T>: Debug + Send + Sync {
    /// Counts one more try of `item`, and returns how long it has to wait.
    fn when(&self, item: &T) -> Duration;

    /// Resets `item`: its next wait is the first one again. Has no effect on an unknown item.
    fn forget(&self, item: &T);

    /// Returns how many times [`when`](Self::when) was called for `item` since the last `forget`,
    /// if the limiter counts that.
    fn num_requeues(&self, item: &T) -> u32;
}

impl<T, L: RateLimiter<T> + ?Sized> RateLimiter<T> for Box<L> {
    fn when(&self, item: &T) -> Duration {
        (**self).when(item)
    }

    fn forget(&self, item: &T) {
        (**self).forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        (**self).num_requeues(item)
    }
}

impl<T, L: RateLimiter<T> + ?Sized> RateLimiter<T> for std::sync::Arc<L> {
    fn when(&self, item: &T) -> Duration {
        (**self).when(item)
    }

    fn forget(&self, item: &T) {
        (**self).forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        (**self).num_requeues(item)
    }
}

/// client-go's `DefaultTypedControllerRateLimiter`: the longer of 5 ms · 2ⁿ up to 1,000 s per item,
/// and an overall bucket of ten tries per second with a burst of a hundred.
pub fn default_controller_rate_limiter<T>() -> MaxOfRateLimiter<T>
where
    T: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    MaxOfRateLimiter::new([
        Box::new(ItemExponentialFailureRateLimiter::default()) as Box<dyn RateLimiter<T>>,
        Box::new(BucketRateLimiter::default()),
    ])
}

/// client-go's `DefaultItemBasedRateLimiter`: 1 ms · 2ⁿ up to 1,000 s per item, without an overall
/// limit.
pub fn default_item_based_rate_limiter<T>() -> ItemExponentialFailureRateLimiter<T>
where
    T: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    ItemExponentialFailureRateLimiter::new(Duration::from_millis(1), Duration::from_secs(1000))
}
