//! The controllers of each cluster.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::Client;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::engaged::Engaged;
use super::{Access, ClusterMap, ClusterSource};
use crate::connect::ClientOptions;
use crate::controller::Controller;
use crate::error::chain;
use crate::event::{EventBroadcaster, EventOptions, EventRecorder, Reporter};
use crate::informer::{SharedInformerFactory, WeakFactory};
use crate::leader::Leadership;
use crate::manager::caches::Caches;
use crate::manager::runnable::{AnyRunnable, RunContext, Runnable};
use crate::manager::work::work;
use crate::metrics::Metrics;
use crate::reflector::Backoff;
use crate::tasks::{Progress, Task};

type BoxError = Box<dyn Error + Send + Sync>;

/// Builds the controllers of a cluster.
type Engage = dyn Fn(&Cluster) -> Result<Vec<Controller>, BoxError> + Send + Sync;

/// A cluster that controllers are built for.
#[derive(Debug)]
pub struct Cluster {
    name: String,
    factory: SharedInformerFactory,
    events: EventBroadcaster,
}

impl Cluster {
    /// Returns the name, as the source has it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the client of the cluster.
    pub fn client(&self) -> &Client {
        self.factory.client()
    }

    /// Returns the factory of the cluster's informers, which run as long as its controllers.
    pub fn factory(&self) -> &SharedInformerFactory {
        &self.factory
    }

    /// Returns a recorder of events, which are written into the cluster.
    pub fn recorder(&self, reporter: Reporter) -> EventRecorder {
        self.events.recorder(reporter)
    }
}

/// Runs controllers for each cluster of a source; see the [module](super).
pub struct Clusters<S> {
    name: String,
    source: S,
    needs_leader_election: bool,
    each: Each,
}

impl<S: ClusterSource> Clusters<S> {
    /// Builds controllers for each cluster of `source` with `engage`, which is called again if they
    /// end with an error.
    pub fn new(
        name: impl Into<String>,
        source: S,
        engage: impl Fn(&Cluster) -> Result<Vec<Controller>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            source,
            needs_leader_election: true,
            each: Each {
                engage: Arc::new(engage),
                options: ClientOptions::new(),
                graceful_timeout: Duration::from_secs(30),
                metrics: None,
                states: States::default(),
            },
        }
    }

    /// Sets the options of the clients that are made from kubeconfigs.
    pub fn client_options(mut self, options: ClientOptions) -> Self {
        self.each.options = options;
        self
    }

    /// Sets how long the reconciliations of a cluster may take to stop, before they are dropped;
    /// defaults to 30 s.
    pub fn graceful_timeout(mut self, timeout: Duration) -> Self {
        self.each.graceful_timeout = timeout;
        self
    }

    /// Sets whether only the leader runs the controllers, as for
    /// [one controller](crate::controller::Builder::needs_leader_election); on by default.
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.needs_leader_election = needs;
        self
    }

    /// Reports to `metrics`, in place of the manager's.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.each.metrics = Some(metrics.clone());
        self
    }

    pub(in crate::manager) fn set_default_metrics(&mut self, metrics: &Metrics) {
        self.each.metrics.get_or_insert_with(|| metrics.clone());
    }

    /// Returns a check that fails while any cluster has been failing for long.
    pub(in crate::manager) fn check(&self) -> impl Fn() -> Result<(), String> + use<S> {
        let states = self.each.states.clone();
        move || states.check()
    }
}

impl<S: ClusterSource> Runnable for Clusters<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs_leader_election(&self) -> bool {
        self.needs_leader_election
    }

    async fn run(&self, context: RunContext) -> Result<(), BoxError> {
        let (sender, mut wanted) = watch::channel(ClusterMap::new());
        let mut source = pin!(self.source.run(sender, context.stop.clone()).fuse());
        let mut engaged = Engaged::new(&context.stop, |name, access, stop| {
            let (each, leadership) = (self.each.clone(), context.leadership.clone());
            async move { each.tend(&name, &access, &stop, leadership).await }
        });
        let mut is_known = false;
        let result = loop {
            tokio::select! {
                biased;
                () = context.stop.cancelled() => break Ok(()),
                Ok(()) = wanted.changed() => engaged.want(wanted.borrow_and_update().clone()),
                ended = &mut source, if !is_known => match ended {
                    Ok(()) => is_known = true,
                    Err(error) => break Err(error),
                },
                () = engaged.adjust() => {}
            }
        };
        engaged.stop().await;
        result
    }
}

impl<S> fmt::Debug for Clusters<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clusters")
            .field("name", &self.name)
            .field("states", &self.each.states)
            .finish_non_exhaustive()
    }
}

