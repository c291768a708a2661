//! Read access: a [`Snapshot`] is the state of the store at one moment, objects and indexes
//! together.

use std::sync::Arc;

use kube::Resource;
use kube::core::Selector;

use super::contents::{Contents, Slot};
use super::held::Held;
use super::index::{Index, NAMESPACE_INDEX, UnknownIndex};
use super::key::ObjectKey;
use super::labels::Matcher;
use super::trie::Entry;

/// A snapshot of a store. Later writes do not change it, and holding it delays no writer.
///
/// It keeps its objects alive: hold it for a computation, not for the lifetime of the program.
pub struct Snapshot<K>(pub(super) Contents<K>);

impl<K> Clone for Snapshot<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> std::fmt::Debug for Snapshot<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("len", &self.0.objects.len())
            .field("resource_version", &self.0.resource_version)
            .finish()
    }
}

impl<K: Resource> Snapshot<K> {
    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.0.objects.len()
    }

    /// Whether the snapshot has no objects.
    pub fn is_empty(&self) -> bool {
        self.0.objects.is_empty()
    }

    /// Returns the resourceVersion of the contents; empty before the first list.
    pub fn resource_version(&self) -> &str {
        &self.0.resource_version
    }

    /// Returns the object of `key`.
    pub fn get(&self, key: &str) -> Option<Arc<K>> {
        self.0.objects.get(key).and_then(object)
    }

    /// Calls every indexer with an object; any of them may panic.
    pub(crate) fn try_indexers(&self, key: &str, held: &Held<K>) {
        for index in self.0.indexes.iter() {
            index.values_of(key, held);
        }
    }

    /// Iterates over all objects, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = Arc<K>> {
        self.0.objects.iter().filter_map(object)
    }

    /// Iterates over all objects as the store holds them, in the order of [`Self::keys`].
    pub(crate) fn stored(&self) -> impl ExactSizeIterator<Item = &Held<K>> {
        self.0.objects.iter().map(|entry| &entry.value.held)
    }

    /// Iterates over all keys, in no particular order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = ObjectKey> {
        self.0
            .objects
            .iter()
            .map(|entry| ObjectKey::from_shared(entry.key.clone()))
    }

    /// Returns the objects whose labels match `selector`, in no particular order.
    pub fn select(&self, selector: &Selector) -> Vec<Arc<K>> {
        let matcher = Matcher::new(self.0.objects.hasher(), selector);
        if matcher.is_impossible() {
            return Vec::new();
        }
        let hits = self
            .0
            .objects
            .iter()
            .filter(|entry| selects(&matcher, entry));
        if selector.selects_all() {
            collect_exact(hits, self.len())
        } else {
            hits.filter_map(object).collect()
        }
    }

    /// Returns the objects of `namespace` that match `selector`. An empty namespace means all.
    pub fn select_in(&self, namespace: &str, selector: &Selector) -> Vec<Arc<K>> {
        if namespace.is_empty() {
            return self.select(selector);
        }
        let matcher = Matcher::new(self.0.objects.hasher(), selector);
        if matcher.is_impossible() {
            return Vec::new();
        }
        self.entries(NAMESPACE_INDEX, namespace)
            .unwrap_or_default()
            .into_iter()
            .filter(|entry| selects(&matcher, entry))
            .filter_map(object)
            .collect()
    }

    /// Returns the objects that have `value` in the index `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownIndex`] if there is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, UnknownIndex> {
        Ok(self
            .entries(name, value)?
            .into_iter()
            .filter_map(object)
            .collect())
    }

    /// Returns the keys of the objects that have `value` in the index `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownIndex`] if there is no such index.
    pub fn index_keys(&self, name: &str, value: &str) -> Result<Vec<ObjectKey>, UnknownIndex> {
        Ok(self.index(name)?.keys(value))
    }

    /// Returns the values of the index `name` that at least one object has.
    ///
    /// # Errors
    ///
    /// [`UnknownIndex`] if there is no such index.
    pub fn index_values(&self, name: &str) -> Result<Vec<Arc<str>>, UnknownIndex> {
        Ok(self
            .index(name)?
            .values
            .iter()
            .map(|entry| entry.key.clone())
            .collect())
    }

    fn index(&self, name: &str) -> Result<&Index<K>, UnknownIndex> {
        let found = self.0.indexes.iter().find(|index| *index.name == *name);
        found.ok_or_else(|| UnknownIndex(name.to_owned()))
    }

    fn entries(&self, name: &str, value: &str) -> Result<Vec<&Entry<Slot<K>>>, UnknownIndex> {
        let Some(posting) = self.index(name)?.values.get(value) else {
            return Ok(Vec::new());
        };
        let keys = posting.value.iter();
        Ok(keys
            .filter_map(|key| self.0.objects.get_hashed(key.hash(), &key.key))
            .collect())
    }
}

fn selects<'a, K: Resource>(matcher: &Matcher<'a>, entry: &'a Entry<Slot<K>>) -> bool {
    matcher.matches(entry.value.labels, || entry.value.held.labels())
}

fn object<K>(entry: &Entry<Slot<K>>) -> Option<Arc<K>> {
    entry.value.held.object()
}

fn collect_exact<'a, K: 'a>(
    entries: impl Iterator<Item = &'a Entry<Slot<K>>>,
    len: usize,
) -> Vec<Arc<K>> {
    let mut objects = Vec::with_capacity(len);
    objects.extend(entries.filter_map(object));
    objects
}
