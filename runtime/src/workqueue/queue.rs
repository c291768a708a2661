//! The public API of the queue.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::core::{Core, Delay};
use super::{Get, QueueItem, RateLimiter, WorkQueueBuilder};
use crate::metrics::{QueueProbe, WorkQueueMetrics};

/// A first-in-first-out queue of distinct items, with delays, back-off, shutdown and drain. Clones
/// are handles of the same queue.
///
/// Guarantees:
///
/// - Adding an item that is queued has no effect. Adding one that is in process makes it run
///   exactly once more, at the tail, after it is done. So an item is never in process twice at a
///   time, and no add after the start of a run is lost.
/// - Items are handed out in the order in which they became ready. Waiting workers are woken in
///   order of arrival (except for the one that keeps the time for delayed items, which is woken
///   last).
/// - A delayed item is handed out no earlier than its delay ends; of several delays of one item the
///   earliest applies. As in client-go, an immediate add does not cancel a delay.
/// - [`get`](Self::get) may be dropped at any time without losing an item or a wake-up.
///
/// Memory: one slot per item that is queued, delayed or in process, freed when it is none of these.
/// The queue is unbounded: it holds as many items as there are distinct ones.
pub struct WorkQueue<T> {
    pub(super) shared: Arc<Shared<T>>,
}

/// The state shared by the handles of a queue, its items and its metrics.
pub(super) struct Shared<T> {
    pub(super) core: Core<T>,
    pub(super) name: String,
    pub(super) limiter: Box<dyn RateLimiter<T>>,
    pub(super) metrics: Option<WorkQueueMetrics>,
    pub(super) drained: Notify,
}

impl<T: QueueItem> WorkQueue<T> {
    /// Creates a queue without name and metrics, with the
    /// [default limiter](super::default_controller_rate_limiter).
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Starts building a queue with a name, metrics or another limiter.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }

    /// Adds `item` to be handed out as soon as a worker is free. Ignored once the queue is shutting
    /// down.
    pub fn add(&self, item: T) {
        self.shared.add(item, 0);
    }

    /// Adds `item` to be handed out after `delay`, or immediately if that is zero. Ignored once the
    /// queue is shutting down.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.shared.add_after(item, 0, delay);
    }

    /// Adds `item` after the limiter's wait: for items that failed.
    ///
    /// Each call counts as one failure, except for an item in process that was triggered before the
    /// end of its last back-off, while that back-off lasts: then the item waits for the rest of it.
    pub fn add_rate_limited(&self, item: T) {
        self.add_rate_limited_after(item, Duration::ZERO);
    }

    /// Like [`add_rate_limited`](Self::add_rate_limited), after `least` at the earliest: for items
    /// whose server asked to wait.
    pub fn add_rate_limited_after(&self, item: T, least: Duration) {
        self.shared.add_rate_limited(item, 0, least);
    }

    /// Tells the limiter that `item` succeeded, or failed permanently: its next back-off is the
    /// first one again.
    ///
    /// Does not remove a queued or delayed item from the queue.
    pub fn forget(&self, item: &T) {
        self.shared.core.forget_backoff(item);
        self.shared.limiter.forget(item);
    }

    /// Returns how often `item` was added rate-limited since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.shared.limiter.num_requeues(item)
    }

    /// Waits for the next item. Returns `None` once the queue is shutting down and empty; the
    /// worker should then end.
    ///
    /// The worker owns the item until the returned guard is dropped or [`done`](super::Item::done).
    /// Dropping the future loses no item. A pending future must be polled or dropped: one that is
    /// kept without being polled may delay delayed items of other workers.
    pub fn get(&self) -> Get<'_, T> {
        Get::new(&self.shared)
    }

    /// Stops accepting adds and forgets delays. Queued items are still handed out; then workers get
    /// `None`. Ends any wait for a [drain](Self::shut_down_with_drain).
    pub fn shut_down(&self) {
        self.shared.core.shut_down();
        self.shared.drained.notify_waiters();
    }

    /// Shuts down, and waits until all queued items have been handed out and are done, including
    /// reruns.
    ///
    /// The queue stops accepting adds from the first poll. A later [`shut_down`](Self::shut_down)
    /// ends the wait, and so does dropping the future; in either case the queue stays shut down.
    /// Without workers no item is handed out, and the wait does not end by itself.
    pub async fn shut_down_with_drain(&self) {
        let drained = self.shared.drained.notified();
        tokio::pin!(drained);
        drained.as_mut().enable();
        self.shared.core.shut_down();
        if !self.shared.core.is_idle() {
            drained.await;
        }
    }
}

