//! Settings of a queue, before it starts.

use std::fmt;
use std::sync::{Arc, Weak};

use tokio::sync::Notify;

use super::core::{Core, Discipline, Timing};
use super::queue::Shared;
use super::{PriorityQueue, QueueItem, RateLimiter, WorkQueue, default_controller_rate_limiter};
use crate::metrics::{Metrics, QueueProbe, WorkQueueMetrics};

/// Builds a queue; see [`WorkQueue::builder`].
#[derive(Debug)]
#[must_use]
pub struct WorkQueueBuilder<T> {
    name: String,
    metrics: Option<Metrics>,
    limiter: Box<dyn RateLimiter<T>>,
}

impl<T: QueueItem> WorkQueueBuilder<T> {
    pub(super) fn new() -> Self {
        Self {
            name: String::new(),
            metrics: None,
            limiter: Box::new(default_controller_rate_limiter()),
        }
    }

    /// Sets the queue's name: the `name` and `controller` labels of its metrics.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Reports `workqueue_*` series to `metrics`. Without this the queue takes no timestamps and is
    /// faster.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }

    /// Replaces the [default limiter](default_controller_rate_limiter).
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Builds a first-in-first-out queue.
    pub fn build(self) -> WorkQueue<T> {
        self.finish(Discipline::Fifo)
    }

    /// Builds a queue with priorities.
    pub fn build_priority(self) -> PriorityQueue<T> {
        PriorityQueue::over(self.finish(Discipline::Priority))
    }

    fn finish(self, discipline: Discipline) -> WorkQueue<T> {
        let metrics: Option<WorkQueueMetrics> =
            self.metrics.map(|metrics| metrics.workqueue(&self.name));
        let timing = match &metrics {
            Some(_) => Timing::On,
            None => Timing::Off,
        };
        let shared = Arc::new(Shared {
            core: Core::new(discipline, timing),
            name: self.name,
            limiter: self.limiter,
            metrics,
            drained: Notify::new(),
        });
        if let Some(metrics) = &shared.metrics {
            let probe: Weak<Shared<T>> = Arc::downgrade(&shared);
            metrics.observe(probe as Weak<dyn QueueProbe>);
        }
        WorkQueue { shared }
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
