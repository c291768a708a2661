//! The indexed object store of listers and informers.
//!
//! Readers take a [`Snapshot`] (a pointer copy under a briefly held lock) and use it as long as
//! they like; a writer never waits for them. Objects are shared as `Arc`s and keys are interned:
//! the store, its indexes and the event queues share one string. Indexes are named functions, like
//! client-go's `Indexers`; the namespace index always exists.
//!
//! Start reading at [`Store`]. The underlying map is in `trie`, the effect of a write on objects
//! and indexes in `contents`.
//!
//! ```
//! # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, store::Store};
//! let store = Store::<ConfigMap>::new();
//! store.add_indexer("by-level", |map: &ConfigMap| {
//!     map.data.iter().flatten().filter(|(key, _)| *key == "level").map(|(_, level)| level.clone()).collect()
//! })?;
//! let mut map = ConfigMap::default();
//! map.metadata.name = Some("settings".to_owned());
//! map.data.get_or_insert_default().insert("level".to_owned(), "debug".to_owned());
//! store.insert(map);
//! assert_eq!(store.by_index("by-level", "debug")?.len(), 1);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod contents;
mod held;
mod index;
mod key;
mod labels;
#[cfg_attr(not(feature = "packed"), path = "unpacked.rs")]
mod packed;
mod snapshot;
mod trie;
mod version;

use std::sync::{Arc, OnceLock};

use kube::Resource;
use parking_lot::Mutex;
use tokio::sync::watch;

use contents::Contents;
pub(crate) use contents::{Former, Replacement, Versions};
pub use held::Held;
pub use index::{IndexFn, IndexerError, NAMESPACE_INDEX, UnknownIndex};
pub use key::{InvalidKey, ObjectKey};
use packed::Packer;
pub use snapshot::Snapshot;
pub use version::{WaitError, compare_resource_versions};

/// A store of objects by key, with indexes. Clones share the contents.
///
/// Single writes are atomic for readers: an object and its index entries change together. Writers
/// are serialised.
pub struct Store<K> {
    inner: Arc<Inner<K>>,
}

struct Inner<K> {
    /// Serialises writers; held during work that readers need not wait for.
    writer: Mutex<()>,
    contents: Mutex<Contents<K>>,
    version: watch::Sender<Arc<str>>,
    /// Packs what is written, if the store is packed.
    packer: OnceLock<Arc<Packer<K>>>,
}

impl<K> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<K> std::fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("len", &self.inner.contents.lock().objects.len())
            .finish_non_exhaustive()
    }
}

impl<K: Resource + Clone> Default for Store<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Resource + Clone> Store<K> {
    /// Creates an empty store with the namespace index.
    pub fn new() -> Self {
        let contents = Contents::new();
        let (version, _) = watch::channel(contents.resource_version.clone());
        Self {
            inner: Arc::new(Inner {
                writer: Mutex::new(()),
                contents: Mutex::new(contents),
                version,
                packer: OnceLock::new(),
            }),
        }
    }

    /// Returns the current contents.
    pub fn snapshot(&self) -> Snapshot<K> {
        Snapshot(self.inner.contents.lock().clone())
    }

    /// Returns the object of `key`.
    pub fn get(&self, key: &str) -> Option<Arc<K>> {
        self.stored(key)?.object()
    }

    /// Returns the object of `key` as the store holds it.
    pub(crate) fn stored(&self, key: &str) -> Option<Held<K>> {
        let contents = self.inner.contents.lock();
        contents
            .objects
            .get(key)
            .map(|entry| entry.value.held.clone())
    }

    /// Returns all objects, in no particular order.
    pub fn list(&self) -> Vec<Arc<K>> {
        let snapshot = self.snapshot();
        let mut objects = Vec::with_capacity(snapshot.len());
        objects.extend(snapshot.iter());
        objects
    }

    /// Returns all keys, in no particular order.
    pub fn list_keys(&self) -> Vec<ObjectKey> {
        self.snapshot().keys().collect()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.inner.contents.lock().objects.len()
    }

