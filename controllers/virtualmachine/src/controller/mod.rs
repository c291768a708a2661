//! The controller: an informer feeds a queue of keys, and workers [reconcile](Reconciler) them.
//!
//! It has the classic shape, with every part visible: a handler on the shared informer adds keys to
//! a rate-limited work queue, [`run_priority_workers`] takes them out, and the lister serves reads.
//! Keys from the initial list or a resync have a lower priority than changes, as in
//! controller-runtime. Besides the workers, a timer refreshes usage, orphaned servers are searched
//! for, and the driver reports servers that changed by themselves.
//!
//! With leader election everything here runs within one term, which fences each part: see
//! [`codegen_runtime::leader`]. [Sharded](VirtualMachineController::sharded), it runs in every
//! process, and works on a machine in the term of the machine's part: see
//! [`codegen_runtime::shard`].

mod crashes;
mod machine;
mod orphans;
mod plan;
mod reconcile;
mod reconciler;
mod status;
mod turn;
mod usage;
mod work;

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::controller::{
    BuildError, Controller, Fence, Predicate, ShardGate, run_priority_workers,
};
use codegen_runtime::error::chain;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::finalizer;
use codegen_runtime::informer::{HandlerFuncs, HandlerRegistration, SharedInformer, handler};
use codegen_runtime::leader::Leadership;
use codegen_runtime::manager::{RunContext, Runnable};
use codegen_runtime::metrics::Metrics;
use codegen_runtime::retry;
use codegen_runtime::shard::Sharding;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::{
    AddOptions, ItemExponentialFailureRateLimiter, LOW_PRIORITY, PriorityQueue, WorkQueue,
};
use tokio_util::sync::CancellationToken;

pub use self::machine::{DISK, InvalidSpec, MAX_CPUS, MEMORY, server_spec};
use self::orphans::Orphans;
pub use self::reconciler::{FINALIZER, Next, ReconcileError, Reconciler};
use self::turn::{Turn, Turns};
use self::usage::refresh_usage;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;
use crate::driver::{Changed, Driver, DriverMetrics, Fencing, Servers};
use crate::generated::clientset::Clientset;
use crate::generated::informers::SharedInformerFactory;

/// The name of the controller in a manager, and of its queue in metrics.
pub const NAME: &str = "virtualmachine";

/// The settings of the controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of machines reconciled concurrently.
    pub workers: usize,
    /// How often usage is refreshed.
    pub usage_period: Duration,
    /// How soon to check a server that is starting or stopping.
    pub poll: Duration,
    /// The timeout of one driver call.
    pub driver_deadline: Duration,
    /// The back-off of a failing machine: the initial and the maximum delay.
    pub backoff: (Duration, Duration),
    /// The namespaces whose machines are managed; empty for all. Servers of other namespaces are
    /// ignored.
    pub namespaces: Vec<String>,
    /// How often orphaned servers are searched for.
    pub orphan_period: Duration,
    /// Remove a server once its object has been gone for this long; `None` only reports it.
    pub remove_orphans_after: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 2,
            usage_period: Duration::from_secs(20),
            poll: Duration::from_millis(250),
            driver_deadline: Duration::from_secs(30),
            backoff: (Duration::from_millis(50), Duration::from_secs(120)),
            namespaces: Vec::new(),
            orphan_period: Duration::from_secs(30),
            remove_orphans_after: None,
        }
    }
}

/// The VirtualMachine controller; a [`Runnable`] for a manager.
pub struct VirtualMachineController {
    clientset: Clientset,
    factory: SharedInformerFactory,
    informer: SharedInformer<VirtualMachine>,
    driver: Arc<dyn Driver>,
    holder: String,
    events: EventRecorder,
    metrics: Metrics,
    driver_metrics: DriverMetrics,
    fencing: Fencing,
    options: Options,
    gate: Option<ShardGate>,
}

impl VirtualMachineController {
    /// Creates a controller for the machines that `factory` watches, which calls `driver` as the
    /// process `holder`.
    pub fn new(
        clientset: Clientset,
        factory: &SharedInformerFactory,
        driver: Arc<dyn Driver>,
        holder: impl Into<String>,
        events: EventRecorder,
        metrics: &Metrics,
        options: Options,
    ) -> Self {
        Self {
            clientset,
            factory: factory.clone(),
            informer: factory
                .cloudnative()
                .v1alpha1()
                .virtual_machines()
                .informer(),
            driver,
            holder: holder.into(),
            events,
            metrics: metrics.clone(),
            driver_metrics: DriverMetrics::register(metrics),
            fencing: Fencing::default(),
            options,
            gate: None,
        }
    }

