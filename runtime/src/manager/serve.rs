//! A small HTTP server for the endpoints.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Endpoints;
#[cfg(feature = "secure-metrics")]
use super::{SecureMetrics, endpoints::text};
use crate::error::chain;

/// The maximum number of connections. A further one closes the oldest: idle connections must not
/// block a probe. Probes and Prometheus need only a few, and a process may be limited to as few as
/// 256 open files.
const MAX_CONNECTIONS: usize = 64;

/// The deadline for a client to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// What a listener serves.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) endpoints: Endpoints,
    /// Over HTTPS, to whom the cluster's roles allow it; otherwise over HTTP, to everyone.
    #[cfg(feature = "secure-metrics")]
    pub(super) secure: Option<SecureMetrics>,
}

/// Serves `site` on `listener` until `stop` is cancelled.
pub(super) async fn serve(listener: TcpListener, site: Site, stop: CancellationToken) {
    #[cfg(feature = "secure-metrics")]
    if let Some(secure) = &site.secure {
        let accept = accept(listener, &site, &stop);
        tokio::join!(accept, secure.follow(stop.child_token()));
        return;
    }
    accept(listener, &site, &stop).await;
}

async fn accept(listener: TcpListener, site: &Site, stop: &CancellationToken) {
    let mut connections = JoinSet::new();
    let mut oldest_first = VecDeque::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cannot accept");
                // Avoids spinning, for example when there are no file descriptors left.
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        oldest_first.retain(|connection: &AbortHandle| !connection.is_finished());
        while oldest_first.len() >= MAX_CONNECTIONS
            && let Some(oldest) = oldest_first.pop_front()
        {
            oldest.abort();
        }
        oldest_first.push_back(connections.spawn(answer(stream, site.clone())));
    }
}

/// Answers the requests of one connection.
async fn answer(stream: TcpStream, site: Site) {
    #[cfg(feature = "secure-metrics")]
    if let Some(secure) = &site.secure {
        if let Some(stream) = secure.accept(stream).await {
            answer_http(stream, site).await;
        }
        return;
    }
    answer_http(stream, site).await;
}

async fn answer_http(stream: impl AsyncRead + AsyncWrite + Unpin, site: Site) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let (site, request) = (site.clone(), request.map(drop));
        async move { Ok::<_, Infallible>(site.respond(&request).await) }
    });
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!(error = %chain(&error), "a connection to the endpoints ended");
    }
}

impl Site {
    #[cfg_attr(
        not(feature = "secure-metrics"),
        expect(clippy::unused_async, reason = "asks nobody")
    )]
    async fn respond(&self, request: &Request<()>) -> Response<Full<Bytes>> {
        #[cfg(feature = "secure-metrics")]
        if let Some(secure) = &self.secure
            && let Err(refused) = secure.access.check(request).await
        {
            return text(refused.status, refused.message + "\n");
        }
        self.endpoints.respond(request)
    }
}
