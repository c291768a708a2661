//! Predicates: the changes that are worth a reconciliation.

use std::fmt;
use std::sync::Arc;

use crate::informer::Deleted;

/// One change of a watched object, as predicates see it.
#[derive(Debug)]
pub enum Change<'a, K> {
    /// The object appeared, or existed when the controller started.
    Added(&'a Arc<K>),
    /// The object changed, or a resync is due; then both states are the same.
    Updated {
        /// The state before.
        old: &'a Arc<K>,
        /// The state now.
        new: &'a Arc<K>,
    },
    /// The object is gone. [`Deleted::is_final_state_unknown`] says whether the deletion itself was
    /// missed, so that the object may have changed since the state known here.
    Deleted(&'a Deleted<K>),
}

impl<'a, K> Change<'a, K> {
    /// Returns the object; for an update, its new state, and for a deletion, the last known one.
    pub fn object(&self) -> &'a Arc<K> {
        match self {
            Self::Added(object) | Self::Updated { new: object, .. } => object,
            Self::Deleted(deleted) => deleted.object(),
        }
    }
}

type Test<K> = Arc<dyn Fn(&Change<'_, K>) -> bool + Send + Sync>;

/// Decides which changes pass. Clones share the test.
pub struct Predicate<K> {
    test: Test<K>,
}

impl<K: 'static> Predicate<K> {
    /// Creates a predicate that passes the changes for which `test` returns true.
    pub fn new(test: impl Fn(&Change<'_, K>) -> bool + Send + Sync + 'static) -> Self {
        Self {
            test: Arc::new(test),
        }
    }

    /// Creates a predicate that passes every change.
    pub fn all() -> Self {
        Self::new(|_| true)
    }

    /// Passes changes that pass both predicates.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(move |change| self.passes(change) && other.passes(change))
    }

    /// Passes changes that pass either predicate.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::new(move |change| self.passes(change) || other.passes(change))
    }

    /// Passes changes that do not pass this predicate.
    #[must_use]
    pub fn negate(self) -> Self {
        Self::new(move |change| !self.passes(change))
    }

    /// Whether `change` passes.
    pub fn passes(&self, change: &Change<'_, K>) -> bool {
        (self.test)(change)
    }
}

impl<K> Clone for Predicate<K> {
    fn clone(&self) -> Self {
        Self {
            test: Arc::clone(&self.test),
        }
    }
}

impl<K> fmt::Debug for Predicate<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

/// The predicates of controller-runtime, and [`resync`](predicates::resync). All except
/// [`labels_match`](predicates::labels_match) pass every creation and deletion, and the update of
/// an object that was deleted and recreated.
pub mod predicates {
    use kube::Resource;
    use kube::core::{Selector, SelectorExt};

    use super::{Change, Predicate};

    /// Tests updates. An object that was deleted and recreated while the watch was disconnected
    /// arrives as one update, with another uid: that is a creation, whatever else is equal.
    fn on_update<K: Resource + 'static>(
        test: impl Fn(&K, &K) -> bool + Send + Sync + 'static,
    ) -> Predicate<K> {
        Predicate::new(move |change: &Change<'_, K>| match change {
            Change::Updated { old, new } => old.meta().uid != new.meta().uid || test(old, new),
            Change::Added(_) | Change::Deleted(_) => true,
        })
    }

    /// Passes updates that change the object, not resyncs.
    pub fn resource_version_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().resource_version != new.meta().resource_version)
    }

    /// Passes resyncs: [`generation_changed`]`().or(resync())` keeps the period of the informer's
    /// resyncs, so that a status which someone else changed is written again.
    pub fn resync<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().resource_version == new.meta().resource_version)
    }

    /// Passes updates of the spec: those that change `metadata.generation`. Also passes an object
    /// that was marked for deletion.
    ///
    /// Does not pass writes of status, labels or annotations, nor any update of a kind without a
    /// generation (most of the core group).
    pub fn generation_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| {
            let (old, new) = (old.meta(), new.meta());
            old.generation != new.generation || old.deletion_timestamp != new.deletion_timestamp
        })
    }

    /// Passes updates that change labels.
    pub fn labels_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().labels != new.meta().labels)
    }

    /// Passes updates that change annotations.
    pub fn annotations_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().annotations != new.meta().annotations)
    }

    /// Passes changes of objects whose labels match, before or after.
    pub fn labels_match<K: Resource + 'static>(selector: Selector) -> Predicate<K> {
        let matches = move |object: &K| {
            static NONE: std::collections::BTreeMap<String, String> =
                std::collections::BTreeMap::new();
            selector.matches(object.meta().labels.as_ref().unwrap_or(&NONE))
        };
        Predicate::new(move |change| match change {
            Change::Updated { old, new } => matches(old) || matches(new),
            Change::Added(_) | Change::Deleted(_) => matches(change.object()),
        })
    }
}
