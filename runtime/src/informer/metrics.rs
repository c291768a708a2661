//! The figures of a factory's informers as Prometheus metrics, read when they are scraped.
//!
//! Names are client-go's (`reflector_*`, `informer_queued_items`) where it has one.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::{InformerStats, SharedInformerFactory};
use crate::metrics::Metrics;

/// Reads one figure.
type Read = fn(&InformerStats) -> u64;

/// Name without the suffix that counters get, help, and the figure.
const COUNTERS: [(&str, &str, Read); 9] = [
    (
        "reflector_lists",
        "Lists started, streamed ones included",
        |stats| stats.reflector.lists,
    ),
    (
        "reflector_listed_objects",
        "Objects received in lists",
        |stats| stats.reflector.listed_objects,
    ),
    (
        "reflector_watches",
        "Watches started, streamed lists included",
        |stats| stats.reflector.watches,
    ),
    (
        "reflector_short_watches",
        "Watches that ended in under a second without an event",
        |stats| stats.reflector.short_watches,
    ),
    (
        "reflector_events",
        "Watch events received, bookmarks included",
        |stats| stats.reflector.events,
    ),
    (
        "reflector_errors",
        "Lists and watches that failed",
        |stats| stats.reflector.errors,
    ),
    (
        "reflector_undecodable_objects",
        "Objects skipped because they could not be decoded or transformed",
        |stats| stats.reflector.undecodable,
    ),
    (
        "informer_handler_panics",
        "Calls of event handlers that panicked",
        |stats| stats.handler_panics,
    ),
    (
        "informer_indexer_panics",
        "Objects or lists skipped because an indexer panicked",
        |stats| stats.indexer_panics,
    ),
];

const GAUGES: [(&str, &str, Read); 5] = [
    ("informer_objects", "Objects in the cache", |stats| {
        stats.objects as u64
    }),
    (
        "informer_queued_items",
        "Events received and not yet in the cache",
        |stats| stats.queued as u64,
    ),
    ("informer_handlers", "Event handlers", |stats| {
        stats.handlers as u64
    }),
    (
        "informer_handler_pending_calls",
        "Calls of event handlers that wait, of all handlers",
        |stats| stats.pending as u64,
    ),
    (
        "informer_handler_pending_calls_max",
        "The longest queue of one event handler",
        |stats| stats.max_pending as u64,
    ),
];

impl SharedInformerFactory {
    /// Adds the figures of every informer of this factory, now and later, to `metrics`, labelled `name`.
    pub fn register_metrics(&self, metrics: &Metrics) {
        let informers = Informers(self.clone());
        metrics.register(|registry| registry.register_collector(Box::new(informers)));
    }
}

#[derive(Debug)]
struct Informers(SharedInformerFactory);

impl Collector for Informers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let all = self.0.stats();
        for (name, help, read) in COUNTERS {
            let kind = ConstCounter::new(0_u64).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for stats in &all {
                let labels = [("name", stats.name.as_str())];
                ConstCounter::new(read(stats)).encode(family.encode_family(&labels)?)?;
            }
        }
        for (name, help, read) in GAUGES {
            let kind = ConstGauge::new(0.0).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for stats in &all {
                let labels = [("name", stats.name.as_str())];
                ConstGauge::new(read(stats) as f64).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}
