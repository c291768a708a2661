//! The server behind an HTTP listener.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http::request::Parts;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::http::guard::{self, AllowedHosts};
use crate::http::negotiate::Format;
use crate::http::respond::respond_error;
use crate::http::websocket::ListenerStop;
use crate::server::ApiServer;
use crate::service::ApiService;

/// How long a connection may take to its first whole request header, as in kube-apiserver.
const FIRST_HEADER_WITHIN: Duration = Duration::from_secs(32);

/// How long a connection of HTTP/1.1 may idle, or take for a later request header. Clients drop idle ones after 90 s by habit.
const IDLE_AT_MOST: Duration = Duration::from_secs(120);

/// A running listener. Dropping it stops it.
#[derive(Debug)]
pub struct Serving {
    local_addr: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Serving {
    /// The address that is listened on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The URL for clients on this machine: that of loopback where all addresses are listened on.
    pub fn url(&self) -> String {
        let mut addr = self.local_addr;
        if addr.ip().is_unspecified() {
            addr.set_ip(match addr {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{addr}")
    }

    /// A kubeconfig for [`Serving::url`] in YAML, with `name` for its context, cluster and user.
    ///
    /// It says `insecure-skip-tls-verify`: without it some clients, the JavaScript one among them, refuse plain HTTP.
    pub fn kubeconfig(&self, name: &str) -> String {
        let config = serde_json::json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{
                "name": name,
                "cluster": {"server": self.url(), "insecure-skip-tls-verify": true},
            }],
            "contexts": [{
                "name": name,
                "context": {"cluster": name, "user": name, "namespace": "default"},
            }],
            "users": [{"name": name, "user": {}}],
        });
        // JSON is YAML.
        format!("{config:#}\n")
    }

    /// Whether other machines may reach the listener, which has no authentication: its address is not a loopback one.
    pub fn is_exposed(&self) -> bool {
        !self.local_addr.ip().is_loopback()
    }

    /// Stops listening, ends all connections, and waits for that.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        // The task ends by itself; a panic in it has been reported by the runtime.
        drop((&mut self.task).await);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// How a listener answers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServeOptions {
    allowed_hosts: Vec<String>,
}

impl ServeOptions {
    /// Answers requests to a host name too, beside `localhost` and addresses.
    ///
    /// Others are refused with 403, so that no page in a browser reaches the server by a name that resolves to loopback
    /// (DNS rebinding).
    #[must_use]
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }
}

impl ApiServer {
    /// Serves HTTP/1.1 and HTTP/2 (without TLS) on an address. There is no authentication: bind to loopback unless the network
    /// is trusted. Port 0 picks a free one.
    ///
    /// Requests that a browser marks as caused by a page of another origin are refused with 403; so are requests to a host
    /// name other than `localhost` (see [`ServeOptions::allow_host`]).
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(&self, addr: impl ToSocketAddrs) -> io::Result<Serving> {
        self.serve_with(addr, ServeOptions::default()).await
    }

    /// [`ApiServer::serve`] with options.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve_with(
        &self,
        addr: impl ToSocketAddrs,
        options: ServeOptions,
    ) -> io::Result<Serving> {
        let listener = TcpListener::bind(addr).await?;
        let local_addr = listener.local_addr()?;
        let stop = CancellationToken::new();
        let connections = Connections {
            service: self.service(),
            allowed: Arc::new(AllowedHosts::new(options.allowed_hosts)),
            stop: stop.clone(),
        };
        let task = tokio::spawn(accept(listener, connections));
        Ok(Serving {
            local_addr,
            stop,
            task,
        })
    }
}

async fn accept(listener: TcpListener, connections: Connections) {
    let mut running = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = connections.stop.cancelled() => break,
            accepted = listener.accept() => accepted,
            Some(_) = running.join_next(), if !running.is_empty() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                running.spawn(connections.clone().serve(stream));
            }
            // Out of file descriptors, for example: others may be freed.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    running.shutdown().await;
}

/// State shared by all connections of a listener.
#[derive(Clone)]
struct Connections {
    service: ApiService,
    allowed: Arc<AllowedHosts>,
    stop: CancellationToken,
}

impl Connections {
    async fn serve(self, stream: TcpStream) {
        // Watch events are small and must not wait for each other.
        drop(stream.set_nodelay(true));
        let first_header = Arc::new(Notify::new());
        let seen = first_header.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            seen.notify_one();
            self.clone().answer(request)
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE_AT_MOST);
        builder.http2().timer(TokioTimer::new());
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = first_header.notified() => connection.await,
            () = tokio::time::sleep(FIRST_HEADER_WITHIN) => {
                tracing::debug!("connection closed: no request header in time");
                return;
            }
        };
        if let Err(error) = ended {
            tracing::debug!(error, "connection ended");
        }
    }

    async fn answer(
        mut self,
        request: Request<Incoming>,
    ) -> Result<http::Response<crate::Body>, crate::BoxError> {
        let (mut parts, body): (Parts, Incoming) = request.into_parts();
        if let Err(error) = guard::check(&parts, &self.allowed) {
            return Ok(respond_error(&error, Format::Json));
        }
        parts.extensions.insert(ListenerStop(self.stop));
        self.service.call(Request::from_parts(parts, body)).await
    }
}
