//! The event queue between a reflector and its consumer: client-go's `RealFIFO`.
//!
//! Every event is handed out once, in the server's order, and none are coalesced. A whole list is
//! one entry, and so is a resync: their effect is computed when they are handed out, against the
//! state processed by then, so that neither can overtake an event. The queue grows with the events
//! received and not yet processed; that is few, since processing never waits for handlers.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;
use kube::Resource;
use std::hash::BuildHasher;
use tokio::sync::Notify;

use super::sync::{self, Mutex, MutexGuard};
use crate::reflector::{Change, Replace, Sink};
use crate::store::{Held, ObjectKey, Store, compare_resource_versions};

/// The maximum number of changes that are handed out together.
pub const MAX_BATCH: usize = 1000;

/// The entries handed out by one call.
#[derive(Debug)]
pub enum Batch<K> {
    /// Changes of different objects, at most [`MAX_BATCH`], with the version that the last of them
    /// reaches, if known.
    Changes {
        /// The changes, in order; no key appears twice.
        changes: Vec<Change<K>>,
        /// The version reached, empty if unknown.
        resource_version: String,
    },
    /// A whole list.
    Replace(Replace<K>),
    /// A resync: every object goes to the handlers that requested resyncs.
    Resync,
    /// Objects that exist, but do not belong to this cache any more.
    Leave(Vec<ObjectKey>),
    /// Everything before it has been handed out and processed.
    Mark(Mark),
}

/// Called once everything before it has been processed.
pub struct Mark(Box<dyn FnOnce() + Send>);

impl Mark {
    /// Creates a mark that calls `reached`.
    pub fn new(reached: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(reached))
    }

    /// Calls the function.
    pub fn reach(self) {
        (self.0)();
    }
}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mark")
    }
}

/// Whether an object of the cache is of the part that an entry is about.
pub type Part<K> = Arc<dyn Fn(&ObjectKey, &Held<K>) -> bool + Send + Sync>;

enum Entry<K> {
    Change(Change<K>),
    /// All changes up to this version have been sent.
    Version(String),
    Replace(Replace<K>),
    /// A change that counts only if no other source has reported a later object of the same name.
    Checked(Change<K>),
    /// The list of a part.
    ReplaceIn(Part<K>, Replace<K>),
    /// The objects of a part do not belong here any more.
    Leave(Part<K>),
    Mark(Mark),
    Resync,
}

/// The queue. One reflector fills it and one consumer empties it.
pub struct EventQueue<K> {
    state: Mutex<State<K>>,
    filled: Notify,
    hasher: RandomState,
    /// The state after the batches that the consumer has processed.
    processed: Store<K>,
}

struct State<K> {
    entries: VecDeque<Entry<K>>,
    closed: bool,
    /// Whether any entry was ever added.
    populated: bool,
    /// Whether the first list, or the first change if there was no list, has been processed.
    synced: bool,
}

impl<K> std::fmt::Debug for EventQueue<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventQueue")
            .field("len", &self.lock().entries.len())
            .finish_non_exhaustive()
    }
}

impl<K> EventQueue<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        sync::lock(&self.state)
    }

    /// Returns the number of entries to be processed. A list counts as one.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether no entry remains to be processed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the first list has been processed completely.
    pub fn has_synced(&self) -> bool {
        self.lock().synced
    }

    /// Closes the queue: entries are no longer accepted or handed out, and a waiting [`Self::pop`]
    /// returns.
    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_waiters();
        self.filled.notify_one();
    }

    /// Adds a resync after everything that is queued now.
    pub fn resync(&self) {
        self.push([Entry::Resync]);
    }

    fn push(&self, entries: impl IntoIterator<Item = Entry<K>>) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.populated = true;
        state.entries.extend(entries);
        drop(state);
        self.filled.notify_one();
    }
}

impl<K: Resource + Clone> EventQueue<K> {
    /// Creates a queue whose consumer writes to `processed`.
    pub fn new(processed: Store<K>) -> Self {
        let state = State {
            entries: VecDeque::new(),
            closed: false,
            populated: false,
            synced: false,
        };
        Self {
            state: Mutex::new(state),
            filled: Notify::new(),
            hasher: RandomState::default(),
            processed,
        }
    }

    /// Waits for events, passes them to `process`, and only then counts them as processed. Returns
    /// `false` once the queue is closed.
    pub async fn pop(&self, process: impl FnOnce(Batch<K>)) -> bool {
        loop {
            let filled = self.filled.notified();
            {
                let mut state = self.lock();
                if state.closed {
                    return false;
                }
                if let Some(batch) = self.next_batch(&mut state.entries) {
                    drop(state);
                    let syncs = matches!(batch, Batch::Changes { .. } | Batch::Replace(_));
                    process(batch);
                    self.lock().synced |= syncs;
                    return true;
                }
            }
            filled.await;
        }
    }

