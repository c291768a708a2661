//! Applies batches of the event queue to the store and to every handler, atomically with respect to
//! added handlers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::InformerError;
use super::handler::{Deleted, EventHandler};
use super::listener::{Listener, Note};
use super::queue::{Batch, key_of};
use crate::clock::FOREVER;
use crate::object::Cacheable;
use crate::reflector::{Change, Replace};
use crate::store::{Former, Held, ObjectKey, Store, Versions};

/// The objects of a list, with their keys.
type Listed<K> = Vec<(ObjectKey, Held<K>)>;

/// The minimum time between two resyncs of one handler.
const MIN_RESYNC: Duration = Duration::from_secs(1);

/// Returns the effective period of `resync`; zero means none.
pub(crate) fn resync_period(resync: Duration) -> Duration {
    if resync.is_zero() {
        resync
    } else {
        resync.clamp(MIN_RESYNC, FOREVER)
    }
}

/// Whether the informer has started, and the means to start and stop its tasks.
pub(crate) enum Phase {
    New,
    Running {
        runtime: Handle,
        stop: CancellationToken,
    },
    Stopped,
}

/// The handlers of an informer, and all state that must not change while a batch is processed.
pub(crate) struct Processor<K> {
    store: Store<K>,
    listeners: Vec<Arc<Listener<K>>>,
    tasks: JoinSet<()>,
    pub(crate) phase: Phase,
    /// The resync period of handlers that specify none.
    default_resync: Duration,
    /// The interval at which due resyncs are checked; zero for none.
    resync_check: Duration,
    synced: bool,
    next_id: u64,
    /// The number of batch parts that failed because an indexer panicked.
    pub(crate) panics: u64,
    /// The number of panics of handlers that were removed.
    removed_panics: u64,
}

impl<K: Cacheable> Processor<K> {
    pub(crate) fn new(store: Store<K>, default_resync: Duration) -> Self {
        Self {
            store,
            listeners: Vec::new(),
            tasks: JoinSet::new(),
            phase: Phase::New,
            default_resync,
            resync_check: default_resync,
            synced: false,
            next_id: 0,
            panics: 0,
            removed_panics: 0,
        }
    }

    pub(crate) fn listeners(&self) -> &[Arc<Listener<K>>] {
        &self.listeners
    }

    pub(crate) fn handler_panics(&self) -> u64 {
        let current = self
            .listeners
            .iter()
            .map(|listener| listener.shared.panics.load(Ordering::Relaxed));
        self.removed_panics + current.sum::<u64>()
    }

    pub(crate) fn default_resync(&self) -> Duration {
        self.default_resync
    }

    pub(crate) fn resync_check(&self) -> Duration {
        self.resync_check
    }

    /// Adds a handler. It first receives an add for everything in the store, then all later
    /// changes, without gap or duplicate: batches are processed under the same lock.
    pub(crate) fn add(
        &mut self,
        handler: Arc<dyn EventHandler<K>>,
        resync: Duration,
    ) -> Result<Arc<Listener<K>>, InformerError> {
        if matches!(self.phase, Phase::Stopped) {
            return Err(InformerError::Stopped);
        }
        let requested = resync_period(resync);
        if matches!(self.phase, Phase::New)
            && !requested.is_zero()
            && is_shorter(requested, self.resync_check)
        {
            self.resync_check = requested;
            for listener in &self.listeners {
                listener.set_resync(granted(listener.requested_resync, requested));
            }
        }
        let listener = Arc::new(Listener::new(
            self.next_id,
            handler,
            requested,
            granted(requested, self.resync_check),
        ));
        self.next_id += 1;
        listener.begin(self.store.snapshot());
        if self.synced {
            listener.end_initial();
        }
        if let Phase::Running { runtime, stop } = &self.phase {
            self.tasks
                .spawn_on(listener.clone().run(stop.clone()), runtime);
        }
        self.listeners.push(listener.clone());
        Ok(listener)
    }

