//! Where a reflector delivers to: client-go's `ReflectorStore`.

use std::sync::Arc;

use kube::Resource;

use crate::object::is_unchanged;
use crate::store::{ObjectKey, Store};

/// One change of one object, in the order in which the server made them.
#[derive(Clone, Debug)]
pub enum Change<K> {
    /// The object is there in this state.
    Upsert {
        /// Its key.
        key: ObjectKey,
        /// Its state.
        object: Arc<K>,
    },
    /// The object is gone.
    Delete {
        /// Its key.
        key: ObjectKey,
        /// Its last state, if the server's text of it could be decoded.
        object: Option<Arc<K>>,
    },
}

/// The whole state of a resource, from a list.
#[derive(Clone, Debug)]
pub struct Replace<K> {
    /// The objects in the server's order.
    pub objects: Vec<(ObjectKey, Arc<K>)>,
    /// Keys of objects that exist but could not be decoded: what is known of them stays.
    pub keep: Vec<ObjectKey>,
    /// The version that the list reflects.
    pub resource_version: String,
}

/// Receives what a reflector reads.
pub trait Sink<K>: Send + Sync + 'static {
    /// The object last known under `key`. An unchanged object of a relist is given back as this very `Arc`, so that a relist
    /// never holds everything twice.
    fn known(&self, key: &str) -> Option<Arc<K>>;

    /// The key under which `object` is known, and the very `Arc` that is known if uid and resourceVersion are the same.
    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Arc<K>>)>
    where
        K: Resource,
    {
        let key = ObjectKey::of(object);
        let known = self.known(&key)?;
        let unchanged = is_unchanged(&*known, object);
        Some((key, unchanged.then_some(known)))
    }

    /// Everything there is, in place of all that was.
    fn replace(&self, state: Replace<K>);

    /// Changes after the last replace, with the version they reach (empty if it is not known).
    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str);
}

impl<K: Resource + Clone + Send + Sync + 'static> Sink<K> for Store<K> {
    fn known(&self, key: &str) -> Option<Arc<K>> {
        self.get(key)
    }

    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Arc<K>>)> {
        Store::recall(self, object)
    }

    fn replace(&self, state: Replace<K>) {
        self.replace_all(state.objects, &state.keep, &state.resource_version);
    }

    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str) {
        for change in changes {
            match change {
                Change::Upsert { key, object } => {
                    self.upsert(key, object);
                }
                Change::Delete { key, .. } => {
                    self.take(&key);
                }
            }
        }
        self.set_resource_version(resource_version);
    }
}
