//! The store: all objects and one log of all changes, under one monotonic resourceVersion.
//!
//! Objects are kept encoded ([`stored::Stored`]). A write is a compare-and-swap on an object's
//! revision ([`Store::commit`]), so that callers validate outside of the lock. The log keeps a
//! bounded number of events. [`Store::snapshot_at`] undoes them to list past states; watches read
//! them by cursor ([`Store::events_after`]), so that no watcher needs a buffer.

mod log;
pub(crate) mod stored;
mod wakes;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::watch;

use log::Log;
pub(crate) use log::{Event, EventKind};
pub(crate) use stored::{Draft, Key, Stored};
use wakes::Wakes;

/// Identifies a group-resource in the store; all its versions share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ResourceId(pub(crate) u32);

/// The precondition of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// No object has this key.
    Absent,
    /// The object has exactly this revision.
    Revision(u64),
}

/// Why a commit was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitError {
    /// An object with this key already exists.
    Exists,
    /// The object no longer exists.
    Missing,
    /// The object has a newer revision.
    Changed,
    /// The resource itself is no longer served.
    Closed,
}

/// A requested revision is before the retained history or in the future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RevisionError {
    /// The history starts later; holds the oldest available revision.
    Compacted(u64),
    /// The requested revision is in the future; holds the current revision.
    Future(u64),
}

/// The revision of an empty store. Earlier revisions count as compacted, as on a real server, so
/// that a client that starts from a made-up resourceVersion such as "1" gets an error.
const START: u64 = 1000;

/// The maximum number of events that a watcher takes at once.
const MOST_AT_ONCE: usize = 100;

struct Bucket {
    objects: BTreeMap<Key, Arc<Stored>>,
    /// The revision of the newest event of this resource that was evicted from the log.
    dropped: u64,
    wakes: Wakes,
    open: bool,
}

struct State {
    revision: u64,
    buckets: BTreeMap<ResourceId, Bucket>,
    log: Log,
    dependents: BTreeMap<Box<str>, BTreeSet<(ResourceId, Key)>>,
}

/// All objects and the log of their changes.
pub(crate) struct Store {
    state: RwLock<State>,
}

/// A consistent list of the objects of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) objects: Vec<Arc<Stored>>,
}

/// The events of a resource after a cursor.
#[derive(Debug)]
pub(crate) enum Batch {
    /// In order; may be empty. The revision is the new cursor.
    Events(Vec<Arc<Event>>, u64),
    /// Events after the cursor were evicted from the history.
    Lost,
    /// The resource is no longer served.
    Closed,
}

