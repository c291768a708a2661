//! The server over an HTTP listener.

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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs};
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
use crate::service::authentication::{Authentication, Certified, Peer};

/// How long a connection may take to send its first complete request header, as in kube-apiserver.
const FIRST_HEADER_WITHIN: Duration = Duration::from_secs(32);

/// How long an HTTP/1.1 connection may stay idle or take for a later request header. Most clients
/// close idle connections after 90 s.
const IDLE_AT_MOST: Duration = Duration::from_secs(120);

/// How long a listener that stops waits for its connections.
const STOPS_WITHIN: Duration = Duration::from_secs(2);

/// A running listener; dropping it stops it.
#[derive(Debug)]
pub struct Serving {
    local_addr: SocketAddr,
    scheme: &'static str,
    authenticates: bool,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Serving {
    /// Returns the address that the listener is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Returns the URL for clients on this machine; a listener on all addresses is reached over
    /// loopback.
    pub fn url(&self) -> String {
        let mut addr = self.local_addr;
        if addr.ip().is_unspecified() {
            addr.set_ip(match addr {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("{}://{addr}", self.scheme)
    }

    /// Returns a YAML kubeconfig without credentials for [`Serving::url`], with `name` for its
    /// context, cluster and user.
    ///
    /// It sets `insecure-skip-tls-verify`: without it, some clients (the JavaScript client among
    /// them) refuse plain HTTP.
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
        // JSON is valid YAML.
        format!("{config:#}\n")
    }

    /// Whether other machines may reach an unauthenticated listener: true unless it is bound to a
    /// loopback address.
    pub fn is_exposed(&self) -> bool {
        !self.authenticates && !self.local_addr.ip().is_loopback()
    }

    /// Stops listening, closes all connections, and waits until they are closed.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        // The task ends by itself; the runtime has already reported a panic in it.
        drop((&mut self.task).await);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Options of a listener.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServeOptions {
    allowed_hosts: Vec<String>,
    authentication: Option<Arc<Authentication>>,
    #[cfg(feature = "tls")]
    identity: Option<Arc<crate::tls::Identity>>,
}

impl ServeOptions {
    /// Accepts requests to this host name, in addition to `localhost` and IP addresses.
    ///
    /// Other host names get 403, so that a web page cannot reach the server through a name that
    /// resolves to loopback (DNS rebinding).
    #[must_use]
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// Asks clients for credentials. Such a listener does not restrict host names and origins.
    #[must_use]
    pub fn authentication(mut self, authentication: Authentication) -> Self {
        self.authentication = Some(Arc::new(authentication));
        self
    }

    /// Serves TLS, with a certificate (followed by those that signed it) and its private key in
    /// PEM.
    ///
    /// # Errors
    /// If one of the two is not what it should be.
    #[cfg(feature = "tls")]
    pub fn tls(
        mut self,
        certificate: &[u8],
        key: &[u8],
    ) -> Result<Self, crate::x509::pem::TlsError> {
        let identity = crate::tls::Identity::read(certificate, key)?;
        self.identity = Some(Arc::new(identity));
        Ok(self)
    }

    /// Returns how the listener takes connections.
    fn transport(&self) -> io::Result<Transport> {
        #[cfg(feature = "tls")]
        if let Some(identity) = &self.identity {
            let acceptor = crate::tls::Acceptor::new(identity, self.authentication.as_deref());
            return acceptor.map(Transport::Tls).map_err(io::Error::other);
        }
        Ok(Transport::Plain)
    }
}

impl ApiServer {
    /// Serves HTTP/1.1 and HTTP/2 on an address, without TLS. Port 0 picks a free port. There is no
    /// authentication: bind to loopback unless the network is trusted, or see
    /// [`ServeOptions::authentication`] and [`ServeOptions::tls`].
    ///
    /// Requests that a browser marks as cross-origin get 403, and so do requests to a host name
    /// other than `localhost` (see [`ServeOptions::allow_host`]).
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub async fn serve(&self, addr: impl ToSocketAddrs) -> io::Result<Serving> {
        self.serve_with(addr, ServeOptions::default()).await
    }

    /// Serves with options; see [`ApiServer::serve`].
    ///
    /// # Errors
    /// If the address cannot be bound, or the private key does not fit the certificate.
    pub async fn serve_with(
        &self,
        addr: impl ToSocketAddrs,
        options: ServeOptions,
    ) -> io::Result<Serving> {
        let transport = options.transport()?;
        let scheme = transport.scheme();
        let listener = listen(addr).await?;
        let local_addr = listener.local_addr()?;
        let stop = CancellationToken::new();
        let connections = Connections {
            service: self.service(),
            transport,
            allowed: Arc::new(AllowedHosts::new(options.allowed_hosts)),
            authentication: options.authentication,
            stop: stop.clone(),
        };
        let authenticates = connections.authentication.is_some();
        let task = tokio::spawn(accept(listener, connections));
        Ok(Serving {
            local_addr,
            scheme,
            authenticates,
            stop,
            task,
        })
    }
}

/// How many bytes of an answer the system keeps for a client that does not read, per connection. By
/// default, Linux keeps megabytes: a large event for thousands of watches would fill the memory.
const SEND_BUFFER: u32 = 128 * 1024;

/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Listens on the first of the addresses that is free.
async fn listen(addr: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "no address to listen on");
    for addr in tokio::net::lookup_host(addr).await? {
        match listen_on(addr) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_on(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Unix, an address is free as soon as its last listener is gone.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
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
            // For example out of file descriptors: some may be freed soon.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    // Requests that are being answered get their answers, and watches their end.
    let ended = async { while running.join_next().await.is_some() {} };
    if tokio::time::timeout(STOPS_WITHIN, ended).await.is_err() {
        running.shutdown().await;
    }
}

/// How a listener takes connections.
#[derive(Clone)]
enum Transport {
    Plain,
    #[cfg(feature = "tls")]
    Tls(crate::tls::Acceptor),
}

impl Transport {
    fn scheme(&self) -> &'static str {
        match self {
            Self::Plain => "http",
            #[cfg(feature = "tls")]
            Self::Tls(_) => "https",
        }
    }
}

/// State shared by all connections of a listener.
#[derive(Clone)]
struct Connections {
    service: ApiService,
    transport: Transport,
    allowed: Arc<AllowedHosts>,
    authentication: Option<Arc<Authentication>>,
    stop: CancellationToken,
}

impl Connections {
    async fn serve(self, stream: TcpStream) {
        // Watch events are small; Nagle's algorithm would delay them.
        drop(stream.set_nodelay(true));
        match &self.transport {
            Transport::Plain => self.converse(stream, Certified::No).await,
            #[cfg(feature = "tls")]
            Transport::Tls(acceptor) => {
                let accepting = tokio::time::timeout(FIRST_HEADER_WITHIN, acceptor.accept(stream));
                let stop = self.stop.clone();
                let accepted = tokio::select! {
                    accepted = accepting => accepted.unwrap_or_else(|late| Err(late.into())),
                    () = stop.cancelled() => return,
                };
                match accepted {
                    Ok((stream, certified)) => self.converse(stream, certified).await,
                    Err(error) => tracing::debug!(%error, "TLS handshake failed"),
                }
            }
        }
    }

    /// Answers the requests of a connection.
    async fn converse<T>(self, stream: T, certified: Certified)
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let first_header = Arc::new(Notify::new());
        let seen = first_header.clone();
        let stop = self.stop.clone();
        let peer = self.authentication.clone().map(|authentication| Peer {
            authentication,
            certified,
        });
        let service = service_fn(move |request: Request<Incoming>| {
            seen.notify_one();
            self.clone().answer(request, peer.clone())
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
            () = first_header.notified() => tokio::select! {
                ended = &mut connection => ended,
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            },
            () = stop.cancelled() => return,
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
        peer: Option<Peer>,
    ) -> Result<http::Response<crate::Body>, crate::BoxError> {
        let (mut parts, body): (Parts, Incoming) = request.into_parts();
        match peer {
            // Pages of other sites have no credentials.
            Some(peer) => drop(parts.extensions.insert(peer)),
            None => {
                if let Err(error) = guard::check(&parts, &self.allowed) {
                    return Ok(respond_error(&error, Format::Json));
                }
            }
        }
        parts.extensions.insert(ListenerStop(self.stop));
        self.service.call(Request::from_parts(parts, body)).await
    }
}
