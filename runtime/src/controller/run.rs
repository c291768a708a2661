//! Runs a controller.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Builder;
use super::gate::Gate;
use super::reconciler::ErasedReconciler;
use super::source::Source;
use super::worker::Worker;
use crate::informer::{InformerError, SharedInformerFactory};
use crate::leader::Leadership;
use crate::metrics::{ControllerMetrics, Metrics, WorkQueueMetrics};
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue, RateLimiter, WorkQueue};

/// Why a controller stopped without being asked to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer has already stopped.
    #[error("controller {controller:?}: the informer of {resource}: {source}")]
    Informer {
        /// The controller.
        controller: String,
        /// The informer's resource.
        resource: String,
        /// The informer's error.
        source: InformerError,
    },
    /// The controller is already running.
    #[error("controller {0:?} is already running")]
    Running(String),
    /// An informer was not started before the deadline for its first list; it may belong to another
    /// factory.
    #[error("controller {controller:?}: the informer of {resource} was never started")]
    NotStarted {
        /// The controller.
        controller: String,
        /// The informer's resource.
        resource: String,
    },
    /// The first list did not arrive in time, or the informer stopped first.
    #[error("controller {controller:?}: the cache of {resource} did not sync")]
    CacheSync {
        /// The controller.
        controller: String,
        /// The resource whose first list is missing.
        resource: String,
    },
    /// A worker panicked outside of the reconciler, in a rate limiter for example. The others have
    /// finished their reconciliations.
    #[error("controller {0:?}: a worker panicked")]
    Worker(String),
}

/// The settings of a builder, without its sources.
pub(super) struct Parts {
    pub(super) workers: usize,
    pub(super) limiter: Arc<dyn RateLimiter<ObjectKey>>,
    pub(super) reconcile_timeout: Option<Duration>,
    pub(super) sync_timeout: Duration,
    pub(super) metrics: Option<Metrics>,
    pub(super) needs_leader_election: bool,
    /// Lets in the keys of this process, if the controller is sharded.
    pub(super) gate: Option<Arc<Gate>>,
}

/// Wires informers, a queue, workers and a reconciler under one name.
///
/// It may run several times in succession (when it regains leadership, for example): each run
/// starts with every object in the caches. A concurrent second run is refused, so that no key is
/// reconciled concurrently with itself.
pub struct Controller {
    name: String,
    sources: Vec<Box<dyn Source>>,
    reconciler: Arc<dyn ErasedReconciler>,
    parts: Parts,
    /// The controller's series, which outlast its runs.
    series: OnceLock<(ControllerMetrics, Option<WorkQueueMetrics>)>,
    /// Set during a run.
    running: AtomicBool,
    /// Held by the workers of a run, which may outlive it: a worker that blocks its thread is
    /// dropped only when it yields.
    turn: Arc<Semaphore>,
}

/// The single run that a controller may have at a time.
struct Run<'a>(&'a AtomicBool);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Controller {
    /// Starts building a controller called `name` over the informers of `factory`.
    pub fn builder(name: impl Into<String>, factory: &SharedInformerFactory) -> Builder {
        Builder::new(name.into(), factory)
    }

    pub(super) fn new(
        name: String,
        sources: Vec<Box<dyn Source>>,
        reconciler: Arc<dyn ErasedReconciler>,
        parts: Parts,
    ) -> Self {
        Self {
            name,
            sources,
            reconciler,
            parts,
            series: OnceLock::new(),
            running: AtomicBool::new(false),
            turn: Arc::new(Semaphore::new(1)),
        }
    }

    /// Returns the controller's name: the label of its metrics, and the name to select it by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a manager runs it only on the leader; see [`Builder::needs_leader_election`].
    pub fn needs_leader_election(&self) -> bool {
        self.parts.needs_leader_election
    }

    /// Puts the name of the cluster that it works on in front of its own.
    pub(crate) fn set_cluster(&mut self, cluster: &str) {
        self.name = format!("{cluster}/{}", self.name);
    }

    /// Reports to `metrics`, unless the builder specified other metrics.
    pub(crate) fn set_default_metrics(&mut self, metrics: &Metrics) {
        self.parts.metrics.get_or_insert_with(|| metrics.clone());
    }

