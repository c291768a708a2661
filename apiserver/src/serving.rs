//! The server behind an HTTP listener.

use std::io;
use std::net::SocketAddr;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::server::ApiServer;
use crate::service::ApiService;

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

impl ApiServer {
    /// Serves HTTP/1.1 and HTTP/2 (without TLS) on an address. There is no authentication: bind to loopback unless the network
    /// is trusted. Port 0 picks a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(&self, addr: impl ToSocketAddrs) -> io::Result<Serving> {
        let listener = TcpListener::bind(addr).await?;
        let local_addr = listener.local_addr()?;
        let stop = CancellationToken::new();
        let task = tokio::spawn(accept(listener, self.service(), stop.clone()));
        Ok(Serving {
            local_addr,
            stop,
            task,
        })
    }
}

async fn accept(listener: TcpListener, service: ApiService, stop: CancellationToken) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                // Watch events are small and must not wait for each other.
                drop(stream.set_nodelay(true));
                let service = TowerToHyperService::new(service.clone());
                connections.spawn(async move {
                    let builder = auto::Builder::new(TokioExecutor::new());
                    if let Err(error) = builder
                        .serve_connection(TokioIo::new(stream), service)
                        .await
                    {
                        tracing::debug!(error, "connection ended");
                    }
                });
            }
            // Out of file descriptors, for example: others may be freed.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
    connections.shutdown().await;
}
