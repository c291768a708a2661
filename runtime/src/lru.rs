//! A map of the most recently used keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Holds up to `capacity` entries; a further one evicts the least recently used.
#[derive(Debug)]
pub(crate) struct Lru<K, V> {
    entries: HashMap<K, (u64, V)>,
    order: BTreeMap<u64, K>,
    clock: u64,
    capacity: usize,
}

impl<K: Clone + Eq + Hash, V> Lru<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            entries: HashMap::new(),
            order: BTreeMap::new(),
            clock: 0,
            capacity,
        }
    }

    /// Returns the value of `key`, created by `new` if missing. Counts as a use.
    pub(crate) fn get_or_insert_with(&mut self, key: &K, new: impl FnOnce() -> V) -> &mut V {
        self.clock += 1;
        let stamp = self.clock;
        if let Some((old, _)) = self.entries.get(key) {
            self.order.remove(old);
        } else {
            self.make_room();
        }
        self.order.insert(stamp, key.clone());
        let entry = self
            .entries
            .entry(key.clone())
            .or_insert_with(|| (stamp, new()));
        entry.0 = stamp;
        &mut entry.1
    }

    /// Returns the value of `key`. Counts as a use.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.clock += 1;
        let (stamp, value) = self.entries.get_mut(key)?;
        if let Some(key) = self.order.remove(stamp) {
            self.order.insert(self.clock, key);
        }
        *stamp = self.clock;
        Some(value)
    }

    /// Removes and returns the least recently used value if there is no room for another.
    pub(crate) fn make_room(&mut self) -> Option<V> {
        if self.entries.len() < self.capacity {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        self.entries.remove(&oldest).map(|(_, value)| value)
    }

    /// Returns the value of `key`. Does not count as a use.
    pub(crate) fn peek_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|(_, value)| value)
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let (stamp, value) = self.entries.remove(key)?;
        self.order.remove(&stamp);
        Some(value)
    }

    /// Returns the keys, least recently used first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.order.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_entry_is_displaced() {
        let mut lru = Lru::new(2);
        *lru.get_or_insert_with(&"a", || 0) += 1;
        *lru.get_or_insert_with(&"b", || 0) += 1;
        *lru.get_or_insert_with(&"a", || 0) += 1;
        lru.get_or_insert_with(&"c", || 7);
        assert_eq!(lru.keys().copied().collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(
            (lru.peek_mut(&"a").copied(), lru.peek_mut(&"b").copied()),
            (Some(2), None)
        );
        assert_eq!(lru.get_mut(&"a").copied(), Some(2));
        assert_eq!(lru.make_room(), Some(7));
        assert_eq!(lru.make_room(), None);
        assert_eq!(lru.remove(&"a"), Some(2));
        assert_eq!(lru.keys().count(), 0);
    }
}
