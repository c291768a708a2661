//! Counters of a reflector, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a reflector has done so far; all counters only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReflectorStats {
    /// Lists started, streamed ones included.
    pub lists: u64,
    /// Objects received in lists.
    pub listed_objects: u64,
    /// Watches started, streamed lists included.
    pub watches: u64,
    /// Watches that ended in under a second without an event.
    pub short_watches: u64,
    /// Watch events received, bookmarks included.
    pub events: u64,
    /// Objects skipped because they could not be decoded or transformed.
    pub undecodable: u64,
    /// Errors of lists and watches.
    pub errors: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) lists: AtomicU64,
    pub(crate) listed_objects: AtomicU64,
    pub(crate) watches: AtomicU64,
    pub(crate) short_watches: AtomicU64,
    pub(crate) events: AtomicU64,
    pub(crate) undecodable: AtomicU64,
    pub(crate) errors: AtomicU64,
}

impl Counters {
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
            events: read(&self.events),
            undecodable: read(&self.undecodable),
            errors: read(&self.errors),
        }
    }
}
