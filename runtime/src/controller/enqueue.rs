//! From changes of objects to keys in the queue.

use std::sync::Arc;

use kube::Resource;

use super::{Change, Predicate};
use crate::informer::{Deleted, EventHandler};
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue};

/// The keys that a change of an object concerns.
pub(super) type Mapping<K> = Arc<dyn Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync>;

/// What is known of a watched kind.
pub(super) struct Route<K> {
    pub(super) predicate: Predicate<K>,
    /// `None` for the object itself.
    pub(super) mapping: Option<Mapping<K>>,
}

impl<K> Clone for Route<K> {
    fn clone(&self) -> Self {
        Self {
            predicate: self.predicate.clone(),
            mapping: self.mapping.clone(),
        }
    }
}

/// Adds the keys that changes of a kind concern.
pub(super) struct Enqueue<K> {
    pub(super) route: Route<K>,
    pub(super) queue: PriorityQueue<ObjectKey>,
}

impl<K: Resource + Send + Sync + 'static> Enqueue<K> {
    fn enqueue(&self, object: &Arc<K>, priority: i32) {
        let options = AddOptions {
            priority,
            ..AddOptions::default()
        };
        match &self.route.mapping {
            None => self.queue.add_with(ObjectKey::of(&**object), options),
            Some(mapping) => mapping(object)
                .into_iter()
                .for_each(|key| self.queue.add_with(key, options)),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> EventHandler<K> for Enqueue<K> {
    fn on_add(&self, object: &Arc<K>, is_in_initial_list: bool) {
        if self.route.predicate.passes(&Change::Added(object)) {
            self.enqueue(object, if is_in_initial_list { LOW_PRIORITY } else { 0 });
        }
    }

    fn on_update(&self, old: &Arc<K>, new: &Arc<K>) {
        if !self.route.predicate.passes(&Change::Updated { old, new }) {
            return;
        }
        let unchanged = old.meta().resource_version == new.meta().resource_version;
        let priority = if unchanged { LOW_PRIORITY } else { 0 };
        // What the object concerned before is concerned too: an owner that lost it, say.
        if self.route.mapping.is_some() && !unchanged {
            self.enqueue(old, priority);
        }
        self.enqueue(new, priority);
    }

    fn on_delete(&self, deleted: &Deleted<K>) {
        if self
            .route
            .predicate
            .passes(&Change::Deleted(deleted.object()))
        {
            self.enqueue(deleted.object(), 0);
        }
    }
}
