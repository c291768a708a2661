//! SIGTERM and SIGINT.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Returns a token that the first SIGTERM or SIGINT cancels. A second signal exits the process
/// immediately with status 1, like controller-runtime's `SetupSignalHandler`.
///
/// Must be called only once, within a tokio runtime.
///
/// # Errors
///
/// The handlers cannot be installed.
pub fn shutdown_signal() -> io::Result<CancellationToken> {
    let (mut term, mut int) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let token = CancellationToken::new();
    let shutdown = token.clone();
    tokio::spawn(async move {
        let name = next(&mut term, &mut int).await;
        tracing::info!(signal = name, "stopping");
        shutdown.cancel();
        let name = next(&mut term, &mut int).await;
        tracing::warn!(signal = name, "second signal: exiting immediately");
        std::process::exit(1);
    });
    Ok(token)
}

async fn next(term: &mut Signal, int: &mut Signal) -> &'static str {
    tokio::select! {
        _ = term.recv() => "SIGTERM",
        _ = int.recv() => "SIGINT",
    }
}
