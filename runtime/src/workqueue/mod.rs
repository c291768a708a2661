//! Work queues: hand out each item once, to one worker at a time, when it is due.
//!
//! A queue connects event handlers, which notice that something may have changed, with workers,
//! which act on it. It holds an item at most once however often it is added, never hands one item
//! to two workers, delays items, and backs off failing items. The semantics are those of
//! client-go's `util/workqueue` and, for [`PriorityQueue`], controller-runtime's `priorityqueue`.
//! Differences:
//!
//! - [`WorkQueue::get`] is async and returns an [`Item`] that is done when it is dropped: a worker
//!   that panics, is cancelled or returns early cannot block an item for ever.
//! - An item that is triggered by something else during its back-off, and fails again, waits for
//!   the rest of that back-off; it does not use up a further step without having waited for the
//!   previous one.
//! - A resync does not end a wait that the API server requested (`Retry-After`): see
//!   [`AddOptions::unchanged`].
//! - There is no background task. A waiting worker handles delays, so that a queue can be created
//!   and filled without a runtime, and leaves no task behind.
//!
//! Start reading at [`WorkQueue`]; `core` contains the hand-over, `limiter` the back-off.
//!
//! ```
//! # use codegen_runtime::workqueue::WorkQueue;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue = WorkQueue::new();
//! queue.add("default/test-vm");
//! queue.add("default/test-vm"); // the same key: it is handed out once
//! let item = queue.get().await.expect("it is not shut down");
//! assert_eq!((*item, queue.len()), ("default/test-vm", 0));
//! item.done();
//! queue.shut_down();
//! assert!(queue.get().await.is_none());
//! # }
//! ```

mod builder;
mod core;
mod get;
mod item;
mod limiter;
mod priority;
mod queue;

use std::fmt::Debug;
use std::hash::Hash;

use crate::sync;

pub use self::builder::WorkQueueBuilder;
pub use self::get::Get;
pub use self::item::Item;
pub use self::limiter::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter,
    MaxOfRateLimiter, RateLimiter, WithMaxWaitRateLimiter, default_controller_rate_limiter,
    default_item_based_rate_limiter,
};
pub use self::priority::{AddOptions, LOW_PRIORITY, PriorityQueue};
pub use self::queue::WorkQueue;

/// The bounds of a queue's items, implemented for every type that meets them.
///
/// Items are cloned each time they are handed out, so cheap clones (numbers, `Arc<str>`, keys of
/// these) make a fast queue.
pub trait QueueItem: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> QueueItem for T {}
