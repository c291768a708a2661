//! What a manager runs.

use std::error::Error;
use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::controller::Controller;
use crate::leader::Leadership;
use crate::shard::Shards;

/// The result of a runnable's work.
type Ended = Result<(), Box<dyn Error + Send + Sync>>;

/// The context that a [`Runnable`] runs in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunContext {
    /// Cancelled when the runnable must stop.
    pub stop: CancellationToken,
    /// The leadership term, for runnables that need leader election.
    pub leadership: Option<Leadership>,
}

impl RunContext {
    pub(super) fn new(stop: CancellationToken, leadership: Option<Leadership>) -> Self {
        Self { stop, leadership }
    }
}

/// A component that a manager runs: a [`Controller`], or the caller's own task.
///
/// Implementations write plain `async fn`s:
///
/// ```
/// # use codegen_runtime::manager::{RunContext, Runnable};
/// struct Reports;
///
/// impl Runnable for Reports {
///     fn name(&self) -> &str {
///         "reports"
///     }
///
///     async fn run(&self, context: RunContext) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         context.stop.cancelled().await;
///         Ok(())
///     }
/// }
/// ```
pub trait Runnable: Send + Sync + 'static {
    /// Returns the name, which selects it and identifies it in errors.
    fn name(&self) -> &str;

    /// Whether only the leader runs it. Otherwise it runs on every replica.
    fn needs_leader_election(&self) -> bool {
        true
    }

    /// Runs the caches that this needs and that do not run elsewhere, until `stop` is cancelled:
    /// from the manager's start, whether or not this process leads. None by default.
    fn run_caches(&self, stop: CancellationToken) -> impl Future<Output = ()> + Send {
        let _ = stop;
        ready(())
    }

    /// Waits for the first lists of the caches that this needs, before it runs. An error ends the
    /// manager. Returns immediately by default.
    fn wait_for_caches(
        &self,
    ) -> impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send {
        ready(Ok(()))
    }

    /// Runs until the context's `stop` is cancelled. It may end before; an error ends the manager.
    fn run(
        &self,
        context: RunContext,
    ) -> impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send;
}

impl Runnable for Controller {
    fn name(&self) -> &str {
        Controller::name(self)
    }

    fn needs_leader_election(&self) -> bool {
        Controller::needs_leader_election(self)
    }

    async fn run_caches(&self, stop: CancellationToken) {
        Controller::run_caches(self, &stop).await;
    }

    async fn wait_for_caches(&self) -> Ended {
        Ok(Controller::wait_for_caches(self).await?)
    }

    async fn run(&self, context: RunContext) -> Ended {
        Ok(Controller::run(self, &context.stop, context.leadership.as_ref()).await?)
    }
}

impl Runnable for Shards {
    fn name(&self) -> &str {
        Shards::name(self)
    }

    fn needs_leader_election(&self) -> bool {
        false
    }

    async fn run(&self, context: RunContext) -> Ended {
        Shards::run(self, &context.stop).await;
        Ok(())
    }
}

/// A [`Runnable`] with its type erased, for lists of different ones. Clones are the same runnable.
#[derive(Clone)]
pub struct AnyRunnable(Arc<dyn Erased>);

impl AnyRunnable {
    /// Erases the type of `runnable`.
    pub fn new(runnable: impl Runnable) -> Self {
        Self(Arc::new(runnable))
    }
}

impl Runnable for AnyRunnable {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn needs_leader_election(&self) -> bool {
        self.0.needs_leader_election()
    }

    fn run_caches(&self, stop: CancellationToken) -> impl Future<Output = ()> + Send {
        self.0.run_caches(stop)
    }

    fn wait_for_caches(&self) -> impl Future<Output = Ended> + Send {
        self.0.wait_for_caches()
    }

    fn run(&self, context: RunContext) -> impl Future<Output = Ended> + Send {
        self.0.run(context)
    }
}

impl fmt::Debug for AnyRunnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyRunnable").field(&self.0.name()).finish()
    }
}

trait Erased: Send + Sync {
    fn name(&self) -> &str;
    fn needs_leader_election(&self) -> bool;
    fn run_caches(&self, stop: CancellationToken) -> BoxFuture<'_, ()>;
    fn wait_for_caches(&self) -> BoxFuture<'_, Ended>;
    fn run(&self, context: RunContext) -> BoxFuture<'_, Ended>;
}

impl<R: Runnable> Erased for R {
    fn name(&self) -> &str {
        Runnable::name(self)
    }

    fn needs_leader_election(&self) -> bool {
        Runnable::needs_leader_election(self)
    }

    fn run_caches(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Runnable::run_caches(self, stop).boxed()
    }

    fn wait_for_caches(&self) -> BoxFuture<'_, Ended> {
        Runnable::wait_for_caches(self).boxed()
    }

    fn run(&self, context: RunContext) -> BoxFuture<'_, Ended> {
        Runnable::run(self, context).boxed()
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

    fn run(&self, context: RunContext) -> impl Future<Output = Ended> + Send {
        (self.run)(context)
    }
}

impl<F> fmt::Debug for FnRunnable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnRunnable")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