    /// Lets every process work, each on its part of the machines. `None` has no effect.
    ///
    /// # Errors
    ///
    /// If another controller of the factory needs all machines.
    pub fn sharded(mut self, sharding: Option<Sharding>) -> Result<Self, BuildError> {
        if sharding.is_some() {
            self.gate = Controller::builder(NAME, &self.factory)
                .for_informer(&self.informer, Predicate::all())
                .sharded(sharding)
                .build_gate()?;
        }
        Ok(self)
    }

    /// Whether the driver accepts this process's calls, for a readiness check.
    pub fn fencing(&self) -> &Fencing {
        &self.fencing
    }

    /// Runs until `stop` is cancelled; work in progress then still completes its current step.
    ///
    /// The factory must be started by the caller, or by the manager.
    ///
    /// # Errors
    ///
    /// If the informer has stopped, or the driver cannot continue.
    pub async fn run(
        &self,
        stop: &CancellationToken,
        leadership: Option<&Leadership>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (first, longest) = self.options.backoff;
        let queue = WorkQueue::builder()
            .name(NAME)
            .metrics(&self.metrics)
            .rate_limiter(ItemExponentialFailureRateLimiter::new(first, longest))
            .build_priority();
        let _registered = Registered {
            registration: self.informer.add_event_handler(enqueue(&queue))?,
            informer: &self.informer,
        };
        if stop
            .run_until_cancelled(self.informer.wait_for_sync())
            .await
            != Some(true)
        {
            return Ok(());
        }
        let driver = Arc::clone(&self.driver);
        let servers = Servers::new(driver, self.holder.clone(), self.options.driver_deadline)
            .telling(&self.driver_metrics, &self.fencing)
            .in_term(leadership);
        // The terms of shards begin later, and take a higher epoch when they are refused.
        if self.gate.is_none()
            && let Err(error) = servers.enter().await
        {
            tracing::warn!(error = %chain(&error), "cannot read the newest epoch from the driver");
        }
        let machines = self.factory.cloudnative().v1alpha1().virtual_machines();
        let reconciler = Reconciler::new(
            self.clientset.clone(),
            machines.lister()?,
            servers,
            self.events.clone(),
            self.options.poll,
        );
        let turns = Turns {
            reconciler,
            fence: Fence::new(self.gate.clone(), leadership.cloned()),
        };
        tracing::info!(
            driver = self.driver.name(),
            workers = self.options.workers,
            "starting workers"
        );
        self.work(&queue, &turns, stop).await
    }

    /// Runs workers, usage refresh, orphan search and driver concurrently. The workers end last.
    async fn work(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        turns: &Turns,
        stop: &CancellationToken,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let changed: Changed = {
            let queue = queue.clone();
            Arc::new(move |key| queue.add(key))
        };
        let worker = Worker {
            queue: queue.clone(),
            turns: turns.clone(),
            stop: stop.clone(),
        };
        let workers =
            run_priority_workers(queue, self.options.workers, stop, move |key, priority| {
                worker.clone().process(key, priority)
            });
        let aside = async {
            let usage = refresh_usage(turns, queue, self.options.usage_period);
            let orphans = Orphans::new(turns, &self.options).watch();
            let taken = turns
                .fence
                .follow(|key| queue.add_with(key, as_news(false)));
            tokio::select! {
                () = usage => Ok(()),
                () = orphans => Ok(()),
                () = taken => Ok(()),
                ended = self.driver.run(changed, stop.clone()) => ended,
            }
        };
        let mut aside = Box::pin(aside);
        let mut workers = Box::pin(workers);
        tokio::select! {
            () = &mut workers => Ok(()),
            ended = &mut aside => {
                ended?;
                // The driver stopped as requested; wait for the workers.
                workers.await;
                Ok(())
            }
        }
    }
}

impl Runnable for VirtualMachineController {
    fn name(&self) -> &str {
        NAME
    }

    fn needs_leader_election(&self) -> bool {
        self.gate.is_none()
    }

    async fn run(&self, context: RunContext) -> Result<(), Box<dyn Error + Send + Sync>> {
        Self::run(self, &context.stop, context.leadership.as_ref()).await
    }
}

impl fmt::Debug for VirtualMachineController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualMachineController")
            .field("driver", &self.driver.name())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Removes the event handler when the controller ends.
