//! Metrics in the Prometheus text format, under the names that client-go and controller-runtime
//! use.
//!
//! Dashboards and alerts written for Go controllers work unchanged. One [`Metrics`] serves a
//! process: queues, controllers and electors receive a clone, and the manager serves
//! [`Metrics::encode`] at `/metrics`. Gauges that describe the current state (depth, unfinished
//! work) are computed at each scrape.
//!
//! Queues, controllers, electors, clients and factories are held weakly: their series are gone when
//! they are.
//!
//! Without the feature `prometheus`, all APIs still accept a [`Metrics`], but nothing is counted.
//!
//! ```
//! # use codegen_runtime::{metrics::Metrics, workqueue::WorkQueue};
//! let metrics = Metrics::new();
//! let queue = WorkQueue::builder().name("machines").metrics(&metrics).build();
//! queue.add("default/test-vm");
//! # #[cfg(feature = "prometheus")]
//! assert!(metrics.encode()?.contains("workqueue_adds_total"));
//! # Ok::<_, std::fmt::Error>(())
//! ```

#![cfg_attr(
    not(feature = "prometheus"),
    allow(dead_code, reason = "labels and help are read by the encoder alone")
)]

#[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
mod certificate;
mod controller;
pub mod custom;
mod events;
mod leader;
mod migration;
pub mod monitor;
mod owned;
#[cfg(feature = "prometheus")]
mod process;
mod rest_client;
mod series;
mod shards;
pub(crate) mod table;
mod tasks;
#[cfg(feature = "webhooks")]
mod webhook;
mod workqueue;

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
#[cfg(feature = "prometheus")]
use std::any::Any;

#[cfg(feature = "prometheus")]
use prometheus_client::collector::Collector;
#[cfg(feature = "prometheus")]
use prometheus_client::encoding::text;

#[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
pub(crate) use self::certificate::CertificateMetrics;
pub use self::controller::{ControllerMetrics, ReconcileResult};
pub use self::events::EventMetrics;
pub(crate) use self::events::EventOutcome;
pub use self::leader::LeaderMetrics;
pub(crate) use self::migration::MigrationMetrics;
pub(crate) use self::rest_client::{RestCall, RestClientMetrics};
pub(crate) use self::series::{Histogram, exponential_buckets};
pub use self::series::{Metric, Registry};
pub(crate) use self::shards::ShardMetrics;
pub use self::table::{GROUPS, MetricGroup, MetricInfo, MetricKind};
pub(crate) use self::tasks::TaskMetrics;
#[cfg(feature = "webhooks")]
pub(crate) use self::webhook::WebhookMetrics;
pub(crate) use self::workqueue::QueueProbe;
pub use self::workqueue::WorkQueueMetrics;

/// The media type of [`Metrics::encode`], for the `Content-Type` header.
#[cfg(feature = "prometheus")]
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of one process. Clones share all series.
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Mutex<Registry>,
    /// The registered collectors of which there is one per type.
    #[cfg(feature = "prometheus")]
    collectors: Mutex<Vec<Box<dyn Any + Send + Sync>>>,
    workqueues: workqueue::Families,
    controllers: controller::Families,
    leaders: leader::Families,
    shards: shards::Families,
    migrations: migration::Families,
    events: EventMetrics,
    rest_clients: rest_client::Hosts,
    tasks: tasks::Families,
    #[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
    certificates: certificate::Families,
    #[cfg(feature = "webhooks")]
    webhooks: WebhookMetrics,
}

