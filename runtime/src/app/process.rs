//! The client, factory and settings that a program builds its controllers with.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use kube::Client;
use tokio::net::TcpListener;

#[cfg(feature = "webhooks")]
use super::WebhookFlags;
use super::{AppError, Flags, ShardBy, ShardFlags};
use crate::event::{EventBroadcaster, EventOptions, EventRecorder, Reporter};
use crate::informer::{FactoryBuilder, SharedInformerFactory};
use crate::manager::{
    Certificates as MetricsCertificates, Manager, ManagerBuilder, OnStuckWork, SecureMetrics,
};
use crate::metrics::Metrics;
use crate::shard::{Sharding, Shards, ShardsConfig};
use crate::storage_version::StorageMigration;
#[cfg(feature = "webhooks")]
use crate::webhook::{Certificates, WebhookServer, Webhooks};

/// The running program: client, metrics, events and the common flags.
pub struct Process {
    client: Client,
    flags: Arc<Flags>,
    reporter: String,
    identity: String,
    metrics: Metrics,
    events: EventBroadcaster,
    listeners: Listeners,
    sharding: Option<Sharding>,
    migrated: Vec<String>,
    #[cfg(feature = "webhooks")]
    webhooks: Option<WebhookServer>,
}

/// Addresses bound before anything else starts, so that an address in use ends the program
/// immediately.
struct Listeners {
    metrics: Option<TcpListener>,
    health: Option<TcpListener>,
}

impl Process {
    pub(super) async fn new(
        reporter: String,
        client: Client,
        flags: Flags,
        metrics: Metrics,
    ) -> Result<Self, AppError> {
        let (metrics_address, health_address) = (
            flags.metrics_bind_address.0,
            flags.health_probe_bind_address.0,
        );
        if let Some(address) = metrics_address.filter(|it| it.port() != 0)
            && health_address == Some(address)
        {
            return Err(AppError::SameAddress { address });
        }
        let options = EventOptions::default().metrics(&metrics);
        let identity = flags.election.identity();
        Ok(Self {
            events: EventBroadcaster::with_options(client.clone(), options),
            sharding: sharding(&client, &flags, &identity)?,
            client,
            identity,
            listeners: Listeners {
                metrics: listen(metrics_address, "--metrics-bind-address", "metrics").await?,
                health: listen(
                    health_address,
                    "--health-probe-bind-address",
                    "health checks",
                )
                .await?,
            },
            flags: Arc::new(flags),
            reporter,
            metrics,
            migrated: Vec::new(),
            #[cfg(feature = "webhooks")]
            webhooks: None,
        })
    }

    /// Adds the migration of stored objects to the manager.
    pub(super) fn migrates(&mut self, crds: &[String]) {
        self.migrated.extend_from_slice(crds);
    }

    /// Adds the webhook server to the manager, if the flags specify a certificate.
    #[cfg(feature = "webhooks")]
    pub(super) async fn serve(&mut self, webhooks: &Webhooks) -> Result<(), AppError> {
        let Some(flags) = &self.flags.webhooks else {
            return Ok(());
        };
        if !flags.has_certificate() {
            let flags = match cfg!(feature = "self-signed") {
                true => "--webhook-cert-path or --webhook-self-signed",
                false => "--webhook-cert-path",
            };
            tracing::info!("webhooks are disabled: set {flags} to serve them");
            return Ok(());
        }
        if let Some(listener) = listen(
            flags.webhook_bind_address.0,
            "--webhook-bind-address",
            "webhooks",
        )
        .await?
        {
            let certificates = self.certificates(flags, webhooks).await?;
            let server = WebhookServer::new(listener, certificates, webhooks.clone());
            self.webhooks = Some(server.shutdown_delay(flags.shutdown_delay));
        }
        Ok(())
    }

    /// Adds a webhook server to the manager.
    #[cfg(all(feature = "webhooks", feature = "demo"))]
    pub(super) fn serve_with(&mut self, server: WebhookServer) {
        self.webhooks = Some(server);
    }