impl<T> WorkQueue<T> {
    /// Returns the number of items that can be handed out now: neither delayed nor in process.
    pub fn len(&self) -> usize {
        self.shared.depth()
    }

    /// Whether no item can be handed out now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of items that take memory: ready, delayed and in process.
    pub fn known(&self) -> usize {
        self.shared.core.known()
    }

    /// Whether adds are refused.
    pub fn is_shutting_down(&self) -> bool {
        self.shared.core.is_shutting_down()
    }

    /// Returns the name in metrics; empty if none was set.
    pub fn name(&self) -> &str {
        &self.shared.name
    }
}

impl<T> Shared<T> {
    pub(super) fn depth(&self) -> usize {
        let (len, promoted) = self.core.len(Instant::now);
        self.count_added(promoted);
        len
    }

    pub(super) fn count_added(&self, items: usize) {
        if let Some(metrics) = &self.metrics {
            metrics.added(items);
        }
    }

    /// Ends the run of slot `id`.
    pub(super) fn done(&self, id: usize) {
        let done = self.core.done(id, Instant::now);
        self.count_added(done.promoted);
        if let (Some(metrics), Some(started)) = (&self.metrics, done.started_at) {
            metrics.worked(started.elapsed());
        }
        if done.drained {
            self.drained.notify_waiters();
        }
    }
}

impl<T: QueueItem> Shared<T> {
    pub(super) fn add(&self, item: T, priority: i32) {
        self.count_added(self.core.add(item, priority, Instant::now));
    }

    pub(super) fn add_unchanged(&self, item: T, priority: i32) {
        self.count_added(self.core.add_unchanged(item, priority, Instant::now));
    }

    pub(super) fn add_after(&self, item: T, priority: i32, delay: Duration) {
        match Instant::now().checked_add(delay) {
            _ if delay.is_zero() => self.add(item, priority),
            Some(at) => self.add_at(item, priority, at, Delay::Asked),
            // Beyond the clock's range: never, unless added otherwise.
            None => {}
        }
    }

    fn add_at(&self, item: T, priority: i32, at: Instant, delay: Delay) {
        self.count_added(self.core.add_at(item, priority, at, delay, Instant::now));
    }

    /// Adds after the limiter's wait, or after `least` if that is longer.
    pub(super) fn add_rate_limited(&self, item: T, priority: i32, least: Duration) {
        if let Some(metrics) = &self.metrics {
            metrics.retried();
        }
        let now = Instant::now();
        let held = now.checked_add(least).filter(|until| *until > now);
        if let Some(until) = self.core.unserved_backoff(&item, now) {
            let until = held.map_or(until, |held| until.max(held));
            self.add_at(item, priority, until, Delay::Backoff(held));
            return;
        }
        match self.limiter.when(&item).max(least) {
            Duration::ZERO => self.add(item, priority),
            wait => {
                if let Some(at) = now.checked_add(wait) {
                    self.add_at(item, priority, at, Delay::Backoff(held));
                }
            }
        }
    }
}

impl<T: QueueItem> QueueProbe for Shared<T> {
    fn depth(&self) -> usize {
        Shared::depth(self)
    }

    fn running_since(&self) -> Vec<Instant> {
        self.core.running_since()
    }
}

impl<T: QueueItem> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue")
            .field("name", &self.shared.name)
            .field("known", &self.known())
            .finish_non_exhaustive()
    }
}
