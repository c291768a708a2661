//! The contents of a store: objects, indexes and resourceVersion, and the effect of one write.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use kube::Resource;

use super::held::Held;
use super::index::{Index, IndexFn, IndexerError, NAMESPACE_INDEX};
use super::key::ObjectKey;
use super::labels::fingerprint;
use super::trie::Trie;

/// An object with hashes of its most read fields: the object's own memory is accessed only if the
/// hashes do not decide.
#[derive(Debug)]
pub(super) struct Slot<K> {
    pub(super) held: Held<K>,
    /// The fingerprint of the object's labels.
    pub(super) labels: u64,
    /// A hash of the object's uid and resourceVersion.
    pub(super) version: u64,
}

impl<K> Clone for Slot<K> {
    fn clone(&self) -> Self {
        Self {
            held: self.held.clone(),
            labels: self.labels,
            version: self.version,
        }
    }
}

/// The object under a key before a write.
pub(crate) struct Former<K> {
    pub(crate) held: Held<K>,
    /// Whether the written object has the same uid and resourceVersion.
    pub(crate) unchanged: bool,
}

/// The contents; a clone is a snapshot that later writes do not change.
pub(super) struct Contents<K> {
    pub(super) objects: Trie<Slot<K>>,
    pub(super) indexes: Arc<Vec<Index<K>>>,
    pub(super) resource_version: Arc<str>,
}

impl<K> Clone for Contents<K> {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            indexes: self.indexes.clone(),
            resource_version: self.resource_version.clone(),
        }
    }
}

/// What equal versions mean in a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Versions {
    /// Objects with equal uid and resourceVersion are the same.
    Trusted,
    /// The server's versions went back: such objects may differ.
    WentBack,
}

/// One object of a replacement, before and after.
pub(crate) struct Replaced<K> {
    /// The previous object, if the key was known.
    pub(crate) old: Option<Held<K>>,
    /// The new object; the same as `old` if uid and resourceVersion are unchanged, and
    /// trusted.
    pub(crate) new: Held<K>,
}

/// The changes made by a replacement.
pub(crate) struct Replacement<K> {
    /// The removed objects, with their keys.
    pub(crate) removed: Vec<(ObjectKey, Held<K>)>,
    /// All present objects, in the specified order; a duplicate key counts once, with its last
    /// object.
    pub(crate) present: Vec<Replaced<K>>,
}

impl<K: Resource + Clone> Contents<K> {
    pub(super) fn new() -> Self {
        let hasher = RandomState::default();
        let namespaces = Index::new(NAMESPACE_INDEX, None, &hasher);
        Self {
            objects: Trie::new(hasher),
            indexes: Arc::new(vec![namespaces]),
            resource_version: Arc::from(""),
        }
    }

    pub(super) fn insert(&mut self, key: ObjectKey, new: Held<K>) -> Option<Former<K>> {
        let hasher = self.objects.hasher();
        let slot = Slot {
            labels: fingerprint(hasher, new.labels().as_deref()),
            version: version_hash(hasher, new.uid(), new.resource_version()),
            held: new.clone(),
        };
        let version = slot.version;
        let old = if self.has_only_namespaces() && self.objects.get(&key).is_some() {
            self.objects.insert(key.into_shared(), slot)
        } else {
            let held = self.objects.get(&key);
            let text = held.map_or_else(|| key.into_shared(), |entry| entry.key.clone());
            let old = held.map(|entry| entry.value.held.clone());
            self.reindex(&text, old.as_ref(), Some(&new));
            self.objects.insert(text, slot)
        };
        old.map(|old| Former {
            unchanged: old.version == version && old.held.is_unchanged(&new),
            held: old.held,
        })
    }

    /// Returns the key under which `object` is known and, if uid and resourceVersion are the same,
    /// the known object.
    pub(super) fn recall(&self, key: &str, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        let entry = self.objects.get(key)?;
        let slot = &entry.value;
        let meta = object.meta();
        let (uid, version) = (meta.uid.as_deref(), meta.resource_version.as_deref());
        let unchanged = slot.version == version_hash(self.objects.hasher(), uid, version)
            && slot.held.is_version(uid, version);
        Some((
            ObjectKey::from_shared(entry.key.clone()),
            unchanged.then(|| slot.held.clone()),
        ))
    }

