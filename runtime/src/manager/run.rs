//! Start, work and stop, in order.

use std::error::Error;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Manager;
use super::caches::Caches;
#[cfg(feature = "endpoints")]
use super::serve::serve;
use super::work::{Phase, Work};
use crate::informer::CacheSyncError;
use crate::leader::LossReason;
#[cfg(feature = "webhooks")]
use crate::webhook::WebhookServer;

/// Why a manager ended other than by being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// Another process leads now, or may. The work was dropped.
    #[error("leadership lost: {reason}")]
    LeadershipLost {
        /// Why.
        reason: LossReason,
    },
    /// The leader's work blocks its thread and runs on, though the term is over. The Lease was not released, and somebody else leads
    /// when it has run out: the process should exit before.
    #[error("the leader's work does not stop; the lease was not released")]
    WorkRunsOn,
    /// Work under way did not stop in time and was dropped.
    #[error("the work did not stop within the graceful timeout")]
    GracefulTimeout,
    /// An informer stopped before its first list.
    #[error(transparent)]
    CacheSync(#[from] CacheSyncError),
    /// A controller or another runnable failed.
    #[error("{name}: {source}")]
    Runnable {
        /// Which one.
        name: String,
        /// How.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl Manager {
    /// Runs until `shutdown` is cancelled, leadership is lost, or something fails; then stops in order, and returns.
    ///
    /// From the cancellation on, all work together has the graceful timeout to stop (what needs no leader stops last, and has a
    /// second at least). The Lease is renewed until the work has
    /// stopped, and released then. A process that waits for the Lease is ready: its caches are warm. One whose webhooks convert is ready
    /// before that, since lists may need them.
    ///
    /// Informers that a controller reads from run with the manager, of whatever factory they are, unless somebody runs them
    /// already. A controller whose first lists don't come within its `cache_sync_timeout` ends the manager.
    ///
    /// Dropping the future drops everything at once, and leaves the Lease to expire.
    ///
    /// # Errors
    ///
    /// The first thing that went wrong. After [`ManagerError::LeadershipLost`] none of the leader's work runs any more.
    pub async fn run(self, shutdown: &CancellationToken) -> Result<(), ManagerError> {
        let Self {
            factory,
            leaders,
            others,
            elector,
            events,
            #[cfg(feature = "endpoints")]
            listeners,
            #[cfg(feature = "webhooks")]
            webhooks,
            graceful_timeout,
            on_stuck_work,
            ready,
            ..
        } = self;
        // The API server calls webhooks of ready pods alone: one that is ready once its caches are filled, which may need its own
        // conversion, would never be.
        #[cfg(feature = "webhooks")]
        let needs_caches = !webhooks.as_ref().is_some_and(WebhookServer::converts);
        #[cfg(not(feature = "webhooks"))]
        let needs_caches = true;
        let phase = Phase::default();
        let told = phase.clone();
        ready.add("manager", Arc::new(move || told.check(needs_caches)));
        let stop_servers = CancellationToken::new();
        let _servers_guard = stop_servers.clone().drop_guard();
        let (stop_events, mut writing) = (CancellationToken::new(), JoinSet::new());
        if let Some(events) = events {
            let stop = stop_events.clone();
            writing.spawn(async move { events.run(&stop).await });
        }
        let mut servers = JoinSet::<()>::new();
        #[cfg(feature = "endpoints")]
        for (listener, endpoints) in listeners {
            servers.spawn(serve(listener, endpoints, stop_servers.clone()));
        }

        #[cfg(feature = "webhooks")]
        if let Some(webhooks) = webhooks {
            let stop = stop_servers.clone();
            servers.spawn(async move { webhooks.run(&stop).await });
        }

        // Every end but by `shutdown` itself goes through this token, so that one way leads out.
        let stop = shutdown.child_token();
        let runnables = leaders.iter().chain(&others).cloned().collect();
        let caches = Caches::start(factory, runnables);
        let result = match stop.run_until_cancelled(caches.wait()).await {
            None => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(())) => {
                let work = Work {
                    leaders,
                    others,
                    elector,
                    graceful_timeout,
                    on_stuck_work,
                };
                work.run(&stop, &phase).await
            }
        };
        stop_events.cancel();
        while writing.join_next().await.is_some() {}
        caches.stop().await;
        stop_servers.cancel();
        while servers.join_next().await.is_some() {}
        result
    }
}
