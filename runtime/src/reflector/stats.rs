//! Counters of a reflector, for metrics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::metrics::{Histogram, exponential_buckets};
use crate::tasks::{Progress, Task};

/// Counters of a reflector; they only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReflectorStats {
    /// Lists started, including streamed ones.
    pub lists: u64,
    /// Objects received in lists.
    pub listed_objects: u64,
    /// Watches started, including streamed lists.
    pub watches: u64,
    /// Watches that ended in under a second without an event.
    pub short_watches: u64,
    /// Watches that were silent although bookmarks should have come.
    pub silent_watches: u64,
    /// The number of times that the server's resourceVersions went back.
    pub version_resets: u64,
    /// Watch events received, including bookmarks.
    pub events: u64,
    /// Objects skipped because they could not be decoded or transformed.
    pub undecodable: u64,
    /// Errors of lists and watches.
    pub errors: u64,
    /// Objects and events of other shards, which the server should not have sent.
    pub foreign: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) lists: AtomicU64,
    pub(crate) listed_objects: AtomicU64,
    pub(crate) watches: AtomicU64,
    pub(crate) short_watches: AtomicU64,
    pub(crate) silent_watches: AtomicU64,
    pub(crate) version_resets: AtomicU64,
    pub(crate) events: AtomicU64,
    pub(crate) undecodable: AtomicU64,
    pub(crate) errors: AtomicU64,
    pub(crate) foreign: AtomicU64,
    pub(crate) spread: Spread,
    /// The states of the reflectors that count here, by name.
    tasks: Mutex<BTreeMap<String, Progress>>,
}

/// Distributions of the durations and sizes of lists and watches. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) list_seconds: Histogram,
    pub(crate) items_per_list: Histogram,
    pub(crate) watch_seconds: Histogram,
    pub(crate) items_per_watch: Histogram,
}

impl Default for Spread {
    fn default() -> Self {
        // Up to 10 minutes, the longest requested watch, and up to a million objects.
        let items = || Histogram::new(exponential_buckets(1.0, 10.0, 7));
        Self {
            list_seconds: Histogram::new(exponential_buckets(0.005, 2.0, 15)),
            items_per_list: items(),
            watch_seconds: Histogram::new([1.0, 5.0, 15.0, 60.0, 120.0, 300.0, 450.0, 600.0]),
            items_per_watch: items(),
        }
    }
}

impl Counters {
    /// Returns the state of listing and watching `resource`.
    pub(crate) fn progress(&self, resource: &str) -> Progress {
        let mut tasks = self.tasks.lock();
        let create = || Progress::new(Task::Informer, resource);
        tasks
            .entry(resource.to_owned())
            .or_insert_with(create)
            .clone()
    }

    /// Returns the last error of the first reflector that fails.
    pub(crate) fn error(&self) -> Option<String> {
        self.tasks.lock().values().find_map(Progress::error)
    }

    /// Fails while a reflector has been failing for long.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.tasks.lock().values().try_for_each(Progress::check)
    }

    /// Records a complete list of `items` objects.
    pub(crate) fn listed(&self, items: usize, took: Duration) {
        Self::add(&self.listed_objects, items);
        self.spread.list_seconds.observe(took.as_secs_f64());
        self.spread.items_per_list.observe(items as f64);
    }

    /// Records a finished watch with `items` events.
    pub(crate) fn watched(&self, items: usize, took: Duration) {
        self.spread.watch_seconds.observe(took.as_secs_f64());
        self.spread.items_per_watch.observe(items as f64);
    }

    pub(crate) fn add(counter: &AtomicU64, amount: usize) {
        counter.fetch_add(amount as u64, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> ReflectorStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ReflectorStats {
            lists: read(&self.lists),
            listed_objects: read(&self.listed_objects),
            watches: read(&self.watches),
            short_watches: read(&self.short_watches),
            silent_watches: read(&self.silent_watches),
            version_resets: read(&self.version_resets),
            events: read(&self.events),
            undecodable: read(&self.undecodable),
            errors: read(&self.errors),
            foreign: read(&self.foreign),
        }
    }
}
