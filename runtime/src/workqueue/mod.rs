//! Work queues: each item once, to one worker at a time, when it is due.
//!
//! A queue stands between those who notice that something may have changed (event handlers) and those who act on it
//! (workers). It holds an item at most once however often it is added, never hands one item to two workers, delays
//! items, and backs off items that fail. The semantics are client-go's `util/workqueue` and, for [`PriorityQueue`],
//! controller-runtime's `priorityqueue`. What differs:
//!
//! - [`WorkQueue::get`] is async and returns an [`Item`] that is done when it is dropped: a worker that panics, is
//!   cancelled or returns early can't lock an item up for ever.
//! - An item that something else triggers while it waits out its back-off, and that fails again, waits for the rest of
//!   that back-off; it doesn't burn a further step without having waited for the one before.
//! - There is no background task. Delays are kept by a waiting worker, so a queue needs no runtime to be made or added
//!   to, and leaves nothing behind.
//!
//! Start reading at [`WorkQueue`]; `core` holds the hand-over, `limiter` the back-off.
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
/// Items are cloned once each time they are handed out, so cheap clones (numbers, `Arc<str>`, keys of these) make a fast
/// queue.
pub trait QueueItem: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> QueueItem for T {}
