//! Which changes are worth a reconciliation.

use std::fmt;
use std::sync::Arc;

/// One change of a watched object, as predicates see it.
#[derive(Debug)]
pub enum Change<'a, K> {
    /// It appeared, or existed when the controller started.
    Added(&'a Arc<K>),
    /// It changed, or a resync is due; then both are the same.
    Updated {
        /// Before.
        old: &'a Arc<K>,
        /// Now.
        new: &'a Arc<K>,
    },
    /// It is gone; this is the last state known.
    Deleted(&'a Arc<K>),
}

impl<'a, K> Change<'a, K> {
    /// The object: the new one of an update.
    pub fn object(&self) -> &'a Arc<K> {
        match self {
            Self::Added(object) | Self::Deleted(object) | Self::Updated { new: object, .. } => {
                object
            }
        }
    }
}

type Test<K> = Arc<dyn Fn(&Change<'_, K>) -> bool + Send + Sync>;

/// Says which changes pass. Clones share the test.
pub struct Predicate<K> {
    test: Test<K>,
}

impl<K: 'static> Predicate<K> {
    /// Passes what `test` says.
    pub fn new(test: impl Fn(&Change<'_, K>) -> bool + Send + Sync + 'static) -> Self {
        Self {
            test: Arc::new(test),
        }
    }

    /// Passes everything.
    pub fn all() -> Self {
        Self::new(|_| true)
    }

    /// Passes what both pass.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(move |change| self.passes(change) && other.passes(change))
    }

    /// Passes what either passes.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::new(move |change| self.passes(change) || other.passes(change))
    }

    /// Passes what this doesn't.
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

/// The predicates of controller-runtime. Additions and deletions pass all of them but [`labels_match`](predicates::labels_match).
pub mod predicates {
    use kube::Resource;
    use kube::core::{Selector, SelectorExt};

    use super::{Change, Predicate};

    fn on_update<K: 'static>(
        test: impl Fn(&K, &K) -> bool + Send + Sync + 'static,
    ) -> Predicate<K> {
        Predicate::new(move |change| match change {
            Change::Updated { old, new } => test(old, new),
            Change::Added(_) | Change::Deleted(_) => true,
        })
    }

    /// Updates that change the object at all: not resyncs.
    pub fn resource_version_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().resource_version != new.meta().resource_version)
    }

    /// Updates of the spec: `metadata.generation` grows. Also passes an object that was marked for deletion.
    ///
    /// Kinds without a generation (most of the core group) never pass an update; status writes, labels and annotations don't
    /// pass either.
    pub fn generation_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| {
            let (old, new) = (old.meta(), new.meta());
            old.generation != new.generation
                || old.deletion_timestamp != new.deletion_timestamp
                || old.uid != new.uid
        })
    }

    /// Updates of labels.
    pub fn labels_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().labels != new.meta().labels)
    }

    /// Updates of annotations.
    pub fn annotations_changed<K: Resource + 'static>() -> Predicate<K> {
        on_update(|old: &K, new: &K| old.meta().annotations != new.meta().annotations)
    }

    /// Changes of objects whose labels match, before or after.
    pub fn labels_match<K: Resource + 'static>(selector: Selector) -> Predicate<K> {
        let matches = move |object: &K| {
            static NONE: std::collections::BTreeMap<String, String> =
                std::collections::BTreeMap::new();
            selector.matches(object.meta().labels.as_ref().unwrap_or(&NONE))
        };
        Predicate::new(move |change| match change {
            Change::Updated { old, new } => matches(old) || matches(new),
            Change::Added(object) | Change::Deleted(object) => matches(object),
        })
    }
}
