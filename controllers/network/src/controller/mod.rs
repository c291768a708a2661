//! The controller: an informer feeds a queue of keys, and workers [reconcile](Reconciler) them.
//!
//! It has the classic shape, with every part visible: handlers on the shared informer add keys to a
//! rate-limited work queue, [`run_workers`] takes them out, and the lister serves reads.
//! [`per_deployment`] watches Deployments from the same factory. With leader election one process
//! does that; [sharded](NetworkController::sharded), each one for the networks of its namespaces.

mod claims;
pub mod per_deployment;
mod reconcile;
mod spec;

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::condition;
use codegen_runtime::controller::{
    BuildError, Controller, Fence, Predicate, ShardGate, run_workers,
};
use codegen_runtime::error::chain;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::{HandlerFuncs, handler};
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::manager::{RunContext, Runnable};
use codegen_runtime::metrics::Metrics;
use codegen_runtime::retry;
use codegen_runtime::shard::Sharding;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::{ItemExponentialFailureRateLimiter, WorkQueue};

pub use self::reconcile::{ReconcileError, Reconciler};
pub use self::spec::{InvalidSpec, addresses, check_range, overlap, parse_range};
use crate::apis::samplecrd::v1::Network;
use crate::backend::{Backend, BackendError};
use crate::generated::clientset::Clientset;
use crate::generated::informers::SharedInformerFactory;
use crate::generated::informers::samplecrd::v1::NetworkInformer;

/// The name of the controller in a manager, and of its queue in metrics.
pub const NAME: &str = "network";

/// The finalizer, which keeps a network until the backend has deleted it.
pub const FINALIZER: &str = "samplecrd.k8s.io/network";

/// The condition that is true if a network matches its spec.
const READY: &str = "Ready";

/// The back-off of a failing network: the initial and the maximum delay.
pub const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(120));

/// The Network controller; a [`Runnable`] for a manager.
pub struct NetworkController {
    factory: SharedInformerFactory,
    networks: NetworkInformer,
    reconciler: Arc<Reconciler>,
    queue: WorkQueue<ObjectKey>,
    workers: usize,
    backend: Arc<dyn Backend>,
    gate: Option<ShardGate>,
}

impl NetworkController {
    /// Creates a controller with `workers` workers for the networks that `factory` watches.
    pub fn new(
        clientset: Clientset,
        factory: &SharedInformerFactory,
        backend: Arc<dyn Backend>,
        events: EventRecorder,
        metrics: &Metrics,
        workers: usize,
    ) -> Self {
        let networks = factory.samplecrd().v1().networks();
        let (first, longest) = BACKOFF;
        let queue = WorkQueue::builder()
            .name(NAME)
            .metrics(metrics)
            .rate_limiter(ItemExponentialFailureRateLimiter::new(first, longest))
            .build();
        let lister = networks.informer().lister().into();
        let reconciler = Reconciler::new(clientset, lister, Arc::clone(&backend), events);
        Self {
            factory: factory.clone(),
            networks,
            reconciler: Arc::new(reconciler),
            queue,
            workers,
            backend,
            gate: None,
        }
    }

    /// Lets every process work, each on the networks of its namespaces. `None` has no effect.
    ///
    /// # Errors
    ///
    /// If another controller of the factory needs all networks.
    pub fn sharded(mut self, sharding: Option<Sharding>) -> Result<Self, BuildError> {
        if sharding.is_some() {
            let networks = self.networks.informer();
            self.gate = Controller::builder(NAME, &self.factory)
                .for_informer(&networks, Predicate::all())
                .sharded(sharding)
                .build_gate()?;
        }
        Ok(self)
    }