    /// Removes a handler; returns false if it is not, or no longer, registered with this informer.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let Some(position) = self
            .listeners
            .iter()
            .position(|listener| listener.shared.id == id)
        else {
            return false;
        };
        let listener = self.listeners.remove(position);
        listener.shared.remove();
        self.removed_panics += listener.shared.panics.load(Ordering::Relaxed);
        true
    }

    pub(crate) fn start(&mut self, runtime: Handle, stop: CancellationToken) {
        for listener in &self.listeners {
            // The resync clock starts with the informer.
            listener.set_resync(granted(listener.requested_resync, self.resync_check));
            self.tasks
                .spawn_on(listener.clone().run(stop.clone()), &runtime);
        }
        self.phase = Phase::Running { runtime, stop };
    }

    /// Ends the phase; returns the handlers' tasks, to wait for.
    pub(crate) fn stop(&mut self) -> JoinSet<()> {
        self.phase = Phase::Stopped;
        std::mem::take(&mut self.tasks)
    }

    /// Marks the handlers whose resync is due; returns whether there are any.
    pub(crate) fn begin_resync(&self, now: Instant) -> bool {
        let mut any = false;
        for listener in &self.listeners {
            let due = listener.is_resync_due(now);
            listener.syncing.store(due, Ordering::Relaxed);
            any |= due;
        }
        any
    }

    /// Applies a batch to the store and notifies the handlers.
    pub(crate) fn process(&mut self, batch: Batch<K>) {
        // Discards the finished tasks of removed handlers.
        while self.tasks.try_join_next().is_some() {}
        match batch {
            Batch::Changes {
                changes,
                resource_version,
            } => self.process_changes(changes, &resource_version),
            Batch::Replace(replace) => self.process_replace(replace),
            Batch::Resync => self.process_resync(),
            Batch::Leave(keys) => self.process_leave(keys),
            Batch::Mark(mark) => mark.reach(),
        }
        if !self.synced {
            self.synced = true;
            for listener in &self.listeners {
                listener.end_initial();
            }
        }
    }

    fn process_changes(&mut self, changes: Vec<Change<K>>, resource_version: &str) {
        let mut notes = Vec::with_capacity(changes.len());
        let mut unchanged = Vec::new();
        for change in changes {
            let key = key_of(&change).clone();
            match catch_unwind(AssertUnwindSafe(|| {
                apply(&self.store, change, !self.synced)
            })) {
                Ok(Some((note, true))) => unchanged.push(note),
                Ok(Some((note, false))) => notes.push(note),
                Ok(None) => {}
                Err(_) => {
                    self.panics += 1;
                    tracing::error!(%key, "an indexer panicked; the object was skipped");
                }
            }
        }
        self.store.set_resource_version(resource_version);
        self.distribute(notes, unchanged);
    }

    fn process_replace(&mut self, replace: Replace<K>) {
        let versions = replace.versions();
        let Replace {
            objects,
            keep,
            resource_version,
            ..
        } = replace;
        let initial = !self.synced;
        let mut skipped = 0;
        // Kept for a second try, in case an indexer panics on one of them.
        let spare = self.store.has_indexers().then(|| objects.clone());
        let replace = |objects: Listed<K>, keep: &[ObjectKey]| {
            let replace = || {
                self.store
                    .replace_all(objects, keep, &resource_version, versions)
            };
            catch_unwind(AssertUnwindSafe(replace))
        };
        let replaced = match (replace(objects, &keep), spare) {
            (Err(_), Some(objects)) => {
                let given = objects.len();
                let (objects, keep) = self.indexable(objects, keep);
                skipped = given - objects.len();
                replace(objects, &keep)
            }
            (replaced, _) => replaced,
        };
        let Ok(replacement) = replaced else {
            self.panics += 1;
            tracing::error!("an indexer panicked; the list was skipped");
            return;
        };
        self.panics += u64::try_from(skipped).unwrap_or(u64::MAX);
        let mut notes = Vec::with_capacity(replacement.removed.len());
        let mut unchanged = Vec::new();
        for (key, held) in replacement.removed {
            let deleted = |object| Note::Delete(Deleted::FinalStateUnknown { key, object });
            notes.extend(held.object().map(deleted));
        }
        for replaced in replacement.present {
            match replaced.old {
                None => notes.push(Note::Add {
                    object: replaced.new,
                    initial,
                }),
                Some(old) if versions == Versions::Trusted && old.is_unchanged(&replaced.new) => {
                    unchanged.push(Note::Update {
                        old,
                        new: replaced.new,
                    });
                }
                Some(old) => notes.push(Note::Update {
                    old,
                    new: replaced.new,
                }),
            }
        }
        self.distribute(notes, unchanged);
    }

    /// Returns the objects on which no indexer panics, and the keys whose last valid state stays:
    /// `keep` and those of the other objects.
    fn indexable(
        &self,
        objects: Listed<K>,
        mut keep: Vec<ObjectKey>,
    ) -> (Listed<K>, Vec<ObjectKey>) {
        let snapshot = self.store.snapshot();
        let (objects, faulty): (Listed<K>, _) = objects.into_iter().partition(|(key, object)| {
            catch_unwind(AssertUnwindSafe(|| snapshot.try_indexers(key, object))).is_ok()
        });
        for (key, _) in faulty {
            tracing::error!(%key, "an indexer panicked; the object was skipped");
            keep.push(key);
        }
        (objects, keep)
    }

    /// Lets objects go that exist, but belong elsewhere.
    fn process_leave(&mut self, keys: Vec<ObjectKey>) {
        let mut notes = Vec::with_capacity(keys.len());
        for key in keys {
            match catch_unwind(AssertUnwindSafe(|| self.store.take(&key))) {
                Ok(left) => {
                    notes.extend(left.and_then(|(_, held)| held.object()).map(Note::Leave));
                }
                Err(_) => {
                    self.panics += 1;
                    tracing::error!(%key, "an indexer panicked; the object stays");
                }
            }
        }
        self.distribute(notes, Vec::new());
    }

    fn process_resync(&self) {
        let present = self.store.snapshot();
        let notes = present.stored().map(|object| Note::Update {
            old: object.clone(),
            new: object.clone(),
        });
        self.distribute(Vec::new(), notes.collect());
    }

    /// Sends `notes` to all handlers, and `unchanged` to those that take part in a resync. The two
    /// never share a key.
    fn distribute(&self, notes: Vec<Note<K>>, unchanged: Vec<Note<K>>) {
        let (notes, unchanged) = (Arc::new(notes), Arc::new(unchanged));
        for listener in &self.listeners {
            listener.notify(&notes);
            if listener.syncing.load(Ordering::Relaxed) {
                listener.notify(&unchanged);
            }
        }
    }
}