struct Registered<'a> {
    informer: &'a SharedInformer<VirtualMachine>,
    registration: HandlerRegistration,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.informer.remove_event_handler(&self.registration);
    }
}

/// Enqueues machines that changed; those of the initial list and of resyncs with a low priority.
fn enqueue(queue: &PriorityQueue<ObjectKey>) -> HandlerFuncs<VirtualMachine> {
    let (added, updated, deleted) = (queue.clone(), queue.clone(), queue.clone());
    handler::funcs()
        .on_add(move |machine: &Arc<VirtualMachine>, is_in_initial_list| {
            added.add_with(ObjectKey::of(&**machine), as_news(!is_in_initial_list));
        })
        .on_update(move |old, new| {
            if is_worth_a_look(old, new) {
                let options = if is_resync(old, new) {
                    as_news(false).unchanged()
                } else {
                    as_news(true)
                };
                updated.add_with(ObjectKey::of(&**new), options);
            }
        })
        .on_delete(move |machine| deleted.add(machine.key()))
}

fn as_news(is_news: bool) -> AddOptions {
    AddOptions::default().priority(if is_news { 0 } else { LOW_PRIORITY })
}

fn is_resync(old: &VirtualMachine, new: &VirtualMachine) -> bool {
    old.metadata.resource_version == new.metadata.resource_version
}

/// Whether an update is more than this controller's own write of the status or the finalizer.
fn is_worth_a_look(old: &VirtualMachine, new: &VirtualMachine) -> bool {
    let has_finalizer = finalizer::contains(new, FINALIZER);
    let is_resync = is_resync(old, new);
    let (old, new) = (&old.metadata, &new.metadata);
    is_resync
        || old.uid != new.uid
        || old.generation != new.generation
        || old.deletion_timestamp != new.deletion_timestamp
        || (old.finalizers != new.finalizers && !has_finalizer)
}

/// What each worker needs to process keys.
#[derive(Clone)]
struct Worker {
    queue: PriorityQueue<ObjectKey>,
    turns: Turns,
    stop: CancellationToken,
}

impl Worker {
    /// Processes one key, unless it is another process's or the term ends in the meantime.
    async fn process(self, key: ObjectKey, priority: i32) {
        let Some(turn) = self.turns.of_key(&key) else {
            self.turns.reconciler.left(&key);
            return self.queue.forget(&key);
        };
        if turn
            .run(self.reconcile(&turn, &key, priority))
            .await
            .is_none()
        {
            self.queue.forget(&key);
        }
    }

    async fn reconcile(&self, turn: &Turn, key: &ObjectKey, priority: i32) {
        let retries = self.queue.num_requeues(key);
        let mut options = AddOptions::default().priority(priority);
        let must_stop = || self.stop.is_cancelled() || turn.is_called_back();
        match turn.cx.reconcile(key, retries, &must_stop).await {
            Ok(Next::Done) => return self.queue.forget(key),
            Ok(Next::After(delay)) => {
                self.queue.forget(key);
                options.after = delay;
            }
            Ok(Next::BackOff) => options.rate_limited = true,
            Err(error) => {
                let least = retry::retry_after(&error).unwrap_or_default();
                options = options.after(least).rate_limited();
                let (is_conflict, is_lost) = (error.is_conflict(), error.is_leadership_lost());
                let error = chain(&error);
                if is_conflict {
                    tracing::debug!(machine = %key, %error, "changed meanwhile");
                } else if is_lost {
                    tracing::debug!(machine = %key, %error, "left to the next leader");
                } else {
                    tracing::warn!(machine = %key, %error, retries, "trying again");
                }
            }
        }
        self.queue.add_with(key.clone(), options);
    }
}

#[cfg(test)]
mod tests {
    use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn an_own_status_wakes_nobody() {
        let mut old = VirtualMachine::default();
        old.metadata.generation = Some(1);
        old.metadata.resource_version = Some("1".to_owned());
        assert!(is_worth_a_look(&old, &old), "a resync");
        let mut new = old.clone();
        new.metadata.resource_version = Some("2".to_owned());
        new.status = Some(crate::apis::cloudnative::v1alpha1::VirtualMachineStatus::default());
        assert!(!is_worth_a_look(&old, &new));
        new.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
        assert!(!is_worth_a_look(&old, &new));
        assert!(
            is_worth_a_look(&new, &old),
            "another client removed the finalizer"
        );
        new.metadata.generation = Some(2);
        assert!(is_worth_a_look(&old, &new));
        new.metadata.generation = Some(1);
        new.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        assert!(is_worth_a_look(&old, &new));
    }
}