    fn next_batch(&self, entries: &mut VecDeque<Entry<K>>) -> Option<Batch<K>> {
        if let Entry::Change(_) | Entry::Checked(_) | Entry::Version(_) = entries.front()? {
            return Some(self.next_changes(entries));
        }
        Some(match entries.pop_front()? {
            Entry::Replace(replace) => Batch::Replace(replace),
            Entry::ReplaceIn(part, replace) => Batch::Replace(self.within(&part, replace)),
            Entry::Leave(part) => {
                let (own, _) = self.divide(&part);
                Batch::Leave(own)
            }
            Entry::Mark(mark) => Batch::Mark(mark),
            _ => Batch::Resync,
        })
    }

    /// Lets a list of one part keep the objects of the others.
    fn within(&self, part: &Part<K>, mut replace: Replace<K>) -> Replace<K> {
        let (_, others) = self.divide(part);
        // An object of another part under the same name came later, or is about to be deleted.
        replace.objects.retain(|(key, object)| {
            let known = self.processed.stored(key);
            known.is_none_or(|known| part(key, &known) || !is_older(object, &known))
        });
        replace.keep.extend(others);
        replace
    }

    /// Returns the known keys of a part, and the others.
    fn divide(&self, part: &Part<K>) -> (Vec<ObjectKey>, Vec<ObjectKey>) {
        let known = self.processed.snapshot();
        let pairs = known.keys().zip(known.stored());
        let (own, others): (Vec<_>, Vec<_>) = pairs.partition(|(key, object)| part(key, object));
        let keys = |pairs: Vec<(ObjectKey, _)>| pairs.into_iter().map(|(key, _)| key).collect();
        (keys(own), keys(others))
    }

    /// Replaces all objects of a part.
    pub fn replace_in(&self, part: Part<K>, state: Replace<K>) {
        self.push([Entry::ReplaceIn(part, state)]);
    }

    /// Removes the objects of a part without deletions.
    pub fn leave(&self, part: Part<K>) {
        self.push([Entry::Leave(part)]);
    }

    /// Calls `mark` once everything that is queued now has been processed.
    pub fn mark(&self, mark: Mark) {
        self.push([Entry::Mark(mark)]);
    }

    /// Adds changes of one of several sources. Of two objects of one name, which may come from
    /// different sources, the later one counts.
    pub fn apply_checked(&self, changes: Vec<Change<K>>) {
        self.push(changes.into_iter().map(Entry::Checked));
    }

    fn is_overtaken(&self, change: &Change<K>) -> bool {
        let known = self.processed.stored(key_of(change));
        let object = match change {
            Change::Upsert { object, .. } => Some(object),
            Change::Delete { object, .. } => object.as_ref(),
        };
        object
            .zip(known)
            .is_some_and(|(object, known)| is_older(&object.clone().into(), &known))
    }

    fn next_changes(&self, entries: &mut VecDeque<Entry<K>>) -> Batch<K> {
        let mut keys: HashSet<u64, BuildHasherDefault<Hashed>> = HashSet::default();
        let mut changes = Vec::with_capacity(entries.len().min(MAX_BATCH));
        let mut resource_version = String::new();
        while changes.len() < MAX_BATCH {
            // Equal hashes of different keys merely end a batch early.
            let fits = match entries.front() {
                Some(Entry::Change(change) | Entry::Checked(change)) => {
                    keys.insert(self.hasher.hash_one(key_of(change).as_str()))
                }
                Some(Entry::Version(_)) => true,
                _ => false,
            };
            if !fits {
                break;
            }
            match entries.pop_front() {
                Some(Entry::Change(change)) => changes.push(change),
                Some(Entry::Checked(change)) if self.is_overtaken(&change) => {}
                Some(Entry::Checked(change)) => changes.push(change),
                Some(Entry::Version(version)) => resource_version = version,
                _ => break,
            }
        }
        if let (Some(Entry::Version(_)), MAX_BATCH) = (entries.front(), changes.len())
            && let Some(Entry::Version(version)) = entries.pop_front()
        {
            resource_version = version;
        }
        Batch::Changes {
            changes,
            resource_version,
        }
    }
}

impl<K: Resource + Clone + Send + Sync + 'static> Sink<K> for EventQueue<K> {
    fn known(&self, key: &str) -> Option<Arc<K>> {
        self.processed.get(key)
    }

    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        self.processed.recall(object)
    }

    fn hold(&self, object: Arc<K>) -> Held<K> {
        self.processed.hold(object)
    }

    fn replace(&self, state: Replace<K>) {
        self.push([Entry::Replace(state)]);
    }

    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str) {
        let version =
            (!resource_version.is_empty()).then(|| Entry::Version(resource_version.to_owned()));
        self.push(changes.into_iter().map(Entry::Change).chain(version));
    }
}

/// Passes a hash through unchanged.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Whether `object` is another one of the same name than `known`, and was written before it.
fn is_older<K: Resource>(object: &Held<K>, known: &Held<K>) -> bool {
    let version = |held: &Held<K>| held.resource_version().unwrap_or_default().to_owned();
    object.uid() != known.uid()
        && compare_resource_versions(&version(object), &version(known)) == Some(Ordering::Less)
}

/// Returns the key of a change.
pub(crate) fn key_of<K>(change: &Change<K>) -> &ObjectKey {
    match change {
        Change::Upsert { key, .. } | Change::Delete { key, .. } => key,
    }
}