/// Writes one change; returns the note for handlers, and whether it is an update without a change.
fn apply<K: Cacheable>(
    store: &Store<K>,
    change: Change<K>,
    initial: bool,
) -> Option<(Note<K>, bool)> {
    match change {
        Change::Upsert { key, object } => match store.upsert(key, object.clone()) {
            None => {
                let object = object.into();
                Some((Note::Add { object, initial }, false))
            }
            Some(Former { held, unchanged }) => {
                let new = object.into();
                Some((Note::Update { old: held, new }, unchanged))
            }
        },
        Change::Delete { key, object } => {
            let (key, last) = store.take(&key)?;
            let deleted = match object {
                Some(object) => Deleted::Known(object),
                None => Deleted::FinalStateUnknown {
                    key,
                    object: last.object()?,
                },
            };
            Some((Note::Delete(deleted), false))
        }
    }
}

/// Whether `period` is shorter than `than`; zero means never.
fn is_shorter(period: Duration, than: Duration) -> bool {
    than.is_zero() || period < than
}

/// Returns a handler's effective period: the requested one, but not shorter than the check
/// interval.
fn granted(requested: Duration, check: Duration) -> Duration {
    if requested.is_zero() || check.is_zero() {
        Duration::ZERO
    } else {
        requested.max(check)
    }
}