    /// Enqueues networks that were added, updated or deleted, and each one at a resync: the backend
    /// may have lost it.
    fn handler(&self) -> HandlerFuncs<Network> {
        let (added, updated, deleted) =
            (self.queue.clone(), self.queue.clone(), self.queue.clone());
        let (freed, waiting) = (self.networks.clone(), self.networks.clone());
        let reconciler = Arc::clone(&self.reconciler);
        let left = Arc::clone(&self.reconciler);
        handler::funcs()
            .on_add(move |network: &Arc<Network>, _| added.add(ObjectKey::of(&**network)))
            .on_update(move |old, new| {
                updated.add(ObjectKey::of(&**new));
                if may_free(old, new) {
                    add_overlapping(&updated, &freed, new);
                }
            })
            .on_delete(move |gone| {
                // A tombstone has the key and the last known state; both identify the network.
                reconciler.forget(&gone.object().uid().unwrap_or_default());
                deleted.add(gone.key());
                add_overlapping(&deleted, &waiting, gone.object());
            })
            // Another process may delete it, or give its range to others.
            .on_leave(move |network| left.forget(&network.uid().unwrap_or_default()))
    }
}

/// Whether an update may have freed a range: another one is requested, the backend lost the
/// network, or rejects it.
fn may_free(old: &Network, new: &Network) -> bool {
    let has = |network: &Network| network.status.as_ref().map(|it| it.cidr.clone());
    let is_refused = |network| reason(network) == Some(BackendError::REFUSED);
    old.spec != new.spec || has(old) != has(new) || is_refused(old) != is_refused(new)
}

/// Enqueues the networks in the namespace of `changed` that were rejected because their range
/// overlaps another.
fn add_overlapping(queue: &WorkQueue<ObjectKey>, informer: &NetworkInformer, changed: &Network) {
    let namespace = changed.namespace().unwrap_or_default();
    let beside = informer.informer().lister().namespace(&namespace);
    for network in beside.list(&Selector::default()) {
        if reason(&network) == Some(reconcile::OVERLAP) {
            queue.add(ObjectKey::of(&*network));
        }
    }
}

/// Processes one key, unless it is another process's or the term ends in the meantime.
async fn process(
    queue: WorkQueue<ObjectKey>,
    reconciler: Arc<Reconciler>,
    fence: Fence,
    key: ObjectKey,
) {
    let Some(turn) = fence.enter(&key) else {
        return queue.forget(&key);
    };
    let Some(result) = turn.run(reconciler.reconcile(&key)).await else {
        return queue.forget(&key);
    };
    match result {
        Ok(()) => queue.forget(&key),
        Err(error) => {
            let is_conflict = error.is_conflict();
            let least = retry::retry_after(&error).unwrap_or_default();
            let error = chain(&error);
            if is_conflict {
                tracing::debug!(network = %key, %error, "changed meanwhile");
            } else {
                tracing::warn!(network = %key, %error, retries = queue.num_requeues(&key), "trying again");
            }
            queue.add_rate_limited_after(key, least);
        }
    }
}

impl Runnable for NetworkController {
    fn name(&self) -> &str {
        NAME
    }

    fn needs_leader_election(&self) -> bool {
        self.gate.is_none()
    }

    async fn run(&self, context: RunContext) -> Result<(), Box<dyn Error + Send + Sync>> {
        let informer = self.networks.informer();
        let registration = informer.add_event_handler(self.handler())?;
        let synced = informer.wait_for_sync();
        if context.stop.run_until_cancelled(synced).await == Some(true) {
            tracing::info!(
                backend = self.backend.name(),
                workers = self.workers,
                "starting workers"
            );
            let (queue, reconciler) = (self.queue.clone(), Arc::clone(&self.reconciler));
            let fence = Fence::new(self.gate.clone(), context.leadership.clone());
            let taken = fence.clone();
            let work =
                move |key| process(queue.clone(), Arc::clone(&reconciler), fence.clone(), key);
            tokio::select! {
                () = run_workers(&self.queue, self.workers, &context.stop, work) => {}
                () = taken.follow(|key| self.queue.add(key)) => {}
            }
        }
        informer.remove_event_handler(&registration);
        Ok(())
    }
}

/// Returns the reason of the condition Ready if it is not true.
fn reason(network: &Network) -> Option<&str> {
    let conditions = &network.status.as_ref()?.conditions;
    let ready = condition::find(conditions, READY)?;
    (ready.status != "True").then_some(ready.reason.as_str())
}

impl fmt::Debug for NetworkController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkController")
            .field("backend", &self.backend.name())
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}