    /// Returns the certificates that the flags specify.
    #[cfg(feature = "webhooks")]
    #[cfg_attr(
        not(feature = "self-signed"),
        allow(clippy::unused_async, clippy::unused_self, unused_variables)
    )]
    async fn certificates(
        &self,
        flags: &WebhookFlags,
        webhooks: &Webhooks,
    ) -> Result<Certificates, AppError> {
        #[cfg(feature = "self-signed")]
        if let Some(service) = &flags.webhook_self_signed {
            let (namespace, name) = (&service.namespace, &service.name);
            let mut made = crate::webhook::SelfSigned::new(&self.client, namespace, name)
                .conversions_of(webhooks);
            if let Some(secret) = &flags.webhook_secret {
                made = made.secret(secret);
            }
            return Ok(made.certificates().await?);
        }
        let folder = flags.webhook_cert_path.clone().unwrap_or_default();
        Ok(Certificates::from_folder(folder)?)
    }

    /// Returns the client of the selected cluster.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the common flags.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Returns `--threads`, for a controller's `workers`.
    pub fn threads(&self) -> usize {
        usize::from(self.flags.threads)
    }

    /// Returns the name of this process in the election and in events.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the metrics that `/metrics` serves.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns how the flags divide the objects among the replicas, for
    /// [`sharded`](crate::controller::Builder::sharded); `None` if only the leader works.
    pub fn sharding(&self) -> Option<Sharding> {
        self.sharding.clone()
    }

    /// Returns a recorder whose events name this program as their reporter.
    pub fn recorder(&self) -> EventRecorder {
        self.recorder_as(&self.reporter)
    }

    /// Like [`recorder`](Self::recorder), under another name: for a program of several controllers.
    pub fn recorder_as(&self, reporter: &str) -> EventRecorder {
        self.events
            .recorder(Reporter::new(reporter, &self.identity))
    }

    /// Builds a factory from `--namespaces` and `--resync-period`. A generated factory is made
    /// `from` it.
    pub fn factory(&self) -> SharedInformerFactory {
        self.factory_builder().build()
    }

    /// Like [`factory`](Self::factory), but returns the builder, for further settings.
    pub fn factory_builder(&self) -> FactoryBuilder<SharedInformerFactory> {
        SharedInformerFactory::builder(self.client.clone())
            .namespaces(&self.flags.namespaces)
            .resync(self.flags.resync_period)
    }

    /// Builds a manager from the flags: metrics, events, leader election, shards, endpoints,
    /// webhooks and the migration of stored objects. The caller adds the controllers.
    ///
    /// # Errors
    ///
    /// The durations of the election are inconsistent, the certificate of the metrics cannot be
    /// used, or the migration cannot be built.
    pub fn manager(self, factory: &SharedInformerFactory) -> Result<ManagerBuilder, AppError> {
        let election = &self.flags.election;
        let mut manager = Manager::builder(factory)
            .metrics(&self.metrics)
            .events(self.events)
            .on_stuck_work(OnStuckWork::ExitProcess);
        if election.leader_elect {
            let config = election.config(&self.identity)?;
            manager = manager.leader_election(self.client.clone(), config);
        }
        if !self.migrated.is_empty() {
            let migration = StorageMigration::of(self.migrated).metrics(&self.metrics);
            manager = manager.controller(migration.controller(&self.client, factory)?);
        }
        if let Some(sharding) = &self.sharding {
            manager = manager.shards(sharding.shards());
        }
        if let Some(listener) = self.listeners.metrics {
            manager = match secure_metrics(&self.flags, self.client)? {
                Some(secure) => manager.serve_secure_metrics(listener, secure),
                None => manager.serve_metrics(listener),
            };
        }
        if let Some(listener) = self.listeners.health {
            manager = manager.serve_health(listener);
        }
        #[cfg(feature = "webhooks")]
        if let Some(server) = self.webhooks {
            manager = manager.webhooks(server);
        }
        Ok(manager)
    }
}

/// What restricts access to the metrics, if the flags ask for it.
fn secure_metrics(flags: &Flags, client: Client) -> Result<Option<SecureMetrics>, AppError> {
    if !flags.metrics_secure {
        if let Some(address) = flags.metrics_bind_address.0
            && !address.ip().is_loopback()
        {
            tracing::info!(
                "metrics are open to everyone who reaches {address}: set --metrics-secure, or bind an address of the loopback"
            );
        }
        return Ok(None);
    }
    let certificates = match &flags.metrics_cert_path {
        Some(folder) => MetricsCertificates::from_folder(folder),
        None => MetricsCertificates::unverified(),
    };
    let certificates = certificates.map_err(AppError::MetricsCertificate)?;
    Ok(Some(SecureMetrics::new(client, certificates)))
}

/// Returns the sharding that the flags ask for. Its group has a Lease beside that of the election,
/// under which singletons run.
fn sharding(client: &Client, flags: &Flags, identity: &str) -> Result<Option<Sharding>, AppError> {
    let Some(ShardFlags {
        shard_by: Some(by),
        shard_weight,
    }) = flags.shards
    else {
        return Ok(None);
    };
    let mut lease = flags.election.config(identity)?;
    lease.name.push_str("-shards");
    let config = ShardsConfig::from(lease).weight(shard_weight);
    let shards = Shards::new(client.clone(), config)?;
    Ok(Some(match by {
        ShardBy::Namespace => Sharding::by_namespace(&shards),
        ShardBy::Uid => Sharding::by_uid(&shards),
    }))
}

async fn listen(
    address: Option<SocketAddr>,
    flag: &'static str,
    what: &'static str,
) -> Result<Option<TcpListener>, AppError> {
    let Some(address) = address else {
        return Ok(None);
    };
    let bound = bind(address).await;
    bound.map(Some).map_err(|source| AppError::Listen {
        flag,
        what,
        address,
        source,
    })
}

/// Binds `address`. A host without IPv6 listens on all IPv4 addresses in place of all addresses, as
/// in Go.
async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error)
            if address.ip() == Ipv6Addr::UNSPECIFIED
                && error.kind() != io::ErrorKind::AddrInUse =>
        {
            let ipv4 = TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await;
            ipv4.map_err(|_| error)
        }
        bound => bound,
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process")
            .field("identity", &self.identity)
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn an_address_without_a_host_is_reached_over_ipv4_and_ipv6() {
        let all = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
        let listener = bind(all).await.expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let over_ipv4 = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
        assert!(over_ipv4.is_ok(), "{over_ipv4:?}");
        // Where this machine has no IPv6, there is nothing to reach.
        if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await.is_ok() {
            let over_ipv6 = TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await;
            assert!(over_ipv6.is_ok(), "{over_ipv6:?}");
        }
    }
}
