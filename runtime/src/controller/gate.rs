//! The keys that a sharded controller may reconcile: those of the slots that this process owns,
//! once its caches have them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::select_all;
use kube::Resource;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::source::{Contribution, Departed, Locate, Source};
use crate::leader::Leadership;
use crate::shard::{ShardPermit, Sharding, SlotSet};
use crate::store::ObjectKey;

/// Lets keys in.
pub(super) struct Gate {
    sharding: Sharding,
    locate: Option<Locate>,
    listed: Vec<watch::Receiver<SlotSet>>,
    departed: Departed,
    /// Keys whose slots this process owns, but whose caches are not filled yet.
    parked: Mutex<BTreeSet<ObjectKey>>,
}

impl Gate {
    pub(super) fn new(
        sharding: Sharding,
        contributions: Vec<Contribution>,
        departed: Departed,
    ) -> Self {
        let (mut listed, mut locate) = (Vec::new(), None);
        for contribution in contributions {
            listed.extend(contribution.listed);
            locate = locate.or(contribution.locate);
        }
        Self {
            sharding,
            locate,
            listed,
            departed,
            parked: Mutex::default(),
        }
    }

    fn slot(&self, key: &ObjectKey) -> Option<usize> {
        let by_key = self.sharding.slot_of(key);
        let by_object = || self.locate.as_ref()?(key);
        let by_deleted = || self.departed.lock().get(key).copied();
        by_key.or_else(by_object).or_else(by_deleted)
    }

    /// Returns the right to reconcile a key. Without one, the key is dropped: its owner finds it by
    /// itself, and this process, if it becomes the owner, by [`follow`](Self::follow).
    pub(super) fn enter(&self, key: &ObjectKey) -> Option<ShardPermit> {
        let slot = self.slot(key)?;
        let permit = self.sharding.shards().holdings().enter(slot);
        if permit.is_none() {
            self.departed.lock().remove(key);
        }
        let permit = permit?;
        if self.is_listed(slot) {
            return Some(permit);
        }
        self.parked.lock().insert(key.clone());
        // The list may have come meanwhile, and nobody looks at the parked keys again.
        (self.is_listed(slot) && self.parked.lock().remove(key)).then_some(permit)
    }

    /// Returns the right to work on an object, which need not be in a cache.
    fn enter_object<K: Resource + 'static>(&self, object: &K) -> Option<ShardPermit> {
        let slot = self.sharding.filter::<K>()?.slot(object);
        let permit = self.sharding.shards().holdings().enter(slot)?;
        self.is_listed(slot).then_some(permit)
    }

    /// Notes that a key was reconciled.
    pub(super) fn done(&self, key: &ObjectKey) {
        self.departed.lock().remove(key);
    }

    fn is_listed(&self, slot: usize) -> bool {
        self.listed
            .iter()
            .all(|listed| listed.borrow().contains(slot))
    }

    /// Returns the terms of the slots that are owned and listed.
    fn terms(&self) -> BTreeMap<usize, u64> {
        let mut terms = self.sharding.shards().holdings().terms();
        terms.retain(|slot, _| self.is_listed(*slot));
        terms
    }

    /// Adds the keys of slots that become ready, for ever: those that were parked, and all others,
    /// whose reasons may have been dropped while the slots were another member's.
    pub(super) async fn follow(&self, sources: &[Box<dyn Source>], add: impl Fn(ObjectKey)) {
        let mut changes = self.listed.clone();
        changes.push(self.sharding.shards().holdings().subscribe());
        let mut known = BTreeMap::new();
        loop {
            for receiver in &mut changes {
                receiver.borrow_and_update();
            }
            let terms = self.terms();
            let fresh: SlotSet = terms
                .iter()
                .filter(|(slot, term)| known.get(*slot) != Some(*term))
                .map(|(slot, _)| *slot)
                .collect();
            known = terms;
            if !fresh.is_empty() {
                let keys = sources.iter().flat_map(|source| source.keys());
                let is_fresh =
                    |key: &ObjectKey| self.slot(key).is_some_and(|slot| fresh.contains(slot));
                keys.filter(is_fresh).for_each(&add);
            }
            let parked = std::mem::take(&mut *self.parked.lock());
            parked.into_iter().for_each(&add);
            let next = changes
                .iter_mut()
                .map(|receiver| receiver.changed().boxed());
            // The senders live as long as the shards and the informers.
            drop(select_all(next).await);
        }
    }
}