    /// Whether the store has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the objects that have `value` in the index `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownIndex`] if there is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, UnknownIndex> {
        self.snapshot().by_index(name, value)
    }

    /// Adds or replaces an object under its own key and returns the previous one. For tests and
    /// manually filled caches: only the informer may write to an informer's store.
    pub fn insert(&self, object: impl Into<Arc<K>>) -> Option<Arc<K>> {
        let object = object.into();
        let former = self.upsert(ObjectKey::of(&*object), object)?;
        former.held.object()
    }

    /// Removes and returns the object of `key`.
    pub fn remove(&self, key: &str) -> Option<Arc<K>> {
        self.take(key)?.1.object()
    }

    /// Replaces the contents with `objects`, atomically for readers, and sets `resource_version`.
    pub fn replace(&self, objects: impl IntoIterator<Item = Arc<K>>, resource_version: &str) {
        let objects = objects
            .into_iter()
            .map(|object| (ObjectKey::of(&*object), object.into()))
            .collect();
        self.replace_all(objects, &[], resource_version, Versions::Trusted);
    }

    /// Adds indexers and fills them from the store's objects. Adds either all or, if a name is
    /// taken, none.
    ///
    /// # Errors
    ///
    /// [`IndexerError::Duplicate`].
    pub fn add_indexers(
        &self,
        indexers: impl IntoIterator<Item = (String, IndexFn<K>)>,
    ) -> Result<(), IndexerError> {
        let indexers = indexers.into_iter().collect();
        let _writer = self.inner.writer.lock();
        let mut next = self.inner.contents.lock().clone();
        next.add_indexers(indexers)?;
        *self.inner.contents.lock() = next;
        Ok(())
    }

    /// Adds one indexer; see [`Self::add_indexers`].
    ///
    /// # Errors
    ///
    /// [`IndexerError::Duplicate`].
    pub fn add_indexer(
        &self,
        name: &str,
        function: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexerError> {
        self.add_indexers([(name.to_owned(), Arc::new(function) as IndexFn<K>)])
    }

    /// Returns the key under which `object` is known and, if it has not changed, what is stored.
    pub(crate) fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        ObjectKey::with_text_of(object, |key| self.inner.contents.lock().recall(key, object))
    }

    pub(crate) fn upsert(&self, key: ObjectKey, object: Arc<K>) -> Option<Former<K>> {
        let new = self.hold(object);
        let _writer = self.inner.writer.lock();
        self.inner.contents.lock().insert(key, new)
    }

    pub(crate) fn take(&self, key: &str) -> Option<(ObjectKey, Held<K>)> {
        let _writer = self.inner.writer.lock();
        self.inner.contents.lock().remove(key)
    }

    /// Like [`Self::replace`], but keeps the objects of `keep` and returns the changes. Readers see
    /// the previous contents until the new ones are complete.
    pub(crate) fn replace_all(
        &self,
        mut objects: Vec<(ObjectKey, Held<K>)>,
        keep: &[ObjectKey],
        resource_version: &str,
        versions: Versions,
    ) -> Replacement<K> {
        if self.inner.packer.get().is_some() {
            for (_, held) in &mut objects {
                if let Some(object) = held.whole() {
                    *held = self.hold(object.clone());
                }
            }
        }
        let _writer = self.inner.writer.lock();
        let former = self.inner.contents.lock().clone();
        let (next, replacement) = former.replace(objects, keep, resource_version, versions);
        let version = next.resource_version.clone();
        *self.inner.contents.lock() = next;
        self.inner.version.send_replace(version);
        replacement
    }

    /// Returns `object` as this store holds it.
    pub(crate) fn hold(&self, object: Arc<K>) -> Held<K> {
        let packer = self.inner.packer.get();
        let packed = packer.and_then(|packer| packer.pack(&object));
        packed.map_or_else(|| object.into(), Held::packed)
    }

    /// Whether there are indexes other than the namespace index.
    pub(crate) fn has_indexers(&self) -> bool {
        !self.inner.contents.lock().has_only_namespaces()
    }

    /// Sets the resourceVersion of the contents, and wakes those that wait for it.
    pub(crate) fn set_resource_version(&self, resource_version: &str) {
        if resource_version.is_empty() {
            return;
        }
        let version: Arc<str> = resource_version.into();
        self.inner.contents.lock().resource_version = version.clone();
        self.inner.version.send_replace(version);
    }
}

#[cfg(feature = "packed")]
impl<K> Store<K>
where
    K: Resource + Clone + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    /// Creates an empty store that keeps its objects compressed and decodes them when they are
    /// read. docs/caches.md says what it saves and costs.
    pub fn packed() -> Self {
        let store = Self::new();
        store.pack();
        store
    }

    /// Packs what is written from now on.
    pub(crate) fn pack(&self) {
        self.inner.packer.get_or_init(|| Arc::new(Packer::new()));
    }
}
