//! The caches that a manager runs: the factory's informers, and those that a runnable reads from
//! and that do not run elsewhere.

use futures::future::{try_join, try_join_all};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{AnyRunnable, ManagerError, Runnable};
use crate::informer::SharedInformerFactory;

/// The running caches.
pub(super) struct Caches {
    factory: SharedInformerFactory,
    runnables: Vec<AnyRunnable>,
    others: JoinSet<()>,
    stop: CancellationToken,
    _guard: DropGuard,
}

impl Caches {
    /// Starts the factory, and the other caches that `runnables` need.
    pub(super) fn start(factory: SharedInformerFactory, runnables: Vec<AnyRunnable>) -> Self {
        let stop = CancellationToken::new();
        factory.start(&stop);
        let mut others = JoinSet::new();
        for runnable in &runnables {
            let (runnable, stop) = (runnable.clone(), stop.clone());
            others.spawn(async move { runnable.run_caches(stop).await });
        }
        Self {
            factory,
            runnables,
            others,
            _guard: stop.clone().drop_guard(),
            stop,
        }
    }

    /// Waits for the first lists: for those of the factory without limit, for each runnable's up to
    /// its own limit.
    pub(super) async fn wait(&self) -> Result<(), ManagerError> {
        let each = self.runnables.iter().map(|runnable| async move {
            let waited = runnable.wait_for_caches().await;
            waited.map_err(|source| ManagerError::Runnable {
                name: runnable.name().to_owned(),
                source,
            })
        });
        let factory = async { Ok(self.factory.wait_for_cache_sync().await?) };
        try_join(factory, try_join_all(each)).await.map(drop)
    }

    /// Stops the caches, and waits for their end.
    pub(super) async fn stop(mut self) {
        self.stop.cancel();
        while self.others.join_next().await.is_some() {}
        self.factory.shutdown().await;
    }
}