/// The keys that a sharded controller in the classic shape may reconcile, for a [`Fence`]. Clones
/// are handles of the same gate.
#[derive(Clone)]
pub struct ShardGate {
    gate: Arc<Gate>,
    sources: Arc<[Box<dyn Source>]>,
}

impl ShardGate {
    pub(super) fn new(gate: Arc<Gate>, sources: Vec<Box<dyn Source>>) -> Self {
        let sources = sources.into();
        Self { gate, sources }
    }
}

impl fmt::Debug for ShardGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardGate")
            .field("sharding", &self.gate.sharding)
            .finish_non_exhaustive()
    }
}

/// Decides which keys this process may work on, for a controller in the classic shape: with a gate,
/// those of its parts, once its caches have their objects; without one all, within the term of the
/// leader if there is one.
///
/// ```no_run
/// # use codegen_runtime::controller::{BuildError, Controller, Fence, run_workers};
/// # use codegen_runtime::informer::SharedInformerFactory;
/// # use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
/// # use codegen_runtime::shard::Sharding;
/// # use codegen_runtime::{store::ObjectKey, workqueue::WorkQueue};
/// # use tokio_util::sync::CancellationToken;
/// # async fn run(factory: &SharedInformerFactory, sharding: Sharding, queue: WorkQueue<ObjectKey>, stop: CancellationToken) -> Result<(), BuildError> {
/// // Before the informers start.
/// let gate = Controller::builder("maps", factory)
///     .for_::<ConfigMap>()
///     .sharded(sharding)
///     .build_gate()?;
/// let fence = Fence::new(gate, None);
/// let (entrance, keys) = (fence.clone(), queue.clone());
/// let work = move |key: ObjectKey| {
///     let (fence, queue) = (entrance.clone(), keys.clone());
///     async move {
///         // Without a turn, the key is another process's.
///         if let Some(turn) = fence.enter(&key) {
///             turn.run(async { tracing::info!(%key, "reconciling") }).await;
///         }
///         queue.forget(&key);
///     }
/// };
/// tokio::join!(
///     run_workers(&queue, 2, &stop, work),
///     stop.run_until_cancelled(fence.follow(|key| queue.add(key))),
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Fence {
    gate: Option<ShardGate>,
    leadership: Option<Leadership>,
}

/// The right to work on an object, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    term: Option<Leadership>,
    permit: Option<ShardPermit>,
}

impl Fence {
    /// Creates a fence; the leadership counts without a gate.
    pub fn new(gate: Option<ShardGate>, leadership: Option<Leadership>) -> Self {
        Self { gate, leadership }
    }

    /// Returns the right to reconcile `key`. `None` if the object is another process's, or its
    /// cache is not filled yet; [`follow`](Self::follow) adds the key when it may be reconciled.
    ///
    /// Unless sharded by namespace, the key of an object that is gone is not let in: clean up under
    /// a finalizer.
    pub fn enter(&self, key: &ObjectKey) -> Option<Turn> {
        self.turn(|gate| gate.enter(key))
    }

    /// Returns the right to work on `object` of the reconciled kind, which need not be in the
    /// cache.
    pub fn enter_object<K: Resource + 'static>(&self, object: &K) -> Option<Turn> {
        self.turn(|gate| gate.enter_object(object))
    }

    fn turn(&self, enter: impl FnOnce(&Gate) -> Option<ShardPermit>) -> Option<Turn> {
        let Some(gate) = &self.gate else {
            let (term, permit) = (self.leadership.clone(), None);
            return Some(Turn { term, permit });
        };
        let permit = enter(&gate.gate)?;
        Some(Turn {
            term: Some(permit.term().clone()),
            permit: Some(permit),
        })
    }

    /// Calls `add` with the keys of objects that this process takes over, for ever. A controller
    /// runs it beside its workers.
    pub async fn follow(&self, add: impl Fn(ObjectKey)) {
        match &self.gate {
            Some(ShardGate { gate, sources }) => gate.follow(sources, add).await,
            None => std::future::pending().await,
        }
    }
}

impl Turn {
    /// Runs `work` within the term; `None` if the term ends before.
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match &self.term {
            None => Some(work.await),
            Some(term) => term.fence(work).await.ok(),
        }
    }

    /// Returns the permit of the object's part, if the controller is sharded.
    pub fn permit(&self) -> Option<&ShardPermit> {
        self.permit.as_ref()
    }
}
