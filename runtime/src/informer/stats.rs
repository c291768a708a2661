//! Statistics of an informer, for metrics.

use std::sync::atomic::Ordering;

use super::SharedInformer;
use crate::metrics::Histogram;
use crate::object::Cacheable;
use crate::reflector::ReflectorStats;

/// client-go's buckets for the processing time of a batch of events.
pub(super) fn processing_seconds() -> Histogram {
    Histogram::new([
        0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
    ])
}

/// A snapshot of an informer's statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InformerStats {
    /// The informer's name: its resource, unless the factory set one.
    pub name: String,
    /// Whether the cache holds the first list.
    pub synced: bool,
    /// The last error of listing and watching, until it works again.
    pub error: Option<String>,
    /// Objects in the cache.
    pub objects: usize,
    /// Events received but not yet in the cache.
    pub queued: usize,
    /// Handlers.
    pub handlers: usize,
    /// Pending handler calls, of all handlers.
    pub pending: usize,
    /// The longest queue of one handler.
    pub max_pending: usize,
    /// Handler calls that panicked, including those of removed handlers.
    pub handler_panics: u64,
    /// Objects or lists that were skipped because an indexer panicked.
    pub indexer_panics: u64,
    /// The reflector's counters.
    pub reflector: ReflectorStats,
}

impl<K: Cacheable> SharedInformer<K> {
    /// Fails while lists or watches have been failing for long.
    pub(super) fn check(&self) -> Result<(), String> {
        self.inner.counters.check()
    }

    /// Returns the current statistics.
    pub fn stats(&self) -> InformerStats {
        let processor = self.processor();
        let pending = processor
            .listeners()
            .iter()
            .map(|listener| listener.shared.pending.load(Ordering::Relaxed));
        let pending: Vec<usize> = pending.collect();
        InformerStats {
            name: self.inner.name.clone(),
            synced: self.has_synced(),
            error: self.inner.counters.error(),
            objects: self.inner.store.len(),
            queued: self.inner.queue.len(),
            handlers: pending.len(),
            pending: pending.iter().sum(),
            max_pending: pending.into_iter().max().unwrap_or_default(),
            handler_panics: processor.handler_panics(),
            indexer_panics: processor.panics,
            reflector: self.inner.counters.read(),
        }
    }
}
