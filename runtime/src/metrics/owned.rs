//! Series that exist as long as something reports to them.
//!
//! One rule for everything that registers with a [`Metrics`](super::Metrics) and has labels of its
//! own: the metrics hold it weakly, and its series are gone when its last handle is dropped.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Removes the series with these labels from their families.
type Remove<L> = Arc<dyn Fn(&L) + Send + Sync>;

type Live<L> = Arc<Mutex<BTreeMap<L, Weak<Owner<L>>>>>;

/// The owners of one kind, by their labels.
pub(super) struct Owners<L: Ord> {
    live: Live<L>,
    remove: Remove<L>,
}

/// What the handles of one owner share. Its series are removed when it is dropped.
pub(super) struct Owner<L: Ord> {
    labels: L,
    live: Live<L>,
    remove: Remove<L>,
}

impl<L: Ord + Clone> Owners<L> {
    pub(super) fn new(remove: impl Fn(&L) + Send + Sync + 'static) -> Self {
        Self {
            live: Arc::default(),
            remove: Arc::new(remove),
        }
    }

    /// Returns the owner with `labels`. Create its series after that, as long as it is held.
    pub(super) fn of(&self, labels: &L) -> Arc<Owner<L>> {
        let mut live = self.live.lock();
        if let Some(known) = live.get(labels) {
            match known.upgrade() {
                Some(owner) => return owner,
                // It is just being dropped, and will find that it has been replaced.
                None => (self.remove)(labels),
            }
        }
        let owner = Arc::new(Owner {
            labels: labels.clone(),
            live: self.live.clone(),
            remove: self.remove.clone(),
        });
        live.insert(labels.clone(), Arc::downgrade(&owner));
        owner
    }
}

impl<L: Ord> Owner<L> {
    pub(super) fn labels(&self) -> &L {
        &self.labels
    }
}

impl<L: Ord> Drop for Owner<L> {
    fn drop(&mut self) {
        let mut live = self.live.lock();
        let own: *const Self = self;
        if live.get(&self.labels).is_some_and(|it| it.as_ptr() == own) {
            live.remove(&self.labels);
            (self.remove)(&self.labels);
        }
    }
}

impl<L: Ord + std::fmt::Debug> std::fmt::Debug for Owner<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.labels.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn series_are_removed_with_the_last_handle_of_their_owner() {
        let removed = Arc::new(AtomicUsize::new(0));
        let count = removed.clone();
        let owners = Owners::new(move |_: &&str| {
            count.fetch_add(1, Ordering::SeqCst);
        });
        let (first, second) = (owners.of(&"a"), owners.of(&"a"));
        let other = owners.of(&"b");
        drop(first);
        assert_eq!(removed.load(Ordering::SeqCst), 0);
        drop(second);
        assert_eq!(removed.load(Ordering::SeqCst), 1);
        assert_eq!(owners.live.lock().len(), 1);
        let again = owners.of(&"a");
        drop((again, other));
        assert_eq!(removed.load(Ordering::SeqCst), 3);
        assert!(owners.live.lock().is_empty());
    }
}
