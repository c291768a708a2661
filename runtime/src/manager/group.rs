//! Runnables that start and stop together.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use crate::controller::Controller;
use crate::leader::Leadership;

/// The context that a [`Runnable`] runs in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunContext {
    /// Cancelled when the runnable must stop.
    pub stop: CancellationToken,
    /// The leadership term, for runnables that need leader election.
    pub leadership: Option<Leadership>,
}

/// A component that a manager runs: a [`Controller`], or the caller's own task.
pub trait Runnable: Send + Sync + 'static {
    /// Returns the name, which selects it and identifies it in errors.
    fn name(&self) -> &str;

    /// Whether only the leader runs it.
    fn needs_leader_election(&self) -> bool {
        true
    }

    /// Runs the caches that this needs and that do not run elsewhere, until `stop` is cancelled: from the manager's start,
    /// whether or not this process leads. None by default.
    fn run_caches(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        let _ = stop;
        Box::pin(std::future::ready(()))
    }

    /// Waits for the first lists of the caches that this needs, before it runs. An error ends the manager. Returns immediately by default.
    fn wait_for_caches(&self) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Runs until the context's `stop` is cancelled. It may end before; an error ends the manager.
    fn run(&self, context: RunContext) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>>;
}

impl Runnable for Controller {
    fn name(&self) -> &str {
        Controller::name(self)
    }

    fn run_caches(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move { Controller::run_caches(self, &stop).await })
    }

    fn wait_for_caches(&self) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>> {
        Box::pin(async move { Ok(Controller::wait_for_caches(self).await?) })
    }

    fn run(&self, context: RunContext) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>> {
        Box::pin(async move {
            Controller::run(self, &context.stop, context.leadership.as_ref()).await?;
            Ok(())
        })
    }
}

/// A runnable built from a closure; see [`runnable_fn`].
pub struct FnRunnable<F> {
    name: String,
    needs_leader_election: bool,
    run: F,
}

/// Returns a runnable that calls `run` with its context.
pub fn runnable_fn<F, W>(
    name: impl Into<String>,
    needs_leader_election: bool,
    run: F,
) -> FnRunnable<F>
where
    F: Fn(RunContext) -> W + Send + Sync + 'static,
    W: Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    FnRunnable {
        name: name.into(),
        needs_leader_election,
        run,
    }
}

impl<F, W> Runnable for FnRunnable<F>
where
    F: Fn(RunContext) -> W + Send + Sync + 'static,
    W: Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn needs_leader_election(&self) -> bool {
        self.needs_leader_election
    }

    fn run(&self, context: RunContext) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>> {
        Box::pin((self.run)(context))
    }
}

impl<F> fmt::Debug for FnRunnable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnRunnable")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Runs all of `runnables` until `stop` is cancelled or one of them fails; then stops the others and waits for them.
pub(super) async fn run_group(
    runnables: Vec<Arc<dyn Runnable>>,
    stop: CancellationToken,
    leadership: Option<Leadership>,
) -> Result<(), ManagerError> {
    let stop = stop.child_token();
    let mut tasks = JoinSet::new();
    for runnable in runnables {
        let context = RunContext {
            stop: stop.clone(),
            leadership: leadership.clone(),
        };
        let leadership = leadership.clone();
        tasks.spawn(async move {
            let name = runnable.name().to_owned();
            let run = runnable.run(context);
            let result = match leadership {
                Some(leadership) => leadership.fence(run).await.unwrap_or(Ok(())),
                None => run.await,
            };
            result.map_err(|source| ManagerError::Runnable { name, source })
        });
    }
    let mut first = Ok(());
    while let Some(ended) = tasks.join_next().await {
        let result = ended.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Ok(()),
        });
        if result.is_err() {
            stop.cancel();
            first = first.and(result);
        }
    }
    // If all have ended by themselves, leadership continues.
    if first.is_ok() {
        stop.cancelled().await;
    }
    first
}