    /// Whether the update of a known key cannot change any index.
    pub(super) fn has_only_namespaces(&self) -> bool {
        self.indexes.iter().all(|index| index.function.is_none())
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<(ObjectKey, Held<K>)> {
        let entry = self.objects.get(key)?;
        let (text, held) = (entry.key.clone(), entry.value.held.clone());
        self.reindex(&text, Some(&held), None);
        self.objects.remove(key);
        Some((ObjectKey::from_shared(text), held))
    }

    /// Calls every index function before any change, so that a panic leaves the contents intact.
    fn reindex(&mut self, key: &Arc<str>, old: Option<&Held<K>>, new: Option<&Held<K>>) {
        let same_namespace = old.is_some() && new.is_some();
        let mut changes = Vec::with_capacity(self.indexes.len());
        for (position, index) in self.indexes.iter().enumerate() {
            if index.function.is_none() && same_namespace {
                continue;
            }
            let before = old.map(|old| index.values_of(key, old)).unwrap_or_default();
            let after = new.map(|new| index.values_of(key, new)).unwrap_or_default();
            if before != after {
                changes.push((position, before, after));
            }
        }
        if changes.is_empty() {
            return;
        }
        let indexes = Arc::make_mut(&mut self.indexes);
        for (position, before, after) in changes {
            let Some(index) = indexes.get_mut(position) else {
                continue;
            };
            for value in before
                .iter()
                .filter(|value| after.binary_search(value).is_err())
            {
                index.remove(value, key);
            }
            for value in after
                .iter()
                .filter(|value| before.binary_search(value).is_err())
            {
                index.insert(value, key);
            }
        }
    }

    pub(super) fn add_indexers(
        &mut self,
        indexers: Vec<(String, IndexFn<K>)>,
    ) -> Result<(), IndexerError> {
        let mut indexes = self.indexes.to_vec();
        for (name, function) in indexers {
            if indexes.iter().any(|index| *index.name == *name) {
                return Err(IndexerError::Duplicate(name));
            }
            let mut index = Index::new(&name, Some(function), self.objects.hasher());
            for entry in self.objects.iter() {
                for value in index.values_of(&entry.key, &entry.value.held) {
                    index.insert(&value, &entry.key);
                }
            }
            indexes.push(index);
        }
        self.indexes = Arc::new(indexes);
        Ok(())
    }

    /// Creates contents with exactly `objects` and the existing ones of `keep`. Unchanged objects
    /// stay as they are, known keys their string.
    pub(super) fn replace(
        &self,
        objects: Vec<(ObjectKey, Held<K>)>,
        keep: &[ObjectKey],
        resource_version: &str,
        versions: Versions,
    ) -> (Self, Replacement<K>) {
        let hasher = self.objects.hasher().clone();
        let mut next = Self {
            objects: Trie::new(hasher.clone()),
            indexes: Arc::new(
                self.indexes
                    .iter()
                    .map(|index| Index::new(&index.name, index.function.clone(), &hasher))
                    .collect(),
            ),
            resource_version: resource_version.into(),
        };
        let mut order = Vec::with_capacity(objects.len());
        for (key, new) in objects {
            let held = self.objects.get(&key);
            let key = held.map_or(key, |entry| ObjectKey::from_shared(entry.key.clone()));
            let new = match held {
                Some(entry)
                    if versions == Versions::Trusted && entry.value.held.is_unchanged(&new) =>
                {
                    entry.value.held.clone()
                }
                _ => new,
            };
            if next.insert(key.clone(), new).is_none() {
                order.push(key);
            }
        }
        for key in keep {
            if let (Some(held), None) = (self.objects.get(key), next.objects.get(key)) {
                next.insert(
                    ObjectKey::from_shared(held.key.clone()),
                    held.value.held.clone(),
                );
            }
        }
        let replacement = Replacement {
            removed: self.missing_from(&next),
            present: self.compare(&next, order),
        };
        (next, replacement)
    }

    fn missing_from(&self, next: &Self) -> Vec<(ObjectKey, Held<K>)> {
        let gone = self
            .objects
            .iter()
            .filter(|entry| next.objects.get_hashed(entry.hash(), &entry.key).is_none());
        gone.map(|entry| {
            (
                ObjectKey::from_shared(entry.key.clone()),
                entry.value.held.clone(),
            )
        })
        .collect()
    }

    fn compare(&self, next: &Self, order: Vec<ObjectKey>) -> Vec<Replaced<K>> {
        let pairs = order.into_iter().filter_map(|key| {
            let new = next.objects.get(&key)?.value.held.clone();
            let old = self.objects.get(&key).map(|entry| entry.value.held.clone());
            Some(Replaced { old, new })
        });
        pairs.collect()
    }
}

/// Returns a hash that differs between versions of an object, except for collisions.
fn version_hash(hasher: &RandomState, uid: Option<&str>, resource_version: Option<&str>) -> u64 {
    hasher.hash_one((resource_version, uid))
}
