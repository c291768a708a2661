//! An informer's state per handler: its queue, task and resync schedule.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handler::{Deleted, EventHandler};
use super::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, lock};
use crate::object::Cacheable;
use crate::store::{Held, Snapshot};

/// A pending call of a handler.
#[derive(Debug)]
pub(crate) enum Note<K> {
    Add {
        object: Held<K>,
        initial: bool,
    },
    Update {
        old: Held<K>,
        new: Held<K>,
    },
    Delete(Deleted<K>),
    /// The object exists, but belongs to another process now.
    Leave(Arc<K>),
}

/// An entry of a listener's queue. Handlers share the notes of one batch.
#[derive(Debug)]
pub(crate) enum Parcel<K> {
    /// The objects present when the handler was added: one add each.
    Present(Snapshot<K>),
    Notes(Arc<Vec<Note<K>>>),
    /// Follows the last note of the first list, or of the objects present when a late handler was
    /// added.
    InitialEnd,
}

/// The part of a listener that its registration shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) id: u64,
    pub(crate) synced: watch::Sender<bool>,
    pub(crate) removed: CancellationToken,
    /// Same as `removed`, in a form that is cheap to read.
    is_removed: AtomicBool,
    pub(crate) pending: AtomicUsize,
    pub(crate) panics: AtomicU64,
}

impl Shared {
    /// Stops all further calls of the handler.
    pub(crate) fn remove(&self) {
        self.is_removed.store(true, Ordering::Release);
        self.removed.cancel();
    }
}

/// A handler with its queue.
pub(crate) struct Listener<K> {
    pub(crate) shared: Arc<Shared>,
    handler: Arc<dyn EventHandler<K>>,
    sender: mpsc::UnboundedSender<Parcel<K>>,
    /// Taken by the task when it starts.
    receiver: Mutex<Option<mpsc::UnboundedReceiver<Parcel<K>>>>,
    /// The period that the handler requested; zero for no resyncs.
    pub(crate) requested_resync: Duration,
    /// Its resync schedule.
    resync: Mutex<Resync>,
    /// Whether the handler takes part in the current resync.
    pub(crate) syncing: AtomicBool,
}

struct Resync {
    period: Duration,
    next: Instant,
}

impl<K: Cacheable> Listener<K> {
    pub(crate) fn new(
        id: u64,
        handler: Arc<dyn EventHandler<K>>,
        requested: Duration,
        period: Duration,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = Shared {
            id,
            synced: watch::channel(false).0,
            removed: CancellationToken::new(),
            is_removed: AtomicBool::new(false),
            pending: AtomicUsize::new(0),
            panics: AtomicU64::new(0),
        };
        Self {
            shared: Arc::new(shared),
            handler,
            sender,
            receiver: Mutex::new(Some(receiver)),
            requested_resync: requested,
            resync: Mutex::new(Resync {
                period,
                next: Instant::now() + period,
            }),
            syncing: AtomicBool::new(false),
        }
    }

    pub(crate) fn begin(&self, present: Snapshot<K>) {
        if !present.is_empty() {
            self.shared
                .pending
                .fetch_add(present.len(), Ordering::Relaxed);
            let _ = self.sender.send(Parcel::Present(present));
        }
    }

    pub(crate) fn notify(&self, notes: &Arc<Vec<Note<K>>>) {
        if notes.is_empty() {
            return;
        }
        self.shared
            .pending
            .fetch_add(notes.len(), Ordering::Relaxed);
        // The queue is closed if the handler's task has ended; then no call is due.
        let _ = self.sender.send(Parcel::Notes(notes.clone()));
    }

    pub(crate) fn end_initial(&self) {
        let _ = self.sender.send(Parcel::InitialEnd);
    }

    /// Sets the handler's effective period, starting now.
    pub(crate) fn set_resync(&self, period: Duration) {
        let mut resync = lock(&self.resync);
        *resync = Resync {
            period,
            next: Instant::now() + period,
        };
    }

    /// Whether a resync is due; if so, schedules the next one.
    pub(crate) fn is_resync_due(&self, now: Instant) -> bool {
        let mut resync = lock(&self.resync);
        let due = !resync.period.is_zero() && now >= resync.next;
        if due {
            resync.next = now + resync.period;
        }
        due
    }

    /// Calls the handler until it is removed or `stop` is cancelled. Pending calls are then
    /// dropped.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        let receiver = lock(&self.receiver).take();
        let Some(mut receiver) = receiver else { return };
        loop {
            let parcel = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = self.shared.removed.cancelled() => break,
                parcel = receiver.recv() => parcel,
            };
            match parcel {
                None => break,
                Some(Parcel::InitialEnd) => {
                    self.shared.synced.send_replace(true);
                }
                Some(Parcel::Present(present)) => {
                    for object in present.stored() {
                        let note = Note::Add {
                            object: object.clone(),
                            initial: true,
                        };
                        if !self.deliver(&note, &stop).await {
                            return;
                        }
                    }
                }
                Some(Parcel::Notes(notes)) => {
                    for note in notes.iter() {
                        if !self.deliver(note, &stop).await {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Makes one call, unless the handler was removed.
    async fn deliver(&self, note: &Note<K>, stop: &CancellationToken) -> bool {
        if stop.is_cancelled() || self.shared.is_removed.load(Ordering::Acquire) {
            return false;
        }
        self.call(note);
        self.shared.pending.fetch_sub(1, Ordering::Relaxed);
        // A long queue must not keep the thread from other tasks.
        tokio::task::coop::consume_budget().await;
        true
    }

    pub(super) fn call(&self, note: &Note<K>) {
        let handler = &self.handler;
        let called = catch_unwind(AssertUnwindSafe(|| match note {
            Note::Add { object, initial } => {
                if let Some(object) = object.object() {
                    handler.on_add(&object, *initial);
                }
            }
            Note::Update { old, new } => {
                // What cannot be decoded counts as absent.
                match (old.object(), new.object()) {
                    (Some(old), Some(new)) => handler.on_update(&old, &new),
                    (None, Some(new)) => handler.on_add(&new, false),
                    (_, None) => {}
                }
            }
            Note::Delete(deleted) => handler.on_delete(deleted),
            Note::Leave(object) => handler.on_leave(object),
        }));
        if called.is_err() {
            self.shared.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!(
                kind = std::any::type_name::<K>(),
                "an event handler panicked"
            );
        }
    }
}
