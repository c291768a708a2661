//! The watch of the Lease: hints that arrive before the next poll.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{WatchEvent, WatchParams};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::client::TypedClient;
use crate::error::chain;

/// The longest pause between two tries to watch.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The last observation. It may be late, so decisions are based on a read or a write.
#[derive(Debug)]
pub(crate) enum Hint {
    /// The observed Lease.
    Seen(Box<Lease>),
    /// The Lease was deleted.
    Deleted,
}

/// A running watch; ends when dropped.
#[derive(Debug)]
pub(crate) struct LeaseWatch {
    hints: mpsc::Receiver<Hint>,
    task: AbortHandle,
}

impl LeaseWatch {
    /// Watches the Lease called `name`. `pause` is the first pause after a failed watch; it
    /// doubles.
    pub(super) fn start(api: TypedClient<Lease>, name: &str, pause: Duration) -> Self {
        let params = WatchParams::default().fields(&format!("metadata.name={name}"));
        let name = name.to_owned();
        // A server may not support field selectors.
        let is_own = move |lease: &Lease| lease.metadata.name.as_ref() == Some(&name);
        Self::start_own(api, params, is_own, pause)
    }

    /// Watches the Leases that `params` select.
    pub(crate) fn start_selected(
        api: TypedClient<Lease>,
        params: WatchParams,
        pause: Duration,
    ) -> Self {
        Self::start_own(api, params, |_| true, pause)
    }

    fn start_own(
        api: TypedClient<Lease>,
        params: WatchParams,
        is_own: impl Fn(&Lease) -> bool + Send + Sync + 'static,
        pause: Duration,
    ) -> Self {
        let (sender, hints) = mpsc::channel(16);
        let task = tokio::spawn(watch(api, params, is_own, sender, pause)).abort_handle();
        Self { hints, task }
    }

    /// Returns the next hint. Never returns if watching is impossible.
    pub(crate) async fn next(&mut self) -> Hint {
        match self.hints.recv().await {
            Some(hint) => hint,
            None => std::future::pending().await,
        }
    }
}

impl Drop for LeaseWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn watch(
    api: TypedClient<Lease>,
    params: WatchParams,
    is_own: impl Fn(&Lease) -> bool,
    hints: mpsc::Sender<Hint>,
    first_pause: Duration,
) {
    let mut pause = first_pause;
    loop {
        // Without a version the server starts with the current state, so that no change between two
        // watches is missed.
        match api.watch(&params, "").await {
            Ok(events) => {
                let mut events = std::pin::pin!(events);
                while let Some(event) = events.next().await {
                    let hint = match event {
                        Ok(
                            WatchEvent::Added(lease)
                            | WatchEvent::Modified(lease)
                            | WatchEvent::Deleted(lease),
                        ) if !is_own(&lease) => continue,
                        Ok(WatchEvent::Added(lease) | WatchEvent::Modified(lease)) => {
                            Hint::Seen(Box::new(lease))
                        }
                        Ok(WatchEvent::Deleted(_)) => Hint::Deleted,
                        Ok(WatchEvent::Bookmark(_)) => continue,
                        Ok(WatchEvent::Error(_)) | Err(_) => break,
                    };
                    pause = first_pause;
                    if hints.send(hint).await.is_err() {
                        return;
                    }
                }
            }
            Err(error) => {
                tracing::debug!(error = %chain(&error), "cannot watch the lease; polling continues");
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}
