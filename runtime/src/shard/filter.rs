//! Which objects belong to which slot.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kube::Resource;
use kube_names::shard::{Field, Selector, hash};
use tokio::sync::watch;

use super::Shards;
use super::slots::{SlotSet, slot_of};
use crate::store::ObjectKey;

/// Returns the text whose hash decides.
type KeyFn<K> = Arc<dyn Fn(&K) -> String + Send + Sync>;

/// How the objects of a controller are divided among the members of a group.
///
/// ```no_run
/// # use codegen_runtime::controller::{Action, BuildError, Controller, reconcile_fn};
/// # use codegen_runtime::informer::SharedInformerFactory;
/// # use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// # use codegen_runtime::shard::{Sharding, Shards};
/// # fn build(factory: &SharedInformerFactory, shards: &Shards) -> Result<Controller, BuildError> {
/// Controller::builder("deployments", factory)
///     .for_::<Deployment>()
///     .owns::<ReplicaSet>()
///     .sharded(Sharding::by_namespace(shards))
///     .build(reconcile_fn(|request| async move {
///         // The term of this part of the objects, for writes to other systems.
///         let _ = request.leadership.as_ref().map(|term| term.epoch());
///         Ok::<_, String>(Action::done())
///     }))
/// # }
/// ```
#[derive(Clone)]
pub struct Sharding {
    shards: Shards,
    by: By,
}

#[derive(Clone)]
enum By {
    Field(Field),
    NamespaceEvenly,
    /// A [`KeyFn`] of the reconciled kind.
    Key(Arc<dyn Any + Send + Sync>),
}

impl Sharding {
    /// Divides by the hash of the namespace: an object and those that it owns are of one member. A
    /// namespace is the smallest part that moves, so there should be many more of them than
    /// members.
    ///
    /// The hash is the API server's, FNV-1a, which places names that differ only in their last two
    /// characters (`team-01`, `team-02`) beside each other, and so with one member. See
    /// [`by_namespace_evenly`](Self::by_namespace_evenly).
    pub fn by_namespace(shards: &Shards) -> Self {
        Self::of(shards, By::Field(Field::Namespace))
    }

    /// Like [`by_namespace`](Self::by_namespace), but spreads similar names evenly. No API server
    /// selects by this: each member receives all objects, and keeps its own.
    pub fn by_namespace_evenly(shards: &Shards) -> Self {
        Self::of(shards, By::NamespaceEvenly)
    }

    /// Divides by the hash of the uid: evenly, whatever the namespaces. Every member caches all
    /// objects of the other kinds that the controller owns or watches.
    pub fn by_uid(shards: &Shards) -> Self {
        Self::of(shards, By::Field(Field::Uid))
    }

    /// Divides by the hash of the text that `key` returns for an object of the reconciled kind `K`,
    /// such as the value of a label. No API server selects by it: each member receives all objects
    /// of `K`, and keeps its own.
    pub fn by<K: 'static>(
        shards: &Shards,
        key: impl Fn(&K) -> String + Send + Sync + 'static,
    ) -> Self {
        let key: KeyFn<K> = Arc::new(key);
        Self::of(shards, By::Key(Arc::new(key)))
    }

    fn of(shards: &Shards, by: By) -> Self {
        let shards = shards.clone();
        Self { shards, by }
    }

    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Whether objects are divided by their namespaces.
    pub fn is_by_namespace(&self) -> bool {
        matches!(self.by, By::Field(Field::Namespace) | By::NamespaceEvenly)
    }

    /// Returns the filter for the reconciled kind; `None` if that is not the kind of the key
    /// function.
    pub(crate) fn filter<K: 'static>(&self) -> Option<ShardFilter<K>> {
        Some(ShardFilter {
            shards: self.shards.clone(),
            by: match &self.by {
                By::Field(field) => FilterBy::Field(*field),
                By::NamespaceEvenly => FilterBy::NamespaceEvenly,
                By::Key(key) => FilterBy::Key(key.downcast_ref::<KeyFn<K>>()?.clone()),
            },
        })
    }

    /// Returns the slot of a key, if that decides.
    pub(crate) fn slot_of(&self, key: &ObjectKey) -> Option<usize> {
        let namespace = key.namespace().unwrap_or_default();
        match self.by {
            By::Field(Field::Namespace) => Some(slot_of(hash(namespace))),
            By::NamespaceEvenly => Some(slot_of(mixed(namespace))),
            By::Field(Field::Uid) | By::Key(_) => None,
        }
    }
}

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by: &dyn fmt::Debug = match &self.by {
            By::Field(field) => field,
            By::NamespaceEvenly => &"Namespace, evenly",
            By::Key(_) => &"key function",
        };
        f.debug_struct("Sharding")
            .field("by", by)
            .finish_non_exhaustive()
    }
}

