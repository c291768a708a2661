//! The queue as its users see it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::core::{Core, Delay};
use super::{Get, QueueItem, RateLimiter, WorkQueueBuilder};
use crate::metrics::{QueueProbe, WorkQueueMetrics};

/// A first-in-first-out queue of distinct items, with delays, back-off, shutdown and drain. Clones are handles on one
/// queue.
///
/// Guarantees:
///
/// - Adding an item that is queued does nothing. Adding one that is in process makes it run exactly once more, at the
///   tail, after it is done. So no item is ever in process twice at a time, and no add after the start of a run is lost.
/// - Items are handed out in the order in which they became ready. Workers that wait are woken in the order in which they
///   came (one of them, which keeps the time of delayed items, comes last).
/// - A delayed item is handed out no earlier than its delay ends; of several delays of one item the earliest holds. An
///   immediate add leaves a delay in force, as in client-go.
/// - [`get`](Self::get) may be dropped at any time without losing an item or a wake-up.
///
/// Memory: one slot an item that is queued, delayed or in process, freed when it is none of these. The queue has no
/// bound: it holds as many items as there are distinct ones.
pub struct WorkQueue<T> {
    pub(super) shared: Arc<Shared<T>>,
}

/// State shared by the handles of a queue, its items and its metrics.
pub(super) struct Shared<T> {
    pub(super) core: Core<T>,
    pub(super) name: String,
    pub(super) limiter: Box<dyn RateLimiter<T>>,
    pub(super) metrics: Option<WorkQueueMetrics>,
    pub(super) drained: Notify,
}

impl<T: QueueItem> WorkQueue<T> {
    /// A queue without name and metrics, with the [default limiter](super::default_controller_rate_limiter).
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Starts a queue with a name, metrics or another limiter.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }

    /// Adds `item` to be handed out as soon as a worker is free. Ignored once the queue is shutting down.
    pub fn add(&self, item: T) {
        self.shared.add(item, 0);
    }

    /// Adds `item` to be handed out after `delay`, or at once if that is zero. Ignored once the queue is shutting down.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.shared.add_after(item, 0, delay);
    }

    /// Adds `item` after the wait that the limiter gives it: for items that failed.
    ///
    /// Each call counts as one failure, unless the item is in process, was triggered before its last back-off ended, and
    /// that still hasn't: then the item waits for the rest of it.
    pub fn add_rate_limited(&self, item: T) {
        self.shared.add_rate_limited(item, 0, Duration::ZERO);
    }

    /// Tells the limiter that `item` succeeded, or failed for good: its next back-off is the first one again.
    ///
    /// This doesn't take a queued or delayed item out of the queue.
    pub fn forget(&self, item: &T) {
        self.shared.core.forget_backoff(item);
        self.shared.limiter.forget(item);
    }

    /// How often `item` was added rate-limited since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.shared.limiter.num_requeues(item)
    }

    /// Waits for the next item. `None` once the queue is shutting down and nothing is queued: the worker then ends.
    ///
    /// The item belongs to the worker until the returned guard is dropped or [`done`](super::Item::done). Dropping the
    /// future loses nothing. A pending future must be polled or dropped: one that is kept but not polled may hold up
    /// delayed items on behalf of the other workers.
    pub fn get(&self) -> Get<'_, T> {
        Get::new(&self.shared)
    }

    /// Refuses further adds and forgets delays. What is queued is still handed out; then workers get `None`. Ends any wait
    /// for a [drain](Self::shut_down_with_drain).
    pub fn shut_down(&self) {
        self.shared.core.shut_down();
        self.shared.drained.notify_waiters();
    }

    /// Shuts down, and waits until all that is queued was handed out and is done, reruns included.
    ///
    /// The queue refuses adds from the first poll on. A later [`shut_down`](Self::shut_down) ends the wait at once, and so
    /// does dropping the future; either way the queue stays shut down. Without workers nothing is handed out, and the
    /// wait doesn't end by itself.
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
    /// How many items can be handed out now: neither delayed nor in process.
    pub fn len(&self) -> usize {
        self.shared.depth()
    }

    /// Whether no item can be handed out now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items the queue holds memory for: ready, delayed and in process.
    pub fn known(&self) -> usize {
        self.shared.core.known()
    }

    /// Whether adds are refused.
    pub fn is_shutting_down(&self) -> bool {
        self.shared.core.is_shutting_down()
    }

    /// The name that metrics carry; empty if none was given.
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

    /// The run of slot `id` is over.
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

    pub(super) fn add_after(&self, item: T, priority: i32, delay: Duration) {
        match Instant::now().checked_add(delay) {
            _ if delay.is_zero() => self.add(item, priority),
            Some(at) => self.add_at(item, priority, at, Delay::Asked),
            // Further away than the clock can tell: never, unless something else adds it.
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
        if let Some(until) = self.core.unserved_backoff(&item, now) {
            let until = now
                .checked_add(least)
                .map_or(until, |least| until.max(least));
            self.add_at(item, priority, until, Delay::Backoff);
            return;
        }
        match self.limiter.when(&item).max(least) {
            Duration::ZERO => self.add(item, priority),
            wait => {
                if let Some(at) = now.checked_add(wait) {
                    self.add_at(item, priority, at, Delay::Backoff);
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
