//! `workqueue_*`: client-go's queue metrics, labelled as controller-runtime labels them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use tokio::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct Labels {
    controller: String,
    name: String,
}

/// What a scrape asks of a live queue.
pub(crate) trait QueueProbe: Send + Sync {
    /// How many items can be handed out now.
    fn depth(&self) -> usize;
    /// When each item in process was handed out.
    fn running_since(&self) -> Vec<Instant>;
}

type Probes = Mutex<BTreeMap<Labels, Vec<Weak<dyn QueueProbe>>>>;

/// The counters and histograms of one queue. Clones share them.
#[derive(Clone)]
pub struct WorkQueueMetrics {
    labels: Labels,
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

    /// Scrapes ask `queue` for its depth and its running items from now on, as long as it lives.
    pub(crate) fn observe(&self, queue: Weak<dyn QueueProbe>) {
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        let queues = probes.entry(self.labels.clone()).or_default();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }
}

impl fmt::Debug for WorkQueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueMetrics")
            .field("name", &self.labels.name)
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
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let seconds: fn() -> Histogram = || Histogram::new(exponential_buckets(1e-8, 10.0, 12));
        let families = Self {
            adds: Family::default(),
            retries: Family::default(),
            queued: Family::new_with_constructor(seconds),
            worked: Family::new_with_constructor(seconds),
            probes: Arc::default(),
        };
        registry.register(
            "workqueue_adds",
            "Adds handled by the work queue",
            families.adds.clone(),
        );
        registry.register(
            "workqueue_retries",
            "Retries handled by the work queue",
            families.retries.clone(),
        );
        let help = "Seconds an item stays in the work queue before it is handed out";
        registry.register(
            "workqueue_queue_duration_seconds",
            help,
            families.queued.clone(),
        );
        let help = "Seconds the processing of an item takes";
        registry.register(
            "workqueue_work_duration_seconds",
            help,
            families.worked.clone(),
        );
        registry.register_collector(Box::new(Moment(Arc::clone(&families.probes))));
        families
    }

    pub(super) fn of(&self, name: &str) -> WorkQueueMetrics {
        let labels = Labels {
            controller: name.to_owned(),
            name: name.to_owned(),
        };
        WorkQueueMetrics {
            adds: self.adds.get_or_create_owned(&labels),
            retries: self.retries.get_or_create_owned(&labels),
            queued: self.queued.get_or_create_owned(&labels),
            worked: self.worked.get_or_create_owned(&labels),
            probes: Arc::clone(&self.probes),
            labels,
        }
    }
}

/// The gauges that describe the moment of the scrape.
struct Moment(Arc<Probes>);

#[derive(Default)]
struct Reading {
    depth: usize,
    unfinished: Duration,
    longest: Duration,
}

/// Name, help and value.
type Gauge = (&'static str, &'static str, fn(&Reading) -> f64);

impl Moment {
    fn read(&self) -> BTreeMap<Labels, Reading> {
        let probes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let queues = probes
            .iter()
            .map(|(labels, queues)| (labels.clone(), queues.clone()))
            .collect::<Vec<_>>();
        drop(probes);
        let now = Instant::now();
        let mut readings = BTreeMap::<_, Reading>::new();
        for (labels, queues) in queues {
            for queue in queues.iter().filter_map(Weak::upgrade) {
                let reading = readings.entry(labels.clone()).or_default();
                reading.depth += queue.depth();
                for running in queue.running_since().into_iter().map(|since| now - since) {
                    reading.unfinished += running;
                    reading.longest = reading.longest.max(running);
                }
            }
        }
        readings
    }
}

impl Collector for Moment {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let readings = self.read();
        let gauges: [Gauge; 3] = [
            (
                "workqueue_depth",
                "Current depth of the work queue",
                |reading| reading.depth as f64,
            ),
            (
                "workqueue_unfinished_work_seconds",
                "Seconds of work in progress that work_duration has not observed yet; large values mean stuck workers",
                |reading| reading.unfinished.as_secs_f64(),
            ),
            (
                "workqueue_longest_running_processor_seconds",
                "Seconds the longest running processor has been at work",
                |reading| reading.longest.as_secs_f64(),
            ),
        ];
        for (name, help, value) in gauges {
            let mut family =
                encoder.encode_descriptor(name, help, None, ConstGauge::new(0.0).metric_type())?;
            for (labels, reading) in &readings {
                ConstGauge::new(value(reading)).encode(family.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moment").finish_non_exhaustive()
    }
}
