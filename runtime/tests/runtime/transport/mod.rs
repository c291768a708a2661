//! The runtime's guarantees about requests and connections, over HTTP and through kube's own
//! clients.

mod answers;
mod connect;
mod election;
mod http_server;
pub(crate) mod logs;
mod proxy;
mod single_attempt;
mod stalls;
mod traces;

use std::future::Future;
use std::time::Duration;

/// Keeps the paused clock from advancing while a test waits for sockets; for at most half a minute,
/// so that a test whose answer needs the clock ends.
pub(crate) fn hold_the_clock() -> std::sync::mpsc::Sender<()> {
    let (release, released) = std::sync::mpsc::channel();
    tokio::task::spawn_blocking(move || {
        let _ = released.recv_timeout(Duration::from_secs(30));
    });
    release
}

/// Fails a test whose awaited event never happens. Not used to measure time.
async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("this takes no time, or never ends")
}