impl Metrics {
    /// Creates a set in which all families of this module are registered and empty.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let workqueues = workqueue::Families::register(&mut registry);
        let controllers = controller::Families::register(&mut registry);
        let leaders = leader::Families::register(&mut registry);
        let shards = shards::Families::register(&mut registry);
        let migrations = migration::Families::register(&mut registry);
        let events = EventMetrics::register(&mut registry);
        let rest_clients = rest_client::Hosts::register(&mut registry);
        let tasks = tasks::Families::register(&mut registry);
        #[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
        let certificates = certificate::Families::register(&mut registry);
        #[cfg(feature = "webhooks")]
        let webhooks = WebhookMetrics::register(&mut registry);
        #[cfg(feature = "prometheus")]
        registry.register_collector(Box::new(process::Process));
        let registry = Mutex::new(registry);
        Self {
            inner: Arc::new(Inner {
                registry,
                #[cfg(feature = "prometheus")]
                collectors: Mutex::default(),
                workqueues,
                controllers,
                leaders,
                shards,
                migrations,
                events,
                rest_clients,
                tasks,
                #[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
                certificates,
                #[cfg(feature = "webhooks")]
                webhooks,
            }),
        }
    }

    /// Encodes all metrics in the OpenMetrics text format, which Prometheus reads.
    ///
    /// # Errors
    ///
    /// One of the caller's own collectors fails to encode.
    #[cfg(feature = "prometheus")]
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        let registry = self.inner.registry.lock();
        text::encode(&mut text, &registry)?;
        Ok(text)
    }

    /// Returns the collector of type `C`, which is created and registered at the first call. Its
    /// clones must share their state.
    #[cfg(feature = "prometheus")]
    pub(crate) fn collector<C>(&self) -> C
    where
        C: Collector + Clone + Default,
    {
        let mut collectors = self.inner.collectors.lock();
        if let Some(known) = collectors.iter().find_map(|it| it.downcast_ref::<C>()) {
            return known.clone();
        }
        let collector = C::default();
        collectors.push(Box::new(collector.clone()));
        self.register(|registry| registry.register_collector(Box::new(collector.clone())));
        collector
    }

    /// Registers the caller's own metrics.
    #[cfg(feature = "prometheus")]
    pub fn register(&self, register: impl FnOnce(&mut Registry)) {
        register(&mut self.inner.registry.lock());
    }

    /// Returns the `workqueue_*` series of the queue called `name`. Queues with the same name share
    /// their series.
    pub fn workqueue(&self, name: &str) -> WorkQueueMetrics {
        self.inner.workqueues.of(name)
    }

    /// Returns the `controller_runtime_*` series of the controller called `name`.
    pub fn controller(&self, name: &str) -> ControllerMetrics {
        self.inner.controllers.of(name)
    }

    /// Returns the `leader_election_*` series of the lease called `name`.
    pub fn leader(&self, name: &str) -> LeaderMetrics {
        self.inner.leaders.of(name)
    }

    /// Returns the `shard_group_*` series of the group called `name`.
    pub(crate) fn shards(&self, name: &str) -> ShardMetrics {
        self.inner.shards.of(name)
    }

    /// Returns the `storage_migration_*` series of a CustomResourceDefinition.
    pub(crate) fn storage_migration(&self, crd: &str) -> MigrationMetrics {
        self.inner.migrations.of(crd)
    }

    /// Returns the `rest_client_*` series of clients of `host`.
    pub(crate) fn rest_client(&self, host: &str) -> RestClientMetrics {
        self.inner.rest_clients.of(host)
    }

    /// Returns the `background_task_*` series of the task on `name`.
    pub(crate) fn task(&self, task: &str, name: &str) -> TaskMetrics {
        self.inner.tasks.of(task, name)
    }

    /// Returns the `certificate_*` series of the certificate called `name` that the task renews.
    #[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
    pub(crate) fn certificate(&self, task: &str, name: &str) -> CertificateMetrics {
        self.inner.certificates.of(task, name)
    }

    /// Returns the `controller_runtime_webhook_*` series.
    #[cfg(feature = "webhooks")]
    pub(crate) fn webhooks(&self) -> WebhookMetrics {
        self.inner.webhooks.clone()
    }

    /// Returns the counters of the events recorded in this process.
    pub fn events(&self) -> EventMetrics {
        self.inner.events.clone()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
