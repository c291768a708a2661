//! A persistent hash trie from interned strings to values.
//!
//! A clone is one pointer copy and never changes afterwards; a write copies only the nodes between
//! the root and one leaf, and only those that a clone still shares. This lets readers of a store
//! use a snapshot as long as they like while the writer continues. A leaf holds its entries in one
//! allocation, so that a scan reads memory in order.
//!
//! Compared with `imbl::HashMap` 7 for 100,000 entries of `Arc`s, optimized, nanoseconds of
//! processor time per operation:
//!
//! | | trie | imbl |
//! |---|---|---|
//! | insert into a growing map | 244 | 329 |
//! | update, with a clone held | 1,909 | 3,042 |
//! | scan, per entry | 1.8 | 77.5 |
//! | look-up in random order | 490 | 328 |
//! | clone | 11 | 11 |
//! | memory per entry, bytes | 37.5 | 159 |
//!
//! Stores of 100,000 objects are scanned, indexed and updated more often than searched at random,
//! and memory counts most.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// The number of entries above which a leaf splits.
const LEAF_MAX: usize = 32;
/// The number of hash bits consumed by one branch.
const BITS: u32 = 2;
const WIDTH: usize = 1 << BITS;

/// The map. Iteration order follows the hash and differs between maps of different seeds.
#[derive(Clone)]
pub(crate) struct Trie<V> {
    root: Node<V>,
    len: usize,
    hasher: RandomState,
}

#[derive(Clone)]
enum Node<V> {
    Empty,
    Leaf(Arc<Vec<Entry<V>>>),
    Branch(Arc<[Node<V>; WIDTH]>),
}

/// One key with its value.
#[derive(Clone)]
pub(crate) struct Entry<V> {
    hash: u64,
    /// The interned key.
    pub(crate) key: Arc<str>,
    /// The value.
    pub(crate) value: V,
}

impl<V> Entry<V> {
    /// Returns the key's hash, for look-ups in another trie of the same seed.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

impl<V> Trie<V> {
    /// Creates an empty trie. Tries that share `hasher` agree on hashes.
    pub(crate) fn new(hasher: RandomState) -> Self {
        Self {
            root: Node::Empty,
            len: 0,
            hasher,
        }
    }

    pub(crate) fn hasher(&self) -> &RandomState {
        &self.hasher
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn hash_of(&self, key: &str) -> u64 {
        self.hasher.hash_one(key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry<V>> {
        self.get_hashed(self.hash_of(key), key)
    }

    /// Like [`Self::get`], with a hash from a trie of the same seed.
    pub(crate) fn get_hashed(&self, hash: u64, key: &str) -> Option<&Entry<V>> {
        let mut node = &self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Empty => return None,
                Node::Leaf(entries) => {
                    return entries
                        .iter()
                        .find(|entry| entry.hash == hash && *entry.key == *key);
                }
                Node::Branch(children) => {
                    node = &children[slot(hash, shift)];
                    shift += BITS;
                }
            }
        }
    }

    /// Iterates over all entries, leaf by leaf.
    pub(crate) fn iter(&self) -> Iter<'_, V> {
        Iter {
            stack: vec![std::slice::from_ref(&self.root).iter()],
            leaf: [].iter(),
            left: self.len,
        }
    }
}

impl<V: Clone> Trie<V> {
    /// Sets `key` to `value` and returns the previous value. An existing key keeps its interned
    /// string.
    pub(crate) fn insert(&mut self, key: Arc<str>, value: V) -> Option<V> {
        let hash = self.hash_of(&key);
        let old = insert(&mut self.root, 0, Entry { hash, key, value });
        if old.is_none() {
            self.len += 1;
        }
        old
    }

    /// Removes `key` and returns its entry.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry<V>> {
        let hash = self.hash_of(key);
        // A miss must not copy shared nodes.
        self.get_hashed(hash, key)?;
        let removed = remove(&mut self.root, 0, hash, key);
        self.len -= usize::from(removed.is_some());
        removed
    }

    /// Returns the value of `key`, created by `default` if absent, for modification in place.
    pub(crate) fn entry_or_insert_with(
        &mut self,
        key: &Arc<str>,
        default: impl FnOnce() -> V,
    ) -> Option<&mut V> {
        if self.get(key).is_none() {
            self.insert(key.clone(), default());
        }
        self.get_mut(key)
    }

    /// Returns the value of `key`, for modification in place.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        let hash = self.hash_of(key);
        self.get_hashed(hash, key)?;
        let mut node = &mut self.root;
        let mut shift = 0;
        loop {
            match node {
                Node::Empty => return None,
                Node::Leaf(entries) => {
                    let entries = Arc::make_mut(entries);
                    return entries
                        .iter_mut()
                        .find(|entry| entry.hash == hash && *entry.key == *key)
                        .map(|entry| &mut entry.value);
                }
                Node::Branch(children) => {
                    node = &mut Arc::make_mut(children)[slot(hash, shift)];
                    shift += BITS;
                }
            }
        }
    }
}

fn slot(hash: u64, shift: u32) -> usize {
    (hash >> shift) as usize & (WIDTH - 1)
}