/// Which objects of a kind belong to which slot.
pub(crate) struct ShardFilter<K> {
    shards: Shards,
    by: FilterBy<K>,
}

enum FilterBy<K> {
    Field(Field),
    NamespaceEvenly,
    Key(KeyFn<K>),
}

impl<K> Clone for ShardFilter<K> {
    fn clone(&self) -> Self {
        Self {
            shards: self.shards.clone(),
            by: match &self.by {
                FilterBy::Field(field) => FilterBy::Field(*field),
                FilterBy::NamespaceEvenly => FilterBy::NamespaceEvenly,
                FilterBy::Key(key) => FilterBy::Key(Arc::clone(key)),
            },
        }
    }
}

impl<K> ShardFilter<K> {
    /// Whether both divide in the same way, among the same members.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.shards.is_same(&other.shards)
            && match (&self.by, &other.by) {
                (FilterBy::Field(one), FilterBy::Field(two)) => one == two,
                (FilterBy::NamespaceEvenly, FilterBy::NamespaceEvenly) => true,
                (FilterBy::Key(one), FilterBy::Key(two)) => Arc::ptr_eq(one, two),
                _ => false,
            }
    }

    /// Returns the slots whose objects this process needs, and their changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<SlotSet> {
        self.shards.holdings().subscribe()
    }

    /// Returns the field that decides, if API servers know it.
    pub(crate) fn field(&self) -> Option<Field> {
        match self.by {
            FilterBy::Field(field) => Some(field),
            FilterBy::NamespaceEvenly | FilterBy::Key(_) => None,
        }
    }

    /// Returns the selector of `slots`, if API servers can select them.
    pub(crate) fn selector(&self, slots: SlotSet) -> Option<String> {
        let selector = Selector {
            field: self.field()?,
            ranges: slots.ranges(),
        };
        Some(selector.to_string())
    }
}

impl<K: Resource> ShardFilter<K> {
    /// Returns the slot of an object.
    pub(crate) fn slot(&self, object: &K) -> usize {
        let meta = object.meta();
        let text = |text: &Option<String>| hash(text.as_deref().unwrap_or_default());
        slot_of(match &self.by {
            FilterBy::Field(Field::Uid) => text(&meta.uid),
            FilterBy::Field(Field::Namespace) => text(&meta.namespace),
            FilterBy::NamespaceEvenly => mixed(meta.namespace.as_deref().unwrap_or_default()),
            FilterBy::Key(key) => match catch_unwind(AssertUnwindSafe(|| key(object))) {
                Ok(key) => mixed(&key),
                Err(_) => {
                    tracing::error!(object = %ObjectKey::of(object), "the key function of a sharding panicked");
                    text(&meta.uid)
                }
            },
        })
    }
}

/// Returns a hash whose upper bits depend on every character, where no API server has to know it:
/// the finalizer of SplitMix64.
fn mixed(text: &str) -> u64 {
    let mut hash = hash(text);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn slots(hash: impl Fn(&str) -> u64) -> usize {
        let names = (0..100).map(|n| format!("team-{n:02}"));
        let slots: BTreeSet<_> = names.map(|name| slot_of(hash(&name))).collect();
        slots.len()
    }

    #[test]
    fn similar_names_are_spread_only_by_the_mixed_hash() {
        assert!(slots(hash) < 5, "{}", slots(hash));
        assert!(slots(mixed) > 70, "{}", slots(mixed));
    }
}
