//! SIGTERM and SIGINT.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that the first SIGTERM or SIGINT cancels. A second one ends the process at once with status 1, as
/// controller-runtime's `SetupSignalHandler` does.
///
/// Call it once, within a tokio runtime.
///
/// # Errors
///
/// If the handlers cannot be installed.
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
        tracing::warn!(signal = name, "a second signal: exiting at once");
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
