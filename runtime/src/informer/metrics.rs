//! The statistics of the informers of all factories as Prometheus metrics, collected at each
//! scrape.
//!
//! Names are client-go's (`reflector_*`, `informer_queued_items` and so on) where it has them. Its
//! summaries (durations, items per list) are histograms here, with the same `_sum` and `_count`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::factory::WeakFactory;
use super::stats::processing_seconds;
use super::{InformerStats, SharedInformer, SharedInformerFactory};
use crate::metrics::Histogram;
use crate::object::{Cacheable, ResourceInfo};
use crate::reflector::Spread;

/// Reads one statistic.
type Read = fn(&InformerStats) -> u64;

/// The name without the suffix of counters, the help, and the statistic.
#[rustfmt::skip]
const COUNTERS: [(&str, &str, Read); 12] = [
    ("reflector_lists", "Lists started, streamed ones included", |stats| stats.reflector.lists),
    ("reflector_listed_objects", "Objects received in lists", |stats| stats.reflector.listed_objects),
    ("reflector_watches", "Watches started, streamed lists included", |stats| stats.reflector.watches),
    ("reflector_short_watches", "Watches that ended in under a second without an event",
        |stats| stats.reflector.short_watches),
    ("reflector_silent_watches", "Watches that were silent although bookmarks should have come",
        |stats| stats.reflector.silent_watches),
    ("reflector_version_resets", "How often the server's resourceVersions went back",
        |stats| stats.reflector.version_resets),
    ("reflector_events", "Watch events received, bookmarks included", |stats| stats.reflector.events),
    ("reflector_errors", "Lists and watches that failed", |stats| stats.reflector.errors),
    ("reflector_undecodable_objects", "Objects skipped because they could not be decoded or transformed",
        |stats| stats.reflector.undecodable),
    ("reflector_foreign_objects", "Objects and events of other shards, which the server should not have sent",
        |stats| stats.reflector.foreign),
    ("informer_handler_panics", "Calls of event handlers that panicked", |stats| stats.handler_panics),
    ("informer_indexer_panics", "Objects or lists skipped because an indexer panicked", |stats| stats.indexer_panics),
];

#[rustfmt::skip]
const GAUGES: [(&str, &str, Read); 6] = [
    ("reflector_failing", "1 while lists or watches fail, 0 while they work", |stats| u64::from(stats.error.is_some())),
    ("informer_objects", "Objects in the cache", |stats| stats.objects as u64),
    ("informer_queued_items", "Events received and not yet in the cache", |stats| stats.queued as u64),
    ("informer_handlers", "Event handlers", |stats| stats.handlers as u64),
    ("informer_handler_pending_calls", "Calls of event handlers that wait, of all handlers",
        |stats| stats.pending as u64),
    ("informer_handler_pending_calls_max", "The longest queue of one event handler", |stats| stats.max_pending as u64),
];

/// Selects one histogram.
type Distribution = fn(&Scrape) -> &Histogram;

#[rustfmt::skip]
const HISTOGRAMS: [(&str, &str, Distribution); 5] = [
    ("reflector_list_duration_seconds", "How long lists took to come and decode, streamed ones included",
        |scrape| &scrape.spread.list_seconds),
    ("reflector_items_per_list", "Objects of each list", |scrape| &scrape.spread.items_per_list),
    ("reflector_watch_duration_seconds", "How long watches lasted", |scrape| &scrape.spread.watch_seconds),
    ("reflector_items_per_watch", "Events of each watch", |scrape| &scrape.spread.items_per_watch),
    ("informer_processing_latency_seconds",
        "From the hand-out of a batch of events until the cache has it and handlers' queues too",
        |scrape| &scrape.processing),
];

/// Gauges of the cache's version, under client-go's older and newer names.
const VERSIONS: [&str; 2] = [
    "reflector_last_resource_version",
    "informer_store_resource_version",
];

/// The statistics of one informer at a scrape.
pub(super) struct Scrape {
    stats: InformerStats,
    resource: ResourceInfo,
    resource_version: f64,
    spread: Spread,
    processing: Histogram,
}

