//! Maps objects to keys, and adds these to the queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kube::Resource;

use super::reconciler::panic_message;
use super::{Change, Predicate};
use crate::metrics::ControllerMetrics;
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, PriorityQueue};

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

/// Adds the keys of objects.
pub(super) struct Adder<K> {
    pub(super) route: Route<K>,
    pub(super) queue: PriorityQueue<ObjectKey>,
    pub(super) metrics: ControllerMetrics,
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

    pub(super) fn passes(&self, change: &Change<'_, K>) -> bool {
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
