//! The registration of a handler.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::watch;

use super::listener::Shared;

/// A handler's registration with an informer: to remove it, and to query its progress.
#[derive(Clone, Debug)]
pub struct HandlerRegistration {
    informer: usize,
    shared: Arc<Shared>,
    upstream: watch::Receiver<bool>,
    stopped: watch::Receiver<bool>,
}

impl HandlerRegistration {
    pub(super) fn new(
        informer: usize,
        shared: Arc<Shared>,
        upstream: watch::Receiver<bool>,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        Self {
            informer,
            shared,
            upstream,
            stopped,
        }
    }

    pub(super) fn informer(&self) -> usize {
        self.informer
    }

    pub(super) fn id(&self) -> u64 {
        self.shared.id
    }

    /// Whether the cache holds the whole first list and the handler has received all of it.
    pub fn has_synced(&self) -> bool {
        *self.upstream.borrow() && *self.shared.synced.borrow()
    }

    /// Waits for [`Self::has_synced`]; returns false if the handler is removed, or the informer
    /// stops or is dropped, before.
    pub async fn wait_for_sync(&self) -> bool {
        let (mut upstream, mut stopped) = (self.upstream.clone(), self.stopped.clone());
        let mut synced = self.shared.synced.subscribe();
        let reached = async {
            upstream.wait_for(|synced| *synced).await.is_ok()
                && synced.wait_for(|synced| *synced).await.is_ok()
        };
        tokio::select! {
            biased;
            () = self.shared.removed.cancelled() => false,
            reached = reached => reached,
            _ = stopped.wait_for(|stopped| *stopped) => false,
        }
    }

    /// Returns the number of pending calls. It grows while the handler is slower than the changes.
    pub fn pending(&self) -> usize {
        self.shared.pending.load(Ordering::Relaxed)
    }

    /// Returns the number of calls that panicked.
    pub fn panics(&self) -> u64 {
        self.shared.panics.load(Ordering::Relaxed)
    }
}
