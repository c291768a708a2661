//! Maps changes of objects to keys in the queue.

use std::sync::Arc;

use kube::Resource;

use super::Change;
use super::adder::{Adder, Route};
use super::remap::Remap;
use crate::informer::{Deleted, EventHandler};
use crate::metrics::ControllerMetrics;
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue};

/// Adds the keys affected by changes of a kind. If a predicate panics, the change passes; if a
/// mapping panics, the object is mapped again later.
pub(super) struct Enqueue<K> {
    adder: Adder<K>,
    again: Remap<K>,
    /// Called with each deleted object before its key is added.
    noted: Option<Noted<K>>,
}

type Noted<K> = Box<dyn Fn(&K) + Send + Sync>;

impl<K: Resource + Send + Sync + 'static> Enqueue<K> {
    pub(super) fn new(
        route: Route<K>,
        queue: PriorityQueue<ObjectKey>,
        metrics: ControllerMetrics,
    ) -> Self {
        let adder = Adder {
            route,
            queue,
            metrics,
        };
        Self {
            again: Remap::new(adder.clone()),
            adder,
            noted: None,
        }
    }

    /// Calls `note` with each deleted object before its key is added.
    pub(super) fn noting(mut self, note: impl Fn(&K) + Send + Sync + 'static) -> Self {
        self.noted = Some(Box::new(note));
        self
    }

    fn enqueue(&self, object: &Arc<K>, options: AddOptions) {
        if !self.adder.add(object, options) {
            self.again.push(Arc::clone(object), options);
        }
    }
}

impl<K: Resource + Send + Sync + 'static> EventHandler<K> for Enqueue<K> {
    fn on_add(&self, object: &Arc<K>, is_in_initial_list: bool) {
        if self.adder.passes(&Change::Added(object)) {
            let priority = if is_in_initial_list { LOW_PRIORITY } else { 0 };
            self.enqueue(object, AddOptions::default().priority(priority));
        }
    }

    fn on_update(&self, old: &Arc<K>, new: &Arc<K>) {
        if !self.adder.passes(&Change::Updated { old, new }) {
            return;
        }
        let unchanged = old.meta().resource_version == new.meta().resource_version;
        let options = if unchanged {
            AddOptions::default().priority(LOW_PRIORITY).unchanged()
        } else {
            AddOptions::default()
        };
        // Also enqueues the keys of the old object: an owner that lost it, for example.
        if self.adder.route.mapping.is_some() && !unchanged {
            self.enqueue(old, options);
        }
        self.enqueue(new, options);
    }

    fn on_delete(&self, deleted: &Deleted<K>) {
        if self.adder.passes(&Change::Deleted(deleted)) {
            if let Some(note) = &self.noted {
                note(deleted.object());
            }
            self.enqueue(deleted.object(), AddOptions::default());
        }
    }
}