impl Store {
    /// Creates an empty store whose log keeps at most `history` events and `history_bytes` bytes of
    /// encoded objects.
    pub(crate) fn new(history: usize, history_bytes: usize) -> Self {
        Self {
            state: RwLock::new(State {
                revision: START,
                buckets: BTreeMap::new(),
                log: Log::new(history, history_bytes),
                dependents: BTreeMap::new(),
            }),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write()
    }

    /// Opens a resource for writes; a closed resource may be opened again.
    pub(crate) fn open(&self, resource: ResourceId) {
        let mut state = self.write();
        let dropped = state.revision;
        let bucket = state.buckets.entry(resource).or_insert_with(|| Bucket {
            objects: BTreeMap::new(),
            dropped: 0,
            wakes: Wakes::default(),
            open: false,
        });
        if !bucket.open {
            bucket.open = true;
            bucket.dropped = dropped;
        }
    }

    /// Closes a resource: its objects are dropped without events, and its watches end after the
    /// events so far.
    pub(crate) fn close(&self, resource: ResourceId) {
        let mut state = self.write();
        if let Some(bucket) = state.buckets.get_mut(&resource) {
            bucket.open = false;
            bucket.wakes.wake_all();
            let objects = std::mem::take(&mut bucket.objects);
            for object in objects.into_values() {
                unlink(&mut state.dependents, resource, &object);
            }
        }
    }

    /// Returns the newest resourceVersion.
    pub(crate) fn revision(&self) -> u64 {
        self.read().revision
    }

    pub(crate) fn get(&self, resource: ResourceId, key: &Key) -> Option<Arc<Stored>> {
        self.read()
            .buckets
            .get(&resource)?
            .objects
            .get(key)
            .cloned()
    }

    /// Returns the current objects of a namespace (of all namespaces, if empty), sorted by key.
    pub(crate) fn snapshot(&self, resource: ResourceId, namespace: &str) -> Snapshot {
        let state = self.read();
        let objects = state
            .buckets
            .get(&resource)
            .map(|bucket| in_namespace(&bucket.objects, namespace))
            .unwrap_or_default();
        Snapshot {
            revision: state.revision,
            objects,
        }
    }

    /// Returns the number of objects of a resource in a namespace.
    pub(crate) fn count(&self, resource: ResourceId, namespace: &str) -> usize {
        if !namespace.is_empty() {
            return self.snapshot(resource, namespace).objects.len();
        }
        let state = self.read();
        let bucket = state.buckets.get(&resource);
        bucket.map_or(0, |bucket| bucket.objects.len())
    }

    /// Returns the objects as of a revision, by undoing the log.
    pub(crate) fn snapshot_at(
        &self,
        resource: ResourceId,
        namespace: &str,
        revision: u64,
    ) -> Result<Snapshot, RevisionError> {
        let state = self.read();
        if revision > state.revision {
            return Err(RevisionError::Future(state.revision));
        }
        let Some(bucket) = state.buckets.get(&resource) else {
            return Ok(Snapshot {
                revision,
                objects: Vec::new(),
            });
        };
        if revision < bucket.dropped {
            return Err(RevisionError::Compacted(bucket.dropped));
        }
        let mut past: BTreeMap<&Key, Arc<Stored>> = bucket
            .objects
            .iter()
            .filter(|(key, _)| namespace.is_empty() || &*key.namespace == namespace)
            .map(|(key, object)| (key, object.clone()))
            .collect();
        for event in state.log.after(revision).rev() {
            let key = &event.object.key;
            if event.resource != resource || !(namespace.is_empty() || &*key.namespace == namespace)
            {
                continue;
            }
            match &event.previous {
                Some(previous) => past.insert(key, previous.clone()),
                None => past.remove(key),
            };
        }
        Ok(Snapshot {
            revision,
            objects: past.into_values().collect(),
        })
    }

    /// Writes (`Some`) or removes (`None`) an object if the key is in the expected state.
    ///
    /// `make` encodes the object with the revision of the write.
    pub(crate) fn commit(
        &self,
        resource: ResourceId,
        key: &Key,
        expect: Expect,
        make: impl FnOnce(u64) -> Option<Stored>,
    ) -> Result<Arc<Stored>, CommitError> {
        let mut guard = self.write();
        let state = &mut *guard;
        let revision = state.revision + 1;
        let bucket = state
            .buckets
            .get_mut(&resource)
            .filter(|bucket| bucket.open)
            .ok_or(CommitError::Closed)?;
        let current = bucket.objects.get(key).cloned();
        match (expect, &current) {
            (Expect::Absent, None) => {}
            (Expect::Absent, Some(_)) => return Err(CommitError::Exists),
            (Expect::Revision(_), None) => return Err(CommitError::Missing),
            (Expect::Revision(r), Some(now)) if now.revision == r => {}
            (Expect::Revision(_), Some(_)) => return Err(CommitError::Changed),
        }
        let (kind, object) = match (make(revision), &current) {
            (Some(new), None) => (EventKind::Added, new),
            (Some(new), Some(_)) => (EventKind::Modified, new),
            (None, Some(old)) => (EventKind::Deleted, old.at_revision(revision)),
            (None, None) => return Err(CommitError::Missing),
        };
        let object = Arc::new(object);
        if let Some(old) = &current {
            unlink(&mut state.dependents, resource, old);
        }
        if kind == EventKind::Deleted {
            bucket.objects.remove(key);
        } else {
            bucket.objects.insert(key.clone(), object.clone());
            link(&mut state.dependents, resource, &object);
        }
        state.revision = revision;
        let event = Event::new(resource, kind, object.clone(), current);
        for dropped in state.log.push(Arc::new(event)) {
            if let Some(bucket) = state.buckets.get_mut(&dropped.resource) {
                bucket.dropped = dropped.object.revision;
            }
        }
        if let Some(bucket) = state.buckets.get(&resource) {
            bucket.wakes.wake(revision);
        }
        Ok(object)
    }

    /// Returns the objects with an owner reference to a uid.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<(ResourceId, Key)> {
        self.read()
            .dependents
            .get(uid)
            .map(|set| set.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Returns the objects with an owner that a predicate picks.
    pub(crate) fn owned_by(
        &self,
        picks: impl Fn(&stored::Owner) -> bool,
    ) -> Vec<(ResourceId, Key)> {
        let state = self.read();
        let all: BTreeSet<&(ResourceId, Key)> = state.dependents.values().flatten().collect();
        let is_picked = |(resource, key): &(ResourceId, Key)| {
            let bucket = state.buckets.get(resource);
            let object = bucket.and_then(|bucket| bucket.objects.get(key));
            object.is_some_and(|object| object.owners.iter().any(&picks))
        };
        let picked = all.into_iter().filter(|at| is_picked(at));
        picked.cloned().collect()
    }

    /// Returns the next events of a resource after a cursor, at most [`MOST_AT_ONCE`]: whoever
    /// holds them keeps them in memory.
    pub(crate) fn events_after(&self, resource: ResourceId, cursor: u64) -> Batch {
        let state = self.read();
        let Some(bucket) = state.buckets.get(&resource) else {
            return Batch::Closed;
        };
        if cursor < bucket.dropped {
            return Batch::Lost;
        }
        let events: Vec<_> = state
            .log
            .after(cursor)
            .filter(|event| event.resource == resource)
            .take(MOST_AT_ONCE)
            .cloned()
            .collect();
        if events.is_empty() && !bucket.open {
            return Batch::Closed;
        }
        let revision = match events.last() {
            Some(last) if events.len() == MOST_AT_ONCE => last.object.revision,
            _ => state.revision,
        };
        Batch::Events(events, revision)
    }

    /// Returns a receiver that wakes at every change of a resource; `None` when the resource is not
    /// served.
    pub(crate) fn subscribe(&self, resource: ResourceId) -> Option<watch::Receiver<u64>> {
        let state = self.read();
        let bucket = state.buckets.get(&resource)?;
        Some(bucket.wakes.subscribe())
    }

    /// Returns the oldest revision at which a watch of the resource can start.
    pub(crate) fn oldest(&self, resource: ResourceId) -> u64 {
        self.read()
            .buckets
            .get(&resource)
            .map_or(0, |bucket| bucket.dropped)
    }
}

fn in_namespace(objects: &BTreeMap<Key, Arc<Stored>>, namespace: &str) -> Vec<Arc<Stored>> {
    if namespace.is_empty() {
        return objects.values().cloned().collect();
    }
    let from = Key::new(namespace, "");
    objects
        .range((Bound::Included(from), Bound::Unbounded))
        .take_while(|(key, _)| &*key.namespace == namespace)
        .map(|(_, object)| object.clone())
        .collect()
}

type Dependents = BTreeMap<Box<str>, BTreeSet<(ResourceId, Key)>>;

fn link(dependents: &mut Dependents, resource: ResourceId, object: &Stored) {
    for owner in &object.owners {
        dependents
            .entry(owner.uid.clone())
            .or_default()
            .insert((resource, object.key.clone()));
    }
}

fn unlink(dependents: &mut Dependents, resource: ResourceId, object: &Stored) {
    for owner in &object.owners {
        if let Some(set) = dependents.get_mut(&owner.uid) {
            set.remove(&(resource, object.key.clone()));
            if set.is_empty() {
                dependents.remove(&owner.uid);
            }
        }
    }
}

#[cfg(test)]
mod tests;
