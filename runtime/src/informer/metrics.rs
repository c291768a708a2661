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
use super::{InformerStats, SharedInformer, SharedInformerFactory};
use crate::metrics::{Histogram, MetricInfo, table};
use crate::object::{Cacheable, ResourceInfo};
use crate::reflector::Spread;

/// Reads one statistic.
type Read = fn(&InformerStats) -> u64;

const COUNTERS: [(MetricInfo, Read); 12] = [
    (table::LISTS, |stats| stats.reflector.lists),
    (table::LISTED_OBJECTS, |stats| {
        stats.reflector.listed_objects
    }),
    (table::WATCHES, |stats| stats.reflector.watches),
    (table::SHORT_WATCHES, |stats| stats.reflector.short_watches),
    (table::SILENT_WATCHES, |stats| {
        stats.reflector.silent_watches
    }),
    (table::VERSION_RESETS, |stats| {
        stats.reflector.version_resets
    }),
    (table::EVENTS, |stats| stats.reflector.events),
    (table::ERRORS, |stats| stats.reflector.errors),
    (table::UNDECODABLE_OBJECTS, |stats| {
        stats.reflector.undecodable
    }),
    (table::FOREIGN_OBJECTS, |stats| stats.reflector.foreign),
    (table::HANDLER_PANICS, |stats| stats.handler_panics),
    (table::INDEXER_PANICS, |stats| stats.indexer_panics),
];

const GAUGES: [(MetricInfo, Read); 6] = [
    (table::FAILING, |stats| u64::from(stats.error.is_some())),
    (table::OBJECTS, |stats| stats.objects as u64),
    (table::QUEUED_ITEMS, |stats| stats.queued as u64),
    (table::HANDLERS, |stats| stats.handlers as u64),
    (table::PENDING_CALLS, |stats| stats.pending as u64),
    (table::MAX_PENDING_CALLS, |stats| stats.max_pending as u64),
];

/// Selects one histogram.
type Distribution = fn(&Scrape) -> &Histogram;

const HISTOGRAMS: [(MetricInfo, Distribution); 5] = [
    (table::LIST_DURATION, |scrape| &scrape.spread.list_seconds),
    (table::ITEMS_PER_LIST, |scrape| {
        &scrape.spread.items_per_list
    }),
    (table::WATCH_DURATION, |scrape| &scrape.spread.watch_seconds),
    (table::ITEMS_PER_WATCH, |scrape| {
        &scrape.spread.items_per_watch
    }),
    (table::PROCESSING_LATENCY, |scrape| &scrape.processing),
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
        for (info, read) in COUNTERS {
            let mut family = info.describe(&mut encoder)?;
            for scrape in &all {
                ConstCounter::new(read(&scrape.stats))
                    .encode(family.encode_family(&scrape.labels())?)?;
            }
        }
        for info in [table::LAST_RESOURCE_VERSION, table::STORE_RESOURCE_VERSION] {
            encode_gauge(&mut encoder, &all, info, |scrape| scrape.resource_version)?;
        }
        for (info, read) in GAUGES {
            let read = |scrape: &Scrape| read(&scrape.stats) as f64;
            encode_gauge(&mut encoder, &all, info, read)?;
        }
        for (info, read) in HISTOGRAMS {
            let mut family = info.describe(&mut encoder)?;
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
    info: MetricInfo,
    read: impl Fn(&Scrape) -> f64,
) -> Result<(), fmt::Error> {
    let mut family = info.describe(encoder)?;
    for scrape in all {
        ConstGauge::new(read(scrape)).encode(family.encode_family(&scrape.labels())?)?;
    }
    Ok(())
}
