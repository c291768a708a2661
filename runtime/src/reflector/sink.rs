//! The destination of a reflector: client-go's `ReflectorStore`.

use std::sync::Arc;

use kube::Resource;

use crate::store::{Held, ObjectKey, Store, Versions};

/// One change of one object, in the server's order.
#[derive(Clone, Debug)]
pub enum Change<K> {
    /// The object exists in this state.
    Upsert {
        /// The object's key.
        key: ObjectKey,
        /// The object's state.
        object: Arc<K>,
    },
    /// The object is gone.
    Delete {
        /// The object's key.
        key: ObjectKey,
        /// The object's last state, if it could be decoded.
        object: Option<Arc<K>>,
    },
}

/// The complete state of a resource, from a list.
#[derive(Clone, Debug)]
pub struct Replace<K> {
    /// The objects in the server's order.
    pub objects: Vec<(ObjectKey, Held<K>)>,
    /// Keys of objects that exist but could not be decoded: their known states stay.
    pub keep: Vec<ObjectKey>,
    /// The version of the list.
    pub resource_version: String,
    /// Whether the server's resourceVersions went back before this list: an object with known uid
    /// and resourceVersion may have other contents then.
    pub versions_went_back: bool,
}

impl<K> Replace<K> {
    /// Returns what the versions of the objects mean.
    pub(crate) fn versions(&self) -> Versions {
        if self.versions_went_back {
            Versions::WentBack
        } else {
            Versions::Trusted
        }
    }
}

/// Receives the objects and changes that a reflector reads.
pub trait Sink<K>: Send + Sync + 'static {
    /// Returns the object last known under `key`. A relist passes an unchanged object as this same
    /// `Arc`, so that it never holds two copies of all objects.
    fn known(&self, key: &str) -> Option<Arc<K>>;

    /// Returns the key under which `object` is known, and the known object if uid and
    /// resourceVersion are the same.
    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)>
    where
        K: Resource,
    {
        let key = ObjectKey::of(object);
        let known = Held::from(self.known(&key)?);
        let meta = object.meta();
        let unchanged = known.is_version(meta.uid.as_deref(), meta.resource_version.as_deref());
        Some((key, unchanged.then_some(known)))
    }

    /// Returns an object of a list as it will be held, so that a long list takes no more memory
    /// than the cache.
    fn hold(&self, object: Arc<K>) -> Held<K> {
        object.into()
    }

    /// Replaces all objects.
    fn replace(&self, state: Replace<K>);

    /// Applies changes after the last replace, with the version they reach (empty if unknown).
    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str);
}

impl<K: Resource + Clone + Send + Sync + 'static> Sink<K> for Store<K> {
    fn known(&self, key: &str) -> Option<Arc<K>> {
        self.get(key)
    }

    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        Store::recall(self, object)
    }

    fn hold(&self, object: Arc<K>) -> Held<K> {
        Store::hold(self, object)
    }

    fn replace(&self, state: Replace<K>) {
        let versions = state.versions();
        self.replace_all(
            state.objects,
            &state.keep,
            &state.resource_version,
            versions,
        );
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
