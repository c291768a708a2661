//! Builds a manager from controllers, runnables and settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
#[cfg(feature = "endpoints")]
use tokio::net::TcpListener;

#[cfg(feature = "secure-metrics")]
use super::SecureMetrics;
use super::clusters::{ClusterSource, Clusters};
use super::health::Checks;
use super::work::OnStuckWork;
use super::{AnyRunnable, Runnable, Selection, UnknownController};
#[cfg(feature = "endpoints")]
use super::{Endpoints, serve::Site};
use crate::controller::Controller;
use crate::event::EventBroadcaster;
use crate::informer::SharedInformerFactory;
use crate::leader::{LeaderElectionConfig, LeaderElectionConfigError, LeaderElector};
use crate::metrics::Metrics;
use crate::shard::Shards;
use crate::tasks::Task;
#[cfg(feature = "webhooks")]
use crate::webhook::{SHUTDOWN_DELAY, WebhookServer};

/// The default graceful timeout: controller-runtime's.
const GRACEFUL_TIMEOUT: Duration = Duration::from_secs(30);

/// How far a leader may exceed its lease duration before the health check fails:
/// controller-runtime's.
const LEASE_TOLERANCE: Duration = Duration::from_secs(20);

/// Collects what a manager runs; see [`Manager::builder`].
#[must_use]
pub struct ManagerBuilder {
    factory: SharedInformerFactory,
    runnables: Vec<(AnyRunnable, bool)>,
    selection: Selection,
    election: Option<(Client, LeaderElectionConfig)>,
    events: Option<EventBroadcaster>,
    shards: Vec<Shards>,
    metrics: Metrics,
    #[cfg(feature = "endpoints")]
    listeners: Vec<(TcpListener, Serves)>,
    #[cfg(feature = "webhooks")]
    webhooks: Option<WebhookServer>,
    graceful_timeout: Duration,
    on_stuck_work: OnStuckWork,
    health: Checks,
    ready: Checks,
}

#[cfg(feature = "endpoints")]
enum Serves {
    #[cfg(feature = "prometheus")]
    Metrics,
    #[cfg(feature = "secure-metrics")]
    SecureMetrics(SecureMetrics),
    Health,
}

/// Controllers, informers, election and endpoints that start and stop together. See
/// [`run`](Self::run).
pub struct Manager {
    pub(super) factory: SharedInformerFactory,
    pub(super) leaders: Vec<AnyRunnable>,
    pub(super) others: Vec<AnyRunnable>,
    pub(super) elector: Option<LeaderElector>,
    pub(super) events: Option<EventBroadcaster>,
    #[cfg(feature = "endpoints")]
    pub(super) listeners: Vec<(TcpListener, Site)>,
    #[cfg(feature = "webhooks")]
    pub(super) webhooks: Option<WebhookServer>,
    pub(super) graceful_timeout: Duration,
    pub(super) on_stuck_work: OnStuckWork,
    pub(super) ready: Checks,
    #[cfg(feature = "endpoints")]
    endpoints: Endpoints,
}