    /// Waits for the caches, then reconciles until `stop` is cancelled.
    ///
    /// Then hands out no more keys, finishes the reconciliations in progress and returns. With
    /// `leadership`, lost leadership drops the workers and ends the call. Dropping the future drops
    /// the workers.
    ///
    /// The caller or the manager must start the factory, and also informers of other factories.
    ///
    /// If a run was dropped, the next one begins when its workers are gone.
    ///
    /// # Errors
    ///
    /// The controller is already running, an informer has stopped, or a first list does not arrive
    /// in time.
    pub async fn run(
        &self,
        stop: &CancellationToken,
        leadership: Option<&Leadership>,
    ) -> Result<(), ControllerError> {
        if self.running.swap(true, Ordering::AcqRel) {
            return Err(ControllerError::Running(self.name.clone()));
        }
        let _run = Run(&self.running);
        let Some(turn) = stop.run_until_cancelled(self.turn()).await.flatten() else {
            return Ok(());
        };
        let mut queue = WorkQueue::builder()
            .name(&self.name)
            .rate_limiter(Arc::clone(&self.parts.limiter));
        if let Some(metrics) = &self.parts.metrics {
            queue = queue.metrics(metrics);
        }
        let queue = Queue(queue.build_priority());
        let metrics = self.metrics();
        let mut handlers = Vec::new();
        for source in &self.sources {
            handlers.push(source.start(&queue.0, &metrics).map_err(|error| {
                ControllerError::Informer {
                    controller: self.name.clone(),
                    resource: source.resource(),
                    source: error,
                }
            })?);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            synced = self.wait_for_caches() => synced?,
        }
        tracing::info!(
            controller = self.name,
            workers = self.parts.workers,
            "starting workers"
        );
        let work = self.work(&queue.0, stop, leadership, turn);
        let Some(gate) = &self.parts.gate else {
            return work.await;
        };
        let low = AddOptions::default().priority(LOW_PRIORITY);
        tokio::select! {
            biased;
            result = work => result,
            () = gate.follow(&self.sources, |key| queue.0.add_with(key, low)) => Ok(()),
        }
    }

    /// Waits until the workers of an earlier run are gone.
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() {
            return Some(turn);
        }
        tracing::warn!(
            controller = self.name,
            "waiting for workers of the previous run, which block their threads"
        );
        // The semaphore is never closed.
        Arc::clone(&self.turn).acquire_owned().await.ok()
    }

    fn metrics(&self) -> ControllerMetrics {
        let (metrics, _) = self.series.get_or_init(|| {
            let own = self.parts.metrics.as_ref();
            let queue = own.map(|metrics| metrics.workqueue(&self.name));
            let metrics = own.cloned().unwrap_or_default();
            (metrics.controller(&self.name), queue)
        });
        metrics.clone()
    }

    /// Runs the informers that do not run elsewhere, until `stop` is cancelled.
    pub(crate) async fn run_caches(&self, stop: &CancellationToken) {
        let unclaimed = self
            .sources
            .iter()
            .filter_map(|source| source.run_unclaimed(stop));
        futures::future::join_all(unclaimed).await;
    }

    /// Waits for the first lists, up to the cache sync timeout.
    pub(crate) async fn wait_for_caches(&self) -> Result<(), ControllerError> {
        match timeout(self.parts.sync_timeout, self.wait_for_sync()).await {
            Ok(result) => result,
            Err(_) => Err(self.not_synced()),
        }
    }

    async fn wait_for_sync(&self) -> Result<(), ControllerError> {
        for source in &self.sources {
            if !source.wait_for_sync().await {
                return Err(self.sync_error(source.resource()));
            }
        }
        Ok(())
    }

    fn not_synced(&self) -> ControllerError {
        if let Some(idle) = self.sources.iter().find(|source| !source.is_started()) {
            return ControllerError::NotStarted {
                controller: self.name.clone(),
                resource: idle.resource(),
            };
        }
        let missing = self
            .sources
            .iter()
            .filter(|source| !source.has_synced())
            .map(|source| source.resource());
        self.sync_error(missing.collect::<Vec<_>>().join(", "))
    }

    fn sync_error(&self, resource: String) -> ControllerError {
        ControllerError::CacheSync {
            controller: self.name.clone(),
            resource,
        }
    }

    async fn work(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        stop: &CancellationToken,
        leadership: Option<&Leadership>,
        turn: OwnedSemaphorePermit,
    ) -> Result<(), ControllerError> {
        let (metrics, turn) = (self.metrics(), Arc::new(turn));
        metrics.set_max_concurrent(self.parts.workers);
        let (mut workers, stop) = (JoinSet::new(), stop.child_token());
        for _ in 0..self.parts.workers {
            let worker = Worker {
                controller: self.name.clone(),
                queue: queue.clone(),
                reconciler: Arc::clone(&self.reconciler),
                timeout: self.parts.reconcile_timeout,
                metrics: metrics.clone(),
                leadership: leadership.cloned(),
                gate: self.parts.gate.clone(),
            };
            let (stop, turn) = (stop.clone(), Arc::clone(&turn));
            let work = async move {
                worker.run(&stop).await;
                drop(turn);
            };
            match leadership {
                Some(leadership) => {
                    let fenced = leadership.fence(work);
                    workers.spawn(async move {
                        let _ = fenced.await;
                    });
                }
                None => {
                    workers.spawn(work);
                }
            }
        }
        let mut result = Ok(());
        while let Some(ended) = workers.join_next().await {
            if ended.is_err() {
                // A controller with fewer workers would go on unnoticed.
                stop.cancel();
                result = Err(ControllerError::Worker(self.name.clone()));
            }
        }
        tracing::info!(controller = self.name, "all workers finished");
        result
    }
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The queue of one run: shut down when the run is over.
struct Queue(PriorityQueue<ObjectKey>);

impl Drop for Queue {
    fn drop(&mut self) {
        self.0.shut_down();
    }
}
