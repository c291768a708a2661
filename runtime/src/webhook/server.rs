//! The HTTPS server of webhooks.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::connections::{Activity, Connections};
use super::deadline::WriteDeadline;
use super::{Certificates, Webhooks};
use crate::error::chain;
use crate::metrics::{Metrics, WebhookMetrics};
use crate::tasks::Progress;

/// The maximum number of connections; a further one closes one that waits for its client. The API
/// server keeps a few to each webhook.
const MOST_CONNECTIONS: usize = 512;

/// The deadline of the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The idle time after which a connection is closed. The API server keeps idle connections for 90
/// s: closing one earlier would fail a review that is being sent on it.
const IDLE: Duration = Duration::from_secs(120);

/// The deadline for a client to read a response. The API server gives up 30 s after its request at
/// the latest.
const READ: Duration = Duration::from_secs(30);

/// The deadline for requests in progress when the server stops.
const GRACE: Duration = Duration::from_secs(10);

/// How long a server that a manager runs goes on after it is told to stop: twice as long as it
/// usually takes until the EndpointSlice names another pod and the last node routes by it.
pub(crate) const SHUTDOWN_DELAY: Duration = Duration::from_secs(10);

/// Why a server could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookServerError {
    /// The address is in use, or is not an address of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The cause.
        source: std::io::Error,
    },
}

/// Serves [`Webhooks`] over HTTPS. Run by a [manager](crate::manager::ManagerBuilder::webhooks), or
/// with [`run`](Self::run).
#[derive(Debug)]
pub struct WebhookServer {
    listener: TcpListener,
    certificates: Certificates,
    webhooks: Webhooks,
    serves: Arc<AtomicBool>,
    metrics: Option<WebhookMetrics>,
    shutdown_delay: Option<Duration>,
}

