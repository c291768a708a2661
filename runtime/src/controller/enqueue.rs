//! Maps changes of objects to keys in the queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kube::Resource;

use super::reconciler::panic_message;
use super::remap::Remap;
use super::{Change, Predicate};
use crate::informer::{Deleted, EventHandler};
use crate::metrics::ControllerMetrics;
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue};

/// Returns the keys that a change of an object affects.
pub(super) type Mapping<K> = Arc<dyn Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync>;

/// The state of a watched kind.
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

/// Adds the keys affected by changes of a kind. If a predicate panics, the change passes; if a
/// mapping panics, the object is mapped again later.
pub(super) struct Enqueue<K> {
    adder: Adder<K>,
    again: Remap<K>,
    /// Called with each deleted object before its key is added.
    noted: Option<Noted<K>>,
}

type Noted<K> = Box<dyn Fn(&K) + Send + Sync>;

/// Adds the keys of objects.
pub(super) struct Adder<K> {
    route: Route<K>,
    pub(super) queue: PriorityQueue<ObjectKey>,
    metrics: ControllerMetrics,
}

impl<K> Clone for Adder<K> {
    fn clone(&self) -> Self {
        Self {
            route: self.route.clone(),
            queue: self.queue.clone(),
            metrics: self.metrics.clone(),
        }
    }
}

impl<K: Resource + 'static> Adder<K> {
    /// Adds the keys that `object` affects; returns false if the mapping panicked.
    pub(super) fn add(&self, object: &Arc<K>, options: AddOptions) -> bool {
        let Some(mapping) = &self.route.mapping else {
            self.queue.add_with(ObjectKey::of(&**object), options);
            return true;
        };
        let mapped = self.caught("mapping", object, || mapping(object));
        let keys = mapped.iter().flatten().cloned();
        keys.for_each(|key| self.queue.add_with(key, options));
        mapped.is_some()
    }

    fn passes(&self, change: &Change<'_, K>) -> bool {
        let passes = || self.route.predicate.passes(change);
        // A change is reconciled unless it is known to be irrelevant.
        self.caught("predicate", change.object(), passes)
            .unwrap_or(true)
    }

    /// Returns the result of `call`; if it panics, reports that and returns `None`.
    fn caught<T>(&self, what: &str, object: &Arc<K>, call: impl FnOnce() -> T) -> Option<T> {
        let caught = catch_unwind(AssertUnwindSafe(call));
        let panic = match caught {
            Ok(result) => return Some(result),
            Err(panic) => panic,
        };
        self.metrics.mapping_panicked();
        tracing::error!(
            controller = self.queue.name(),
            object = %ObjectKey::of(&**object),
            panic = panic_message(&*panic),
            "the {what} of a watched kind panicked"
        );
        None
    }
}

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
