//! A small HTTP server for the endpoints.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Endpoints;

/// Connections beyond this many wait to be accepted.
const MAX_CONNECTIONS: usize = 64;

/// Time for a client to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves `endpoints` on `listener` until `stop` is cancelled.
pub(super) async fn serve(listener: TcpListener, endpoints: Endpoints, stop: CancellationToken) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &slots) => accepted,
        };
        let Some((stream, slot)) = accepted else {
            // Out of file descriptors, say: don't spin.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let endpoints = endpoints.clone();
        connections.spawn(async move {
            let answer = service_fn(move |request| {
                let response = endpoints.respond(&request);
                async move { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT);
            if let Err(error) = server.serve_connection(TokioIo::new(stream), answer).await {
                tracing::debug!(%error, "a connection to the endpoints ended");
            }
            drop(slot);
        });
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    let (stream, _) = listener
        .accept()
        .await
        .inspect_err(|error| tracing::warn!(%error, "cannot accept"))
        .ok()?;
    Some((stream, slot))
}