impl WebhookServer {
    /// Binds an address, `[::]:9443` in most clusters: all of IPv6 and IPv4. Requests are not
    /// answered before the server runs.
    ///
    /// # Errors
    /// The address is in use.
    pub async fn bind(
        address: &str,
        certificates: Certificates,
        webhooks: Webhooks,
    ) -> Result<Self, WebhookServerError> {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| WebhookServerError::Listen {
            address: address.to_owned(),
            source,
        })?;
        Ok(Self::new(listener, certificates, webhooks))
    }

    /// Like [`bind`](Self::bind), with the caller's own listener.
    pub fn new(listener: TcpListener, certificates: Certificates, webhooks: Webhooks) -> Self {
        Self {
            listener,
            certificates,
            webhooks,
            serves: Arc::default(),
            metrics: None,
            shutdown_delay: None,
        }
    }

    /// Sets how long the server goes on after it is told to stop, with its [check](Self::check)
    /// failing: nodes route requests to a pod until they have heard that it stops. Defaults to 10 s
    /// under a manager, and to none for [`run`](Self::run).
    #[must_use]
    pub fn shutdown_delay(mut self, delay: Duration) -> Self {
        self.shutdown_delay = Some(delay);
        self
    }

    pub(crate) fn set_default_shutdown_delay(&mut self, delay: Duration) {
        self.shutdown_delay.get_or_insert(delay);
    }

    /// Returns the address that the server listens on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Counts requests in `metrics`, under controller-runtime's names. The manager sets its own
    /// metrics.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.webhooks());
        self
    }

    pub(crate) fn set_default_metrics(&mut self, metrics: &Metrics) {
        self.metrics.get_or_insert_with(|| metrics.webhooks());
    }

    /// Reports the tasks below and the certificate's expiry to `metrics`.
    pub(crate) fn report_to(&self, metrics: &Metrics) {
        self.certificates.report_to(metrics);
    }

    /// Returns the states of the tasks that keep the certificate up to date.
    pub(crate) fn progress(&self) -> Vec<&Progress> {
        self.certificates.progress()
    }

    /// Whether lists of objects may need this server for conversion.
    pub(crate) fn converts(&self) -> bool {
        self.webhooks.converts()
    }

    /// Returns a check for `/readyz`: whether the server is running, and not about to stop. The
    /// manager adds it.
    pub fn check(&self) -> impl Fn() -> Result<(), String> + Send + Sync + 'static {
        let serves = self.serves.clone();
        move || match serves.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err("the webhook server has not started, or is stopping".to_owned()),
        }
    }

    /// Serves until `stop` is cancelled. Then the check fails; after the
    /// [delay](Self::shutdown_delay) no more connections are accepted, and the requests in progress
    /// are finished, for ten seconds at most.
    pub async fn run(self, stop: &CancellationToken) {
        self.run_until(stop, stop).await;
    }

    /// Like [`run`](Self::run), but goes on until `release` is cancelled, too. If it is cancelled
    /// before `stop`, nobody asked the process to stop, and the server closes immediately.
    pub(crate) async fn run_until(self, stop: &CancellationToken, release: &CancellationToken) {
        self.serves.store(true, Ordering::Release);
        let close = CancellationToken::new();
        let closing = async {
            self.until_closing(stop, release).await;
            close.cancel();
        };
        let follow = self.certificates.follow(close.child_token());
        tokio::join!(closing, follow, self.accept(&close));
        self.serves.store(false, Ordering::Release);
    }

    async fn until_closing(&self, stop: &CancellationToken, release: &CancellationToken) {
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = release.cancelled() => return,
        }
        self.serves.store(false, Ordering::Release);
        let delay = self.shutdown_delay.unwrap_or_default();
        if !delay.is_zero() {
            tracing::info!(?delay, "serving webhooks until endpoints have spread");
        }
        tokio::join!(sleep(delay), release.cancelled());
    }

    async fn accept(&self, close: &CancellationToken) {
        let mut connections = Connections::new(MOST_CONNECTIONS);
        loop {
            let accepted = async {
                let accepted = self.listener.accept().await;
                connections.make_room().await;
                accepted
            };
            match close.run_until_cancelled(accepted).await {
                None => break,
                Some(Ok((stream, _))) => {
                    let acceptor = TlsAcceptor::from(self.certificates.config());
                    let close = close.clone();
                    connections.spawn(|activity| {
                        let service = Counted {
                            webhooks: self.webhooks.clone(),
                            metrics: self.metrics.clone(),
                            serves: self.serves.clone(),
                            activity,
                        };
                        answer(stream, acceptor, service, close)
                    });
                }
                Some(Err(error)) => {
                    tracing::warn!(error = %chain(&error), "cannot accept");
                    // Avoids spinning, for example when there are no file descriptors left.
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
        if timeout(GRACE, connections.drain()).await.is_err() {
            tracing::warn!("dropped webhook requests in progress");
        }
    }
}

/// The webhooks, with their metrics, for one connection.
#[derive(Clone)]
struct Counted {
    webhooks: Webhooks,
    metrics: Option<WebhookMetrics>,
    serves: Arc<AtomicBool>,
    activity: Activity,
}

impl Counted {
    async fn respond(
        self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = self.webhooks.label(request.uri().path());
        let call = self.metrics.as_ref().map(|metrics| metrics.call(path));
        let request = request.map(|body| self.activity.reading(body));
        let mut response = self.webhooks.respond(request).await;
        if let Some(call) = call {
            call.answered(response.status().as_u16());
        }
        if !self.serves.load(Ordering::Acquire) {
            // The client's next connection reaches another pod.
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }
}

/// Handles the requests of one connection.
async fn answer(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    service: Counted,
    stop: CancellationToken,
) {
    let handshake = timeout(HANDSHAKE, acceptor.accept(stream));
    let stream = match stop.run_until_cancelled(handshake).await {
        Some(Ok(Ok(stream))) => stream,
        Some(Ok(Err(error))) => {
            tracing::debug!(error = %chain(&error), "TLS handshake failed");
            return;
        }
        Some(Err(_)) | None => return,
    };
    serve(stream, service, stop).await;
}

/// Handles the requests of a stream.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    service: Counted,
    stop: CancellationToken,
) {
    let activity = service.activity.clone();
    let answered = move || activity.answered();
    let stream = TokioIo::new(WriteDeadline::new(stream, READ, answered));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(IDLE);
    let service = service_fn(move |request| service.clone().respond(request));
    let mut connection = std::pin::pin!(server.serve_connection(stream, service));
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %chain(&error), "connection to the webhooks failed");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_no_answer_is_cut_off() {
        let (mut client, stream) = tokio::io::duplex(64);
        let service = Counted {
            webhooks: Webhooks::builder().build(),
            metrics: None,
            serves: Arc::new(AtomicBool::new(true)),
            activity: Activity::new(std::sync::Arc::default()),
        };
        let started = Instant::now();
        let served = serve(stream, service, CancellationToken::new());
        // Three requests whose responses exceed the pipe's buffer.
        let requests = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n".repeat(3);
        let asks = async { client.write_all(&requests).await };
        let (_, asked) = tokio::join!(served, asks);
        assert!(started.elapsed() >= READ && started.elapsed() < READ + Duration::from_secs(1));
        drop((asked, client));
    }
}