/// What is done for each cluster.
#[derive(Clone)]
struct Each {
    engage: Arc<Engage>,
    options: ClientOptions,
    graceful_timeout: Duration,
    metrics: Option<Metrics>,
    states: States,
}

impl Each {
    /// Runs the controllers of one cluster until `stop` is cancelled, and again when they fail.
    async fn tend(
        &self,
        name: &str,
        access: &Access,
        stop: &CancellationToken,
        leadership: Option<Leadership>,
    ) {
        let metrics = self.metrics.clone().unwrap_or_default();
        let progress = self.states.begin(name, &metrics);
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second, second * 60, second * 120, 2.0, 0.5);
        tracing::info!(cluster = name, "the cluster is engaged");
        while !stop.is_cancelled() {
            let once = self.once(name, access, stop, leadership.clone(), &metrics);
            let error = match AssertUnwindSafe(once).catch_unwind().await {
                Ok(Ok(())) => break,
                Ok(Err(error)) => chain(&*error).to_string(),
                Err(_) => "a panic".to_owned(),
            };
            progress.failed(error);
            stop.run_until_cancelled(sleep(backoff.step())).await;
        }
        self.states.end(name);
        tracing::info!(cluster = name, "the cluster is disengaged");
    }

    async fn once(
        &self,
        name: &str,
        access: &Access,
        stop: &CancellationToken,
        leadership: Option<Leadership>,
        metrics: &Metrics,
    ) -> Result<(), BoxError> {
        let Some(client) = stop
            .run_until_cancelled(access.connect(&self.options))
            .await
        else {
            return Ok(());
        };
        let client = client?;
        let options = EventOptions::default().metrics(metrics);
        let cluster = Cluster {
            name: name.to_owned(),
            events: EventBroadcaster::with_options(client.clone(), options),
            factory: SharedInformerFactory::builder(client).name(name).build(),
        };
        let controllers = (self.engage)(&cluster)?;
        let Cluster {
            factory, events, ..
        } = cluster;
        factory.register_metrics(metrics);
        self.states.watch(name, factory.downgrade());
        let runnables: Vec<AnyRunnable> = controllers
            .into_iter()
            .map(|mut controller| {
                controller.set_cluster(name);
                controller.set_default_metrics(metrics);
                AnyRunnable::new(controller)
            })
            .collect();
        let (stop_events, mut writing) = (CancellationToken::new(), JoinSet::new());
        let _guard = stop_events.clone().drop_guard();
        let stopped = stop_events.clone();
        writing.spawn(async move { events.run(&stopped).await });
        let caches = Caches::start(factory, runnables.clone());
        let result = match stop.run_until_cancelled(caches.wait()).await {
            None => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(())) => {
                self.states.works(name);
                work(runnables, stop, self.graceful_timeout, leadership).await
            }
        };
        caches.stop().await;
        stop_events.cancel();
        writing.join_next().await;
        Ok(result?)
    }
}

/// How the clusters are. Clones share it.
#[derive(Clone, Debug, Default)]
struct States(Arc<Mutex<BTreeMap<String, State>>>);

#[derive(Debug)]
struct State {
    progress: Progress,
    factory: Option<WeakFactory>,
}

impl States {
    fn begin(&self, name: &str, metrics: &Metrics) -> Progress {
        let progress = Progress::new(Task::Cluster, name);
        progress.report_to(metrics);
        let state = State {
            progress: progress.clone(),
            factory: None,
        };
        self.0.lock().insert(name.to_owned(), state);
        progress
    }

    fn watch(&self, name: &str, factory: WeakFactory) {
        if let Some(state) = self.0.lock().get_mut(name) {
            state.factory = Some(factory);
        }
    }

    fn works(&self, name: &str) {
        if let Some(state) = self.0.lock().get(name) {
            state.progress.works();
        }
    }

    fn end(&self, name: &str) {
        self.0.lock().remove(name);
    }

    fn check(&self) -> Result<(), String> {
        let states = self.0.lock();
        let failing: Vec<String> = states
            .iter()
            .filter_map(|(name, state)| {
                let error = state.check().err()?;
                Some(format!("{name}: {error}"))
            })
            .collect();
        match failing.is_empty() {
            true => Ok(()),
            false => Err(failing.join("; ")),
        }
    }
}

impl State {
    fn check(&self) -> Result<(), String> {
        self.progress.check()?;
        let factory = self.factory.as_ref().and_then(WeakFactory::upgrade);
        factory.map_or(Ok(()), |factory| factory.check())
    }
}
