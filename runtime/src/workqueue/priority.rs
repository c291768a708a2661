//! A queue with priorities.

use std::ops::Deref;
use std::time::Duration;

use super::{QueueItem, WorkQueue};

/// The priority of adds that are not urgent: objects of the initial list, and updates without a
/// change.
pub const LOW_PRIORITY: i32 = -100;

/// A [`WorkQueue`] that hands out items of higher priority first. Clones are handles of the same
/// queue.
///
/// In addition to the queue's guarantees, by controller-runtime's rules:
///
/// - Items of the same priority are handed out in the order in which they became ready. Delayed
///   items become ready in the order of their deadlines.
/// - An item has one entry. Adding it again keeps the higher priority and the earlier time: an
///   immediate add ends a delay, and a delayed add of a queued item can only raise its priority. An
///   item whose priority rises goes to the tail of its new priority; the priority of a waiting item
///   never falls.
/// - Unlike there, an add [without a change](AddOptions::unchanged) does not end a wait that a
///   server requested.
/// - Items of low priority wait while there are any of a higher one; there is no ageing.
///
/// Plain adds have priority 0.
#[derive(Debug, Clone)]
pub struct PriorityQueue<T> {
    queue: WorkQueue<T>,
}

/// How to add an item. The default is immediately, with priority 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AddOptions {
    /// The priority: higher is sooner.
    pub priority: i32,
    /// The minimum delay; zero for none.
    pub after: Duration,
    /// Whether to wait at least as long as the limiter requires, and count a failure.
    pub rate_limited: bool,
    /// Whether the item has not changed, as in a resync: it then waits for at least the rest of
    /// [`after`](Self::after) of its last rate-limited add, with which a server asked to wait.
    /// Without effect with a delay or a rate-limited add.
    pub unchanged: bool,
}

impl AddOptions {
    /// Sets the priority: higher is sooner.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the minimum delay.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.after = delay;
        self
    }

    /// Waits at least as long as the limiter requires, and counts a failure.
    #[must_use]
    pub fn rate_limited(mut self) -> Self {
        self.rate_limited = true;
        self
    }

    /// Waits for the rest of the delay of the last rate-limited add, since the item has not
    /// changed.
    #[must_use]
    pub fn unchanged(mut self) -> Self {
        self.unchanged = true;
        self
    }
}

impl<T: QueueItem> PriorityQueue<T> {
    /// Creates a queue without name and metrics, with the
    /// [default limiter](super::default_controller_rate_limiter).
    pub fn new() -> Self {
        WorkQueue::builder().build_priority()
    }

    pub(super) fn over(queue: WorkQueue<T>) -> Self {
        Self { queue }
    }

    /// Adds `item` with `options`. Ignored once the queue is shutting down.
    ///
    /// A rate-limited add waits for the longer of `after` and the limiter's wait, since a failed
    /// try must back off.
    pub fn add_with(&self, item: T, options: AddOptions) {
        let AddOptions {
            priority,
            after,
            rate_limited,
            unchanged,
        } = options;
        if rate_limited {
            self.shared.add_rate_limited(item, priority, after);
        } else if unchanged && after.is_zero() {
            self.shared.add_unchanged(item, priority);
        } else {
            self.shared.add_after(item, priority, after);
        }
    }
}

impl<T: QueueItem> Default for PriorityQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for PriorityQueue<T> {
    type Target = WorkQueue<T>;

    fn deref(&self) -> &WorkQueue<T> {
        &self.queue
    }
}