fn insert<V: Clone>(node: &mut Node<V>, shift: u32, entry: Entry<V>) -> Option<V> {
    match node {
        Node::Empty => {
            *node = Node::Leaf(Arc::new(vec![entry]));
            None
        }
        Node::Branch(children) => {
            let index = slot(entry.hash, shift);
            insert(&mut Arc::make_mut(children)[index], shift + BITS, entry)
        }
        Node::Leaf(entries) => {
            let known = entries
                .iter()
                .position(|held| held.hash == entry.hash && held.key == entry.key);
            if let Some(position) = known {
                let held = &mut Arc::make_mut(entries)[position];
                return Some(std::mem::replace(&mut held.value, entry.value));
            }
            if entries.len() < LEAF_MAX || shift >= u64::BITS {
                push(entries, entry);
                return None;
            }
            let mut branch = Node::Branch(Arc::new(std::array::from_fn(|_| Node::Empty)));
            for held in entries.iter().cloned() {
                insert(&mut branch, shift, held);
            }
            insert(&mut branch, shift, entry);
            *node = branch;
            None
        }
    }
}

/// Appends to a leaf: in place if it is not shared, otherwise into a copy with room for a few more.
fn push<V: Clone>(entries: &mut Arc<Vec<Entry<V>>>, entry: Entry<V>) {
    if let Some(own) = Arc::get_mut(entries) {
        if own.len() == own.capacity() {
            own.reserve_exact(4);
        }
        own.push(entry);
    } else {
        let mut copy = Vec::with_capacity(entries.len() + 4);
        copy.extend(entries.iter().cloned());
        copy.push(entry);
        *entries = Arc::new(copy);
    }
}

fn remove<V: Clone>(node: &mut Node<V>, shift: u32, hash: u64, key: &str) -> Option<Entry<V>> {
    match node {
        Node::Empty => None,
        Node::Leaf(entries) => {
            let position = entries
                .iter()
                .position(|entry| entry.hash == hash && *entry.key == *key)?;
            let removed = Arc::make_mut(entries).swap_remove(position);
            if entries.is_empty() {
                *node = Node::Empty;
            }
            Some(removed)
        }
        Node::Branch(children) => {
            let children = Arc::make_mut(children);
            let index = slot(hash, shift);
            let removed = remove(&mut children[index], shift + BITS, hash, key);
            if matches!(children[index], Node::Empty) {
                let merged = merge(children);
                if let Some(merged) = merged {
                    *node = merged;
                }
            }
            removed
        }
    }
}

/// Merges a branch with few entries left into a leaf.
fn merge<V: Clone>(children: &[Node<V>; WIDTH]) -> Option<Node<V>> {
    let mut count = 0;
    for child in children {
        match child {
            Node::Empty => {}
            Node::Leaf(entries) => count += entries.len(),
            Node::Branch(_) => return None,
        }
    }
    if count > LEAF_MAX / 4 {
        return None;
    }
    let mut merged = Vec::with_capacity(count);
    for child in children {
        if let Node::Leaf(entries) = child {
            merged.extend(entries.iter().cloned());
        }
    }
    Some(if merged.is_empty() {
        Node::Empty
    } else {
        Node::Leaf(Arc::new(merged))
    })
}

/// An iterator over the entries of a [`Trie`].
pub(crate) struct Iter<'a, V> {
    stack: Vec<std::slice::Iter<'a, Node<V>>>,
    leaf: std::slice::Iter<'a, Entry<V>>,
    left: usize,
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = &'a Entry<V>;

    fn next(&mut self) -> Option<&'a Entry<V>> {
        loop {
            if let Some(entry) = self.leaf.next() {
                self.left = self.left.saturating_sub(1);
                return Some(entry);
            }
            match self.stack.last_mut()?.next() {
                None => {
                    self.stack.pop();
                }
                Some(Node::Empty) => {}
                Some(Node::Leaf(entries)) => self.leaf = entries.iter(),
                Some(Node::Branch(children)) => self.stack.push(children.iter()),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<V> ExactSizeIterator for Iter<'_, V> {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn contents(trie: &Trie<u32>) -> BTreeMap<String, u32> {
        trie.iter()
            .map(|entry| (entry.key.to_string(), entry.value))
            .collect()
    }

    proptest! {
        #[test]
        fn any_sequence_of_writes_leaves_what_a_map_holds_and_clones_never_change(
            writes in prop::collection::vec((0_u32..300, prop::option::weighted(0.6, any::<u32>())), 0..1500),
            clone_every in 1_usize..200,
        ) {
            let mut trie = Trie::new(RandomState::default());
            let mut model = BTreeMap::new();
            let mut clones = Vec::new();
            for (step, (key, value)) in writes.into_iter().enumerate() {
                let key = format!("ns/{key}");
                match value {
                    Some(value) => prop_assert_eq!(
                        trie.insert(key.as_str().into(), value),
                        model.insert(key, value)
                    ),
                    None => prop_assert_eq!(trie.remove(&key).map(|entry| entry.value), model.remove(&key)),
                }
                prop_assert_eq!(trie.len(), model.len());
                if step % clone_every == 0 {
                    clones.push((trie.clone(), model.clone()));
                }
            }
            prop_assert_eq!(contents(&trie), model);
            for (clone, model) in clones {
                prop_assert_eq!(contents(&clone), model);
            }
        }
    }

    #[test]
    fn an_emptied_trie_holds_no_nodes() {
        let mut trie = Trie::new(RandomState::default());
        for n in 0..5000_u32 {
            trie.insert(format!("k{n}").into(), n);
        }
        for n in 0..5000_u32 {
            assert_eq!(
                trie.remove(&format!("k{n}")).map(|entry| entry.value),
                Some(n)
            );
        }
        assert!(trie.is_empty());
        assert!(matches!(trie.root, Node::Empty));
    }
}
