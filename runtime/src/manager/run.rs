//! Starts, runs and stops a manager's components in order.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;

use super::Manager;
use super::caches::Caches;
use super::error::ManagerError;
#[cfg(feature = "endpoints")]
use super::serve::serve;
use super::work::{Phase, Work};
use crate::informer::WeakFactory;
#[cfg(feature = "webhooks")]
use crate::webhook::WebhookServer;

/// Returns the caches without their first list, with the last error of each.
fn missing(factory: &WeakFactory) -> String {
    let stats = factory.upgrade().map(|factory| factory.stats());
    let missing = stats.into_iter().flatten().filter(|stats| !stats.synced);
    let told = missing.map(|stats| match stats.error {
        Some(error) => format!("{} ({error})", stats.name),
        None => stats.name,
    });
    told.collect::<Vec<_>>().join(", ")
}

impl Manager {
    /// Runs until `shutdown` is cancelled, leadership is lost, or a component fails; then stops in
    /// order and returns.
    ///
    /// From the cancellation on, everything together has the graceful timeout to stop; runnables
    /// without leader election stop after the leader's, then events and caches, and each of these
    /// groups has at least one second. What has not stopped by then is dropped, or left to itself
    /// if it blocks its thread, and the result is [`ManagerError::GracefulTimeout`]. The Lease is
    /// renewed until the work has stopped, and then released. A process that waits for the Lease is
    /// ready, since its caches are filled. A process with conversion webhooks is ready before that,
    /// since lists may need them. Webhooks are served until the work has stopped and their delay is
    /// over; the endpoints outlast them.
    ///
    /// Informers that a controller reads from run with the manager, whichever factory they belong
    /// to, unless they already run elsewhere. A controller whose first lists do not arrive within
    /// its `cache_sync_timeout` ends the manager.
    ///
    /// Dropping the future drops all components immediately, and lets the Lease expire.
    ///
    /// # Errors
    ///
    /// The first error. After [`ManagerError::LeadershipLost`] none of the leader's work is
    /// running.
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
        // The API server calls webhooks of ready pods only. If readiness required filled caches,
        // and those require this pod's conversion, the pod would never become ready.
        #[cfg(feature = "webhooks")]
        let needs_caches = !webhooks.as_ref().is_some_and(WebhookServer::converts);
        #[cfg(not(feature = "webhooks"))]
        let needs_caches = true;
        let phase = Phase::default();
        let (told, reads) = (phase.clone(), factory.downgrade());
        let check = move || told.check(needs_caches, || missing(&reads));
        ready.add("manager", Arc::new(check));
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

        let stop_webhooks = stop_servers.child_token();
        let mut serving = JoinSet::<()>::new();
        #[cfg(feature = "webhooks")]
        if let Some(webhooks) = webhooks {
            let (stop, release) = (shutdown.clone(), stop_webhooks.clone());
            serving.spawn(async move { webhooks.run_until(&stop, &release).await });
        }

        // Everything that ends the manager cancels this token, so that there is one shutdown path.
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
        // Bounded by the server's own delay and deadline. Handlers of webhooks may read the caches.
        stop_webhooks.cancel();
        while serving.join_next().await.is_some() {}
        let rest = async {
            stop_events.cancel();
            while writing.join_next().await.is_some() {}
            caches.stop().await;
            stop_servers.cancel();
            while servers.join_next().await.is_some() {}
        };
        // An event handler that blocks its thread can be neither awaited in time nor dropped.
        match timeout_at(phase.deadline(graceful_timeout), rest).await {
            Ok(()) => result,
            Err(_) => result.and(Err(ManagerError::GracefulTimeout)),
        }
    }
}
