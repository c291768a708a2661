//! A small HTTP server for the endpoints.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Endpoints;
use crate::error::chain;

/// The maximum number of connections. A further one closes the oldest: idle connections must not block a probe. Probes and
/// Prometheus need only a few, and a process may be limited to as few as 256 open files.
const MAX_CONNECTIONS: usize = 64;

/// The deadline for a client to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves `endpoints` on `listener` until `stop` is cancelled.
pub(super) async fn serve(listener: TcpListener, endpoints: Endpoints, stop: CancellationToken) {
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
        oldest_first.push_back(connections.spawn(answer(stream, endpoints.clone())));
    }
}

/// Answers the requests of one connection.
async fn answer(stream: TcpStream, endpoints: Endpoints) {
    let answer = service_fn(move |request| {
        let response = endpoints.respond(&request);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!(error = %chain(&error), "a connection to the endpoints ended");
    }
}
