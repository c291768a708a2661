//! The runtime's guarantees about requests and connections, over HTTP and through kube's own clients.

mod answers;
mod connect;
mod election;
mod http_server;
mod logs;
mod proxy;
mod single_attempt;
mod stalls;

use std::future::Future;
use std::time::Duration;

/// Ends a test whose awaited event never comes. Nothing is measured by it.
async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("this takes no time, or never ends")
}
