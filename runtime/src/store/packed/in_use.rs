//! Which objects of a packed store are in use, so that they need not be decoded.
//!
//! A `Weak` keeps the memory of its object (not what the object owns), so those of dropped objects
//! are swept out.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use foldhash::fast::RandomState;
use parking_lot::Mutex;

/// The number of entries below which nothing is swept.
const LEAST: usize = 256;

pub(super) struct InUse<K>(Mutex<Table<K>>);

struct Table<K> {
    entries: HashMap<u64, Weak<K>, RandomState>,
    /// The number of entries at which the next sweep is due: twice what the last one left.
    sweep_at: usize,
}

impl<K> Default for InUse<K> {
    fn default() -> Self {
        Self(Mutex::new(Table {
            entries: HashMap::default(),
            sweep_at: LEAST,
        }))
    }
}

impl<K> InUse<K> {
    pub(super) fn find(&self, id: u64) -> Option<Arc<K>> {
        self.0.lock().entries.get(&id)?.upgrade()
    }

    /// Remembers `object`; returns it, or the one that was remembered meanwhile.
    pub(super) fn remember(&self, id: u64, object: &Arc<K>) -> Arc<K> {
        let mut table = self.0.lock();
        if let Some(known) = table.entries.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        if table.entries.len() >= table.sweep_at {
            table.sweep();
        }
        table.entries.insert(id, Arc::downgrade(object));
        object.clone()
    }
}

impl<K> Table<K> {
    fn sweep(&mut self) {
        self.entries.retain(|_, object| object.strong_count() > 0);
        self.sweep_at = LEAST.max(self.entries.len() * 2);
        self.entries.shrink_to(self.sweep_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_objects_are_swept_and_used_ones_found() {
        let table = InUse::default();
        let used = Arc::new(0_u64);
        table.remember(0, &used);
        for id in 1..100_000 {
            table.remember(id, &Arc::new(id));
        }
        assert!(table.0.lock().entries.len() <= LEAST);
        assert!(
            table
                .find(0)
                .is_some_and(|found| Arc::ptr_eq(&found, &used))
        );
        assert!(table.find(1).is_none());
    }
}