impl<K: Cacheable> SharedInformer<K> {
    pub(super) fn scrape(&self) -> Scrape {
        Scrape {
            stats: self.stats(),
            resource: self.inner.info.clone(),
            resource_version: least_digits(&self.last_sync_resource_version()),
            spread: self.inner.counters.spread.clone(),
            processing: self.inner.processing.clone(),
        }
    }
}

/// Returns the 15 least significant digits of a version, which a float represents exactly; 0 if it
/// is not a number.
fn least_digits(version: &str) -> f64 {
    let digits = version
        .get(version.len().saturating_sub(15)..)
        .unwrap_or_default();
    digits.parse::<u64>().map_or(0.0, |digits| digits as f64)
}

/// The informers of the factories that report to one set of metrics, as long as the factories
/// exist. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Informers(Arc<Mutex<Vec<WeakFactory>>>);

impl Informers {
    /// Adds the informers of `factory`, unless they have been added.
    pub(super) fn add(&self, factory: &SharedInformerFactory) {
        let mut factories = self.0.lock();
        factories.retain(|other| other.upgrade().is_some());
        let is_same = |other: &WeakFactory| other.upgrade().is_some_and(|it| it.is(factory));
        if !factories.iter().any(is_same) {
            factories.push(factory.downgrade());
        }
    }

    fn scrape(&self) -> Vec<Scrape> {
        let factories: Vec<_> = {
            let mut factories = self.0.lock();
            factories.retain(|factory| factory.upgrade().is_some());
            factories.iter().filter_map(WeakFactory::upgrade).collect()
        };
        let scrapes = factories.iter().flat_map(SharedInformerFactory::scrape);
        told_apart(scrapes.collect())
    }
}

impl Scrape {
    fn labels(&self) -> [(&str, &str); 4] {
        [
            ("name", &self.stats.name),
            ("group", &self.resource.group),
            ("version", &self.resource.version),
            ("resource", &self.resource.plural),
        ]
    }
}

impl Collector for Informers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let all = self.scrape();
        for (name, help, read) in COUNTERS {
            let kind = ConstCounter::new(0_u64).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for scrape in &all {
                ConstCounter::new(read(&scrape.stats))
                    .encode(family.encode_family(&scrape.labels())?)?;
            }
        }
        let versions = VERSIONS.map(|name| -> (&str, &str, fn(&Scrape) -> f64) {
            let help = "The 15 least significant digits of the version that the cache reflects";
            (name, help, |scrape| scrape.resource_version)
        });
        for (name, help, read) in versions {
            encode_gauge(&mut encoder, &all, name, help, read)?;
        }
        for (name, help, read) in GAUGES {
            let read = |scrape: &Scrape| read(&scrape.stats) as f64;
            encode_gauge(&mut encoder, &all, name, help, read)?;
        }
        for (name, help, read) in HISTOGRAMS {
            let kind = processing_seconds().metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for scrape in &all {
                read(scrape).encode(family.encode_family(&scrape.labels())?)?;
            }
        }
        Ok(())
    }
}

/// Numbers the informers of one resource that belong to different factories, or hold it as
/// different types: two series must not have the same labels.
fn told_apart(mut all: Vec<Scrape>) -> Vec<Scrape> {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for scrape in &mut all {
        let key = (scrape.stats.name.clone(), scrape.resource.version.clone());
        let count = seen.entry(key).or_insert(0);
        *count += 1;
        if *count > 1 {
            scrape.stats.name = format!("{}#{count}", scrape.stats.name);
        }
    }
    all
}

fn encode_gauge(
    encoder: &mut DescriptorEncoder<'_>,
    all: &[Scrape],
    name: &str,
    help: &str,
    read: impl Fn(&Scrape) -> f64,
) -> Result<(), fmt::Error> {
    let kind = ConstGauge::new(0.0).metric_type();
    let mut family = encoder.encode_descriptor(name, help, None, kind)?;
    for scrape in all {
        ConstGauge::new(read(scrape)).encode(family.encode_family(&scrape.labels())?)?;
    }
    Ok(())
}
