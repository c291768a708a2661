//! An informer of a part of the objects: those of the slots that this process owns.
//!
//! Slots that come together get a reflector of their own, so that only what is new is listed. When
//! slots leave, their reflector goes on watching the rest, and their objects leave the cache
//! without a deletion. Servers that know shard selectors send only what is asked for; what others
//! send is filtered here, with the same result.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use kube::Resource;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::inlet::Reached;
use super::queue::{EventQueue, Mark};
use crate::object::Cacheable;
use crate::reflector::{
    Change, Counters, ListEnd, ListRequest, ListWatch, Listed, Reflector, ReflectorOptions,
    Replace, Sink, WatchRequest, WatchStream,
};
use crate::shard::{ShardFilter, SlotSet};
use crate::store::{Held, ObjectKey};

/// What makes an informer a sharded one.
pub(super) struct Sharded<K> {
    pub(super) filter: ShardFilter<K>,
    /// The slots whose objects are in the cache.
    listed: watch::Sender<SlotSet>,
}

impl<K> Sharded<K> {
    pub(super) fn new(filter: ShardFilter<K>) -> Self {
        Self {
            filter,
            listed: watch::channel(SlotSet::default()).0,
        }
    }

    /// Returns the slots whose objects are in the cache, and their changes.
    pub(super) fn listed(&self) -> watch::Receiver<SlotSet> {
        self.listed.subscribe()
    }
}

/// What the reflectors of a sharded informer have in common.
pub(super) struct Reflecting<K> {
    pub(super) sharded: Arc<Sharded<K>>,
    pub(super) source: Arc<dyn ListWatch<K>>,
    pub(super) queue: Arc<EventQueue<K>>,
    pub(super) options: ReflectorOptions<K>,
    pub(super) counters: Arc<Counters>,
    pub(super) name: String,
    /// The version that each part reached.
    pub(super) reached: Mutex<Reached>,
}

/// Slots that came together.
struct Part {
    name: String,
    /// The slots that are left. Locked while the queue is filled, so that nothing of a slot follows
    /// its departure.
    slots: Mutex<SlotSet>,
    selector: watch::Sender<Option<String>>,
    /// Whether the first list has come.
    is_listed: watch::Sender<bool>,
}

/// A part with its reflector.
struct Running {
    part: Arc<Part>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    async fn end(self) {
        self.stop.cancel();
        // It fails only if it panicked, which tokio has reported.
        drop(self.task.await);
    }
}

impl<K: Cacheable> Reflecting<K> {
    /// Follows the slots of this process until `stop` is cancelled.
    pub(super) async fn run(self: Arc<Self>, stop: CancellationToken) {
        // A process without slots has all of its objects.
        self.queue.replace(Replace {
            objects: Vec::new(),
            keep: Vec::new(),
            resource_version: String::new(),
            versions_went_back: false,
        });
        let mut owned = self.sharded.filter.subscribe();
        let (mut parts, mut started): (Vec<Running>, u64) = (Vec::new(), 0);
        loop {
            let now = *owned.borrow_and_update();
            parts = self.leave(parts, now).await;
            let covered = parts.iter().fold(SlotSet::default(), |covered, it| {
                covered.or(*it.part.slots.lock())
            });
            let new = now.minus(covered);
            if !new.is_empty() {
                started += 1;
                parts.push(self.start(started, new, &stop));
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                // The sender lives as long as the filter.
                _ = owned.changed() => {}
            }
        }
        for running in parts {
            running.end().await;
        }
    }

    /// Lets go of all slots but those of `now`; returns the parts that have any left.
    async fn leave(&self, parts: Vec<Running>, now: SlotSet) -> Vec<Running> {
        let (mut left, mut rest) = (SlotSet::default(), Vec::new());
        for running in parts {
            let remaining = {
                let mut slots = running.part.slots.lock();
                left = left.or(slots.minus(now));
                *slots = slots.and(now);
                *slots
            };
            if remaining.is_empty() {
                self.reached.lock().forget(&running.part.name);
                running.end().await;
            } else {
                let selector = self.sharded.filter.selector(remaining);
                running.part.selector.send_if_modified(|known| {
                    let differs = *known != selector;
                    *known = selector;
                    differs
                });
                rest.push(running);
            }
        }
        if !left.is_empty() {
            self.sharded
                .listed
                .send_modify(|listed| *listed = listed.minus(left));
            let filter = self.sharded.filter.clone();
            self.queue
                .leave(Arc::new(move |_, held| is_in(held, &filter, &left)));
        }
        rest
    }

    /// Starts a reflector for slots that came.
    fn start(self: &Arc<Self>, number: u64, slots: SlotSet, stop: &CancellationToken) -> Running {
        let part = Arc::new(Part {
            name: format!("{} ({number})", self.name),
            slots: Mutex::new(slots),
            selector: watch::channel(self.sharded.filter.selector(slots)).0,
            is_listed: watch::channel(false).0,
        });
        let source = Selected {
            source: Arc::clone(&self.source),
            part: Arc::clone(&part),
        };
        let sink = Inlet {
            reflecting: Arc::clone(self),
            part: Arc::clone(&part),
        };
        let mut reflector = Reflector::new(
            Arc::new(source),
            Arc::new(sink),
            self.name.clone(),
            self.options.clone(),
        )
        .with_counters(Arc::clone(&self.counters));
        let stop = stop.child_token();
        let task = tokio::spawn({
            let stop = stop.clone();
            async move { reflector.run(&stop).await }
        });
        Running { part, stop, task }
    }
}