/// Why a manager could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerBuildError {
    /// The election's configuration is invalid.
    #[error("leader election: {0}")]
    Election(#[from] LeaderElectionConfigError),
    /// The selection names an unknown controller.
    #[error(transparent)]
    Selection(#[from] UnknownController),
    /// Two runnables have the same name.
    #[error("duplicate controller name {0:?}")]
    SameName(String),
}

impl Manager {
    /// Starts building a manager over the informers of `factory`, which the manager starts and
    /// stops.
    pub fn builder(factory: &SharedInformerFactory) -> ManagerBuilder {
        ManagerBuilder {
            factory: factory.clone(),
            runnables: Vec::new(),
            selection: Selection::default(),
            election: None,
            events: None,
            shards: Vec::new(),
            metrics: Metrics::new(),
            #[cfg(feature = "endpoints")]
            listeners: Vec::new(),
            #[cfg(feature = "webhooks")]
            webhooks: None,
            graceful_timeout: GRACEFUL_TIMEOUT,
            on_stuck_work: OnStuckWork::default(),
            health: Checks::default(),
            ready: Checks::default(),
        }
    }

    /// Returns the endpoints' responses, to serve them from another server.
    #[cfg(feature = "endpoints")]
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// Returns the elector, if there is an election.
    pub fn elector(&self) -> Option<&LeaderElector> {
        self.elector.as_ref()
    }
}

impl ManagerBuilder {
    /// Runs `controller` if it is selected. It reports to the manager's metrics unless it has its
    /// own.
    pub fn controller(mut self, mut controller: Controller) -> Self {
        controller.set_default_metrics(&self.metrics);
        self.runnables.push((AnyRunnable::new(controller), true));
        self
    }

    /// Runs `runnable` if it is selected.
    pub fn runnable(mut self, runnable: impl Runnable) -> Self {
        self.runnables.push((AnyRunnable::new(runnable), true));
        self
    }

    /// Runs controllers for each cluster of a source. `/readyz` tells which clusters fail.
    pub fn clusters<S: ClusterSource>(self, mut clusters: Clusters<S>) -> Self {
        clusters.set_default_metrics(&self.metrics);
        self.ready
            .add_check_of(Task::Cluster, Arc::new(clusters.check()));
        self.runnable(clusters)
    }

    /// Like [`runnable`](Self::runnable), but `*` does not select it.
    pub fn off_by_default(mut self, runnable: impl Runnable) -> Self {
        self.runnables.push((AnyRunnable::new(runnable), false));
        self
    }

    /// Selects the controllers and runnables to run; defaults to all.
    pub fn select(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Enables leader election for the controllers and runnables that need it. The election's stop
    /// timeout is set to the graceful timeout.
    pub fn leader_election(mut self, client: Client, config: LeaderElectionConfig) -> Self {
        self.election = Some((client, config));
        self
    }

    /// Writes the events of `broadcaster`'s recorders: starts before all work, and stops after it.
    pub fn events(mut self, broadcaster: EventBroadcaster) -> Self {
        broadcaster.progress().report_to(&self.metrics);
        self.ready.add_task(broadcaster.progress());
        self.events = Some(broadcaster);
        self
    }

    /// Makes this process a member of the group that
    /// [sharded controllers](crate::controller::Builder::sharded) belong to, from the start until
    /// they have stopped. `/readyz` checks `shards`, and the health endpoints serve
    /// `/debug/shards`.
    pub fn shards(mut self, shards: &Shards) -> Self {
        shards.report_to(&self.metrics);
        self.ready.add_task(shards.progress());
        self.shards.push(shards.clone());
        self
    }

    /// Reports controllers, election and the factory's informers to `metrics` instead of the
    /// manager's own set. Must be called before adding controllers.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = metrics.clone();
        self
    }

    /// Serves `/metrics` on `listener`, over HTTP, to everyone who reaches it.
    #[cfg(all(feature = "endpoints", feature = "prometheus"))]
    pub fn serve_metrics(mut self, listener: TcpListener) -> Self {
        self.listeners.push((listener, Serves::Metrics));
        self
    }

    /// Serves `/metrics` on `listener`, over HTTPS, to clients whose bearer token belongs to a user
    /// that may `get` the path `/metrics`. Answers of the API server are remembered: a minute if a
    /// client is allowed, else ten seconds.
    #[cfg(feature = "secure-metrics")]
    pub fn serve_secure_metrics(mut self, listener: TcpListener, secure: SecureMetrics) -> Self {
        for progress in secure.progress() {
            progress.report_to(&self.metrics);
            self.ready.add_task(progress);
        }
        let serves = Serves::SecureMetrics(secure);
        self.listeners.push((listener, serves));
        self
    }

    /// Serves `/healthz`, `/livez` and `/readyz` on `listener`.
    #[cfg(feature = "endpoints")]
    pub fn serve_health(mut self, listener: TcpListener) -> Self {
        self.listeners.push((listener, Serves::Health));
        self
    }

    /// Serves webhooks, on every replica and from the start: caches of kinds with a conversion
    /// webhook cannot be filled without it. `/readyz` checks that the server runs. With conversion
    /// webhooks, `/readyz` does not wait for the caches, since the API server calls ready pods
    /// only.
    ///
    /// At a shutdown, `/readyz` fails first; the server goes on for its
    /// [delay](WebhookServer::shutdown_delay), 10 s by default, and until all work has stopped.
    #[cfg(feature = "webhooks")]
    pub fn webhooks(mut self, mut server: WebhookServer) -> Self {
        server.set_default_metrics(&self.metrics);
        server.set_default_shutdown_delay(SHUTDOWN_DELAY);
        self.ready.add("webhooks", Arc::new(server.check()));
        for progress in server.progress() {
            progress.report_to(&self.metrics);
            self.ready.add_task(progress);
        }
        self.webhooks = Some(server);
        self
    }

    /// Sets how long all work together may take to stop; defaults to 30 s.
    pub fn graceful_timeout(mut self, timeout: Duration) -> Self {
        self.graceful_timeout = timeout;
        self
    }

    /// Sets how to handle leader work that cannot be stopped; by default the Lease expires.
    pub fn on_stuck_work(mut self, on_stuck_work: OnStuckWork) -> Self {
        self.on_stuck_work = on_stuck_work;
        self
    }

    /// Adds a check to `/healthz`: a process that fails it should be restarted.
    pub fn healthz(
        self,
        name: &str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.health.add(name, Arc::new(check));
        self
    }

    /// Adds a check to `/readyz`.
    pub fn readyz(
        self,
        name: &str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.ready.add(name, Arc::new(check));
        self
    }

    /// Builds the manager. It sends no requests before it runs.
    ///
    /// # Errors
    ///
    /// The election's configuration is invalid, the selection names an unknown controller, or two
    /// controllers have the same name.
    pub fn build(mut self) -> Result<Manager, ManagerBuildError> {
        self.check_names()?;
        let elector = self.elector()?;
        self.factory.register_metrics(&self.metrics);
        let factory = self.factory.downgrade();
        let check = move || factory.upgrade().map_or(Ok(()), |factory| factory.check());
        self.ready.add_check_of(Task::Informer, Arc::new(check));
        let selection = self.selection;
        let enabled = self
            .runnables
            .into_iter()
            .filter(|(runnable, on)| selection.is_enabled(runnable.name(), *on));
        let (leaders, mut others): (Vec<_>, Vec<_>) = enabled
            .map(|(runnable, _)| runnable)
            .partition(|it| it.needs_leader_election());
        others.extend(self.shards.iter().cloned().map(AnyRunnable::new));
        #[cfg(feature = "endpoints")]
        let endpoints = Endpoints {
            health: Some((self.health, self.ready.clone())),
            metrics: Some(self.metrics.clone()),
            shards: self.shards,
        };
        #[cfg(feature = "endpoints")]
        let site = |serves| serves_what(&endpoints, serves);
        #[cfg(feature = "endpoints")]
        let listeners = self
            .listeners
            .into_iter()
            .map(|(listener, serves)| (listener, site(serves)))
            .collect();
        let (factory, graceful_timeout, ready) = (self.factory, self.graceful_timeout, self.ready);
        Ok(Manager {
            factory,
            leaders,
            others,
            elector,
            events: self.events,
            #[cfg(feature = "endpoints")]
            listeners,
            #[cfg(feature = "webhooks")]
            webhooks: self.webhooks,
            graceful_timeout,
            on_stuck_work: self.on_stuck_work,
            ready,
            #[cfg(feature = "endpoints")]
            endpoints,
        })
    }

    /// Checks that the controllers' names are distinct, and include those that the selection names.
    fn check_names(&self) -> Result<(), ManagerBuildError> {
        let runnables = self.runnables.iter();
        let names: Vec<&str> = runnables.map(|(runnable, _)| runnable.name()).collect();
        let mut numbered = names.iter().enumerate();
        if let Some((_, twice)) = numbered.find(|(n, name)| names[..*n].contains(name)) {
            return Err(ManagerBuildError::SameName((*twice).to_owned()));
        }
        Ok(self.selection.check(names)?)
    }

    /// Builds the elector and its health check.
    fn elector(&mut self) -> Result<Option<LeaderElector>, LeaderElectionConfigError> {
        let Some((client, mut config)) = self.election.take() else {
            return Ok(None);
        };
        config.stop_timeout = self.graceful_timeout;
        config.metrics.get_or_insert_with(|| self.metrics.clone());
        let elector = LeaderElector::new(client, config)?;
        let checked = elector.clone();
        let check = move || {
            checked
                .check(LEASE_TOLERANCE)
                .map_err(|error| error.to_string())
        };
        self.health.add("leaderElection", Arc::new(check));
        self.ready.add_task(elector.progress());
        let checked = elector.clone();
        let check = move || checked.check_identity().map_err(|error| error.to_string());
        self.ready.add("leaderIdentity", Arc::new(check));
        Ok(Some(elector))
    }
}

/// The part of the endpoints that a listener serves.
#[cfg(feature = "endpoints")]
fn serves_what(all: &Endpoints, serves: Serves) -> Site {
    let site = |endpoints| Site {
        endpoints,
        #[cfg(feature = "secure-metrics")]
        secure: None,
    };
    #[cfg(feature = "prometheus")]
    let metrics = || Endpoints {
        health: None,
        shards: Vec::new(),
        ..all.clone()
    };
    match serves {
        #[cfg(feature = "prometheus")]
        Serves::Metrics => site(metrics()),
        #[cfg(feature = "secure-metrics")]
        Serves::SecureMetrics(secure) => Site {
            secure: Some(secure),
            ..site(metrics())
        },
        Serves::Health => site(Endpoints {
            metrics: None,
            ..all.clone()
        }),
    }
}

impl fmt::Debug for ManagerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerBuilder")
            .field("runnables", &self.runnables.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |list: &[AnyRunnable]| {
            list.iter()
                .map(|it| it.name().to_owned())
                .collect::<Vec<_>>()
        };
        let mut debug = f.debug_struct("Manager");
        debug
            .field("leaders", &names(&self.leaders))
            .field("others", &names(&self.others))
            .finish_non_exhaustive()
    }
}
