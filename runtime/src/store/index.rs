//! Named indexes: they map a value, computed from an object by a function, to the keys of the
//! objects that have it.

use std::sync::Arc;

use foldhash::fast::RandomState;

use super::held::Held;
use super::key::ObjectKey;
use super::trie::Trie;

/// The index that every store has: objects by namespace.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Returns the values under which an index lists an object; an object without values is not listed.
///
/// Called with the store locked for writing: it must be fast and must not use the store.
pub type IndexFn<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// Why indexers could not be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexerError {
    /// The name is used by another indexer or is [`NAMESPACE_INDEX`]. None of the indexers was
    /// added.
    #[error("indexer conflict: an indexer named {0:?} exists")]
    Duplicate(String),
    /// The informer has stopped.
    #[error("indexers cannot be added: the informer has stopped")]
    Stopped,
}

/// The index of a look-up does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("index with name {0} does not exist")]
pub struct UnknownIndex(pub String);

/// The keys listed under one value.
pub(super) type Posting = Trie<()>;

/// One index with its contents. Values without objects are removed.
#[derive(Clone)]
pub(super) struct Index<K> {
    pub(super) name: Arc<str>,
    pub(super) function: Option<IndexFn<K>>,
    pub(super) values: Trie<Posting>,
}

impl<K> Index<K> {
    pub(super) fn new(name: &str, function: Option<IndexFn<K>>, hasher: &RandomState) -> Self {
        Self {
            name: name.into(),
            function,
            values: Trie::new(hasher.clone()),
        }
    }

    /// Returns the values of an object, sorted and without duplicates.
    pub(super) fn values_of(&self, key: &str, held: &Held<K>) -> Vec<String> {
        match &self.function {
            None => key
                .split_once('/')
                .map(|(namespace, _)| namespace.to_owned())
                .into_iter()
                .collect(),
            Some(function) => {
                let mut values = held
                    .object()
                    .map(|object| function(&object))
                    .unwrap_or_default();
                values.sort_unstable();
                values.dedup();
                values
            }
        }
    }

    pub(super) fn insert(&mut self, value: &str, key: &Arc<str>) {
        let hasher = self.values.hasher().clone();
        let value: Arc<str> = self
            .values
            .get(value)
            .map_or_else(|| value.into(), |entry| entry.key.clone());
        if let Some(posting) = self
            .values
            .entry_or_insert_with(&value, || Trie::new(hasher))
        {
            posting.insert(key.clone(), ());
        }
    }

    pub(super) fn remove(&mut self, value: &str, key: &str) {
        let emptied = self.values.get_mut(value).is_some_and(|posting| {
            posting.remove(key);
            posting.is_empty()
        });
        if emptied {
            self.values.remove(value);
        }
    }

    /// Returns the keys listed under `value`.
    pub(super) fn keys(&self, value: &str) -> Vec<ObjectKey> {
        let Some(entry) = self.values.get(value) else {
            return Vec::new();
        };
        entry
            .value
            .iter()
            .map(|entry| ObjectKey::from_shared(entry.key.clone()))
            .collect()
    }
}
