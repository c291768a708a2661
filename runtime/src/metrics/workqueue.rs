//! `workqueue_*`: client-go's queue metrics, labelled as controller-runtime labels them.

#[cfg(feature = "prometheus")]
mod moment;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;
use tokio::time::Instant;

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Histogram, Registry, exponential_buckets};
use super::table;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    controller: String,
    name: String,
}

/// The state that a scrape reads from a live queue.
pub(crate) trait QueueProbe: Send + Sync {
    /// Returns the number of items that can be handed out now.
    fn depth(&self) -> usize;
    /// Returns the time at which each item in process was handed out.
    fn running_since(&self) -> Vec<Instant>;
}

type Probes = Mutex<BTreeMap<Labels, Vec<Weak<dyn QueueProbe>>>>;

/// The counters and histograms of one queue. Clones share them.
#[derive(Clone)]
pub struct WorkQueueMetrics {
    owner: Arc<Owner<Labels>>,
    adds: Counter,
    retries: Counter,
    queued: Histogram,
    worked: Histogram,
    probes: Arc<Probes>,
}

impl WorkQueueMetrics {
    pub(crate) fn added(&self, items: usize) {
        if items > 0 {
            self.adds.inc_by(items as u64);
        }
    }

    pub(crate) fn retried(&self) {
        self.retries.inc();
    }

    pub(crate) fn waited(&self, time: Duration) {
        self.queued.observe(time.as_secs_f64());
    }

    pub(crate) fn worked(&self, time: Duration) {
        self.worked.observe(time.as_secs_f64());
    }

    /// Lets scrapes query `queue` for its depth and its running items, as long as it exists.
    pub(crate) fn observe(&self, queue: Weak<dyn QueueProbe>) {
        let mut probes = self.probes.lock();
        let queues = probes.entry(self.owner.labels().clone()).or_default();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }
}

impl fmt::Debug for WorkQueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueMetrics")
            .field("name", &self.owner.labels().name)
            .finish_non_exhaustive()
    }
}

type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

pub(super) struct Families {
    adds: Family<Labels, Counter>,
    retries: Family<Labels, Counter>,
    queued: Histograms,
    worked: Histograms,
    probes: Arc<Probes>,
    owners: Owners<Labels>,
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let seconds: fn() -> Histogram = || Histogram::new(exponential_buckets(1e-8, 10.0, 12));
        let adds = Family::<Labels, Counter>::default();
        let retries = Family::<Labels, Counter>::default();
        let queued = Histograms::new_with_constructor(seconds);
        let worked = Histograms::new_with_constructor(seconds);
        let probes: Arc<Probes> = Arc::default();
        let families = Self {
            adds: adds.clone(),
            retries: retries.clone(),
            queued: queued.clone(),
            worked: worked.clone(),
            probes: probes.clone(),
            owners: Owners::new(move |labels| {
                adds.remove(labels);
                retries.remove(labels);
                queued.remove(labels);
                worked.remove(labels);
                probes.lock().remove(labels);
            }),
        };
        table::QUEUE_ADDS.register(registry, families.adds.clone());
        table::QUEUE_RETRIES.register(registry, families.retries.clone());
        table::QUEUE_DURATION.register(registry, families.queued.clone());
        table::WORK_DURATION.register(registry, families.worked.clone());
        #[cfg(feature = "prometheus")]
        registry.register_collector(Box::new(moment::Moment(Arc::clone(&families.probes))));
        families
    }

    pub(super) fn of(&self, name: &str) -> WorkQueueMetrics {
        let labels = Labels {
            controller: name.to_owned(),
            name: name.to_owned(),
        };
        WorkQueueMetrics {
            owner: self.owners.of(&labels),
            adds: self.adds.get_or_create_owned(&labels),
            retries: self.retries.get_or_create_owned(&labels),
            queued: self.queued.get_or_create_owned(&labels),
            worked: self.worked.get_or_create_owned(&labels),
            probes: Arc::clone(&self.probes),
        }
    }
}
