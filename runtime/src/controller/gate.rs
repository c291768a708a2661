//! The keys that a sharded controller may reconcile: those of the slots that this process owns,
//! once its caches have them.

use std::collections::{BTreeMap, BTreeSet};

use futures::FutureExt;
use futures::future::select_all;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::source::{Contribution, Departed, Locate, Source};
use crate::shard::{ShardPermit, Sharding, SlotSet};
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue};

/// Lets keys in.
pub(super) struct Gate {
    sharding: Sharding,
    locate: Option<Locate>,
    listed: Vec<watch::Receiver<SlotSet>>,
    departed: Departed,
    /// Keys whose slots this process owns, but whose caches are not filled yet.
    parked: Mutex<BTreeSet<ObjectKey>>,
}

impl Gate {
    pub(super) fn new(
        sharding: Sharding,
        contributions: Vec<Contribution>,
        departed: Departed,
    ) -> Self {
        let (mut listed, mut locate) = (Vec::new(), None);
        for contribution in contributions {
            listed.extend(contribution.listed);
            locate = locate.or(contribution.locate);
        }
        Self {
            sharding,
            locate,
            listed,
            departed,
            parked: Mutex::default(),
        }
    }

    fn slot(&self, key: &ObjectKey) -> Option<usize> {
        let by_key = self.sharding.slot_of(key);
        let by_object = || self.locate.as_ref()?(key);
        let by_deleted = || self.departed.lock().get(key).copied();
        by_key.or_else(by_object).or_else(by_deleted)
    }

    /// Returns the right to reconcile a key. Without one, the key is dropped: its owner finds it by
    /// itself, and this process, if it becomes the owner, by [`follow`](Self::follow).
    pub(super) fn enter(&self, key: &ObjectKey) -> Option<ShardPermit> {
        let slot = self.slot(key)?;
        let permit = self.sharding.shards().holdings().enter(slot);
        if permit.is_none() {
            self.departed.lock().remove(key);
        }
        let permit = permit?;
        if self.is_listed(slot) {
            return Some(permit);
        }
        self.parked.lock().insert(key.clone());
        // The list may have come meanwhile, and nobody looks at the parked keys again.
        (self.is_listed(slot) && self.parked.lock().remove(key)).then_some(permit)
    }

    /// Notes that a key was reconciled.
    pub(super) fn done(&self, key: &ObjectKey) {
        self.departed.lock().remove(key);
    }

    fn is_listed(&self, slot: usize) -> bool {
        self.listed
            .iter()
            .all(|listed| listed.borrow().contains(slot))
    }

    /// Returns the terms of the slots that are owned and listed.
    fn terms(&self) -> BTreeMap<usize, u64> {
        let mut terms = self.sharding.shards().holdings().terms();
        terms.retain(|slot, _| self.is_listed(*slot));
        terms
    }

    /// Adds the keys of slots that become ready, for ever: those that were parked, and all others,
    /// whose reasons may have been dropped while the slots were another member's.
    pub(super) async fn follow(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        sources: &[Box<dyn Source>],
    ) {
        let mut changes = self.listed.clone();
        changes.push(self.sharding.shards().holdings().subscribe());
        let mut known = BTreeMap::new();
        loop {
            for receiver in &mut changes {
                receiver.borrow_and_update();
            }
            let terms = self.terms();
            let fresh: SlotSet = terms
                .iter()
                .filter(|(slot, term)| known.get(*slot) != Some(*term))
                .map(|(slot, _)| *slot)
                .collect();
            known = terms;
            let low = AddOptions::default().priority(LOW_PRIORITY);
            if !fresh.is_empty() {
                let keys = sources.iter().flat_map(|source| source.keys());
                let is_fresh =
                    |key: &ObjectKey| self.slot(key).is_some_and(|slot| fresh.contains(slot));
                keys.filter(is_fresh)
                    .for_each(|key| queue.add_with(key, low));
            }
            let parked = std::mem::take(&mut *self.parked.lock());
            for key in parked {
                queue.add_with(key, low);
            }
            let next = changes
                .iter_mut()
                .map(|receiver| receiver.changed().boxed());
            // The senders live as long as the shards and the informers.
            drop(select_all(next).await);
        }
    }
}
