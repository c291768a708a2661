//! Metrics over HTTPS, for clients that the cluster's roles allow.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::access::Access;
use crate::certificates::Certificates;
use crate::error::chain;
use crate::metrics::Metrics;
use crate::tasks::{Progress, Task};

/// The deadline of the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Serves metrics over HTTPS to clients with a bearer token whose user may `get` the path: see
/// [`ManagerBuilder::serve_secure_metrics`](super::ManagerBuilder::serve_secure_metrics).
#[derive(Clone)]
pub struct SecureMetrics {
    certificates: Certificates,
    pub(super) access: Arc<Access>,
}

impl SecureMetrics {
    /// Reviews tokens and access with `client`, whose user must be allowed to `create`
    /// `tokenreviews` and `subjectaccessreviews`.
    pub fn new(client: Client, certificates: Certificates) -> Self {
        Self {
            certificates: certificates.of_task(Task::MetricsCertificate),
            access: Arc::new(Access::new(client)),
        }
    }

    /// Reports the tasks below and the certificate's expiry to `metrics`.
    pub(super) fn report_to(&self, metrics: &Metrics) {
        self.certificates.report_to(metrics);
    }

    /// The states of the tasks that keep the certificate up to date.
    pub(super) fn progress(&self) -> Vec<&Progress> {
        self.certificates.progress()
    }

    /// Keeps the certificate up to date until `stop` is cancelled.
    pub(super) async fn follow(&self, stop: CancellationToken) {
        self.certificates.follow(stop).await;
    }

    /// Accepts a connection; `None` if its client does not speak TLS, or does not speak at all.
    pub(super) async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(self.certificates.config());
        match timeout(HANDSHAKE, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(error = %chain(&error), "TLS handshake failed");
                None
            }
            Err(_) => None,
        }
    }
}

impl fmt::Debug for SecureMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecureMetrics").finish_non_exhaustive()
    }
}