/// Asks for the slots of a part.
struct Selected<K> {
    source: Arc<dyn ListWatch<K>>,
    part: Arc<Part>,
}

impl<K: Cacheable> ListWatch<K> for Selected<K> {
    fn list<'a>(
        &'a self,
        mut request: ListRequest,
        each: &'a mut (dyn FnMut(Listed<K>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kube::Error>> {
        request.shard_selector = self.part.selector.borrow().clone();
        self.source.list(request, each)
    }

    /// The watch ends when slots have left, and goes on with the rest. A streamed list is not
    /// interrupted.
    fn watch(
        &self,
        mut request: WatchRequest,
    ) -> BoxFuture<'_, Result<WatchStream<K>, kube::Error>> {
        let mut selector = self.part.selector.subscribe();
        request.shard_selector = selector.borrow_and_update().clone();
        let mut listed = self.part.is_listed.subscribe();
        let narrowed = async move {
            let is_narrowed = selector.changed().await.is_ok();
            if !is_narrowed || listed.wait_for(|listed| *listed).await.is_err() {
                // The reflector ends with its part.
                std::future::pending::<()>().await;
            }
        };
        async move {
            let events = self.source.watch(request).await?;
            Ok(events.take_until(Box::pin(narrowed)).boxed())
        }
        .boxed()
    }
}

/// Whether an object is of one of `slots`.
fn is_in<K: Cacheable>(held: &Held<K>, filter: &ShardFilter<K>, slots: &SlotSet) -> bool {
    let object = held.object();
    object.is_some_and(|object| slots.contains(filter.slot(&object)))
}

/// The sink of a part's reflector.
struct Inlet<K> {
    reflecting: Arc<Reflecting<K>>,
    part: Arc<Part>,
}

impl<K: Cacheable> Inlet<K> {
    fn slot(&self, object: &K) -> usize {
        self.reflecting.sharded.filter.slot(object)
    }

    fn reach(&self, version: &str) -> String {
        self.reflecting
            .reached
            .lock()
            .reach(&self.part.name, version)
    }

    /// Counts objects that the server should not have sent, and says so once.
    fn count_foreign(&self, number: usize) {
        let Reflecting {
            counters,
            sharded,
            name,
            ..
        } = &*self.reflecting;
        let are_first = counters.read().foreign == 0;
        Counters::add(&counters.foreign, number);
        if number > 0 && are_first && sharded.filter.field().is_some() {
            tracing::info!(
                informer = name,
                "the API server does not select shards (feature gate ShardedListAndWatch): every replica receives all objects"
            );
        }
    }

    /// Applies the changes of objects in `slots`.
    fn admit(&self, changes: Vec<Change<K>>, slots: &MutexGuard<'_, SlotSet>) {
        let queue = &self.reflecting.queue;
        let (mut own, mut foreign) = (Vec::with_capacity(changes.len()), 0);
        for change in changes {
            let is_own = match &change {
                Change::Upsert { object, .. } => slots.contains(self.slot(object)),
                Change::Delete { object, .. } => object
                    .as_ref()
                    .is_none_or(|object| slots.contains(self.slot(object))),
            };
            match change {
                change if is_own => own.push(change),
                // A change may have taken it to another shard.
                Change::Upsert { key, .. } => {
                    foreign += 1;
                    let moved = queue.known(&key);
                    if moved.is_some_and(|known| slots.contains(self.slot(&known))) {
                        queue.apply_checked(std::mem::take(&mut own));
                        queue.leave(Arc::new(move |other, _| *other == key));
                    }
                }
                Change::Delete { .. } => foreign += 1,
            }
        }
        self.count_foreign(foreign);
        queue.apply_checked(own);
    }
}

impl<K: Cacheable + Resource> Sink<K> for Inlet<K> {
    fn known(&self, key: &str) -> Option<Arc<K>> {
        self.reflecting.queue.known(key)
    }

    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        self.reflecting.queue.recall(object)
    }

    fn replace(&self, mut state: Replace<K>) {
        let slots = self.part.slots.lock();
        let received = state.objects.len();
        state
            .objects
            .retain(|(_, held)| is_in(held, &self.reflecting.sharded.filter, &slots));
        self.count_foreign(received - state.objects.len());
        state.resource_version = self.reach(&state.resource_version);
        let (filter, own) = (self.reflecting.sharded.filter.clone(), *slots);
        let queue = &self.reflecting.queue;
        queue.replace_in(Arc::new(move |_, held| is_in(held, &filter, &own)), state);
        let (sharded, part) = (Arc::clone(&self.reflecting.sharded), Arc::clone(&self.part));
        queue.mark(Mark::new(move || {
            // Without those that have left meanwhile.
            let own = part.slots.lock();
            sharded
                .listed
                .send_modify(|listed| *listed = listed.or(*own));
        }));
        drop(slots);
        self.part.is_listed.send_replace(true);
    }

    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str) {
        let slots = self.part.slots.lock();
        self.admit(changes, &slots);
        self.reflecting
            .queue
            .apply(Vec::new(), &self.reach(resource_version));
    }
}
