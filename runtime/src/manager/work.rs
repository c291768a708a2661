//! Runs the manager's work between the start and the stop of its caches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::group::run_group;
use super::{AnyRunnable, ManagerError};
use crate::clock::{FOREVER, after};
use crate::leader::{LeaderElector, Leadership, Stopped};

/// The phase of a manager between start and stop.
#[derive(Clone, Default)]
pub(super) struct Phase(Arc<State>);

#[derive(Default)]
struct State {
    running: AtomicBool,
    stopping: OnceLock<Instant>,
}

impl Phase {
    /// The manager's own readiness check. `missing` returns the caches that are not synced.
    pub(super) fn check(
        &self,
        needs_caches: bool,
        missing: impl Fn() -> String,
    ) -> Result<(), String> {
        match (self.0.stopping.get(), self.0.running.load(Ordering::SeqCst)) {
            (Some(_), _) => Err("shutting down".to_owned()),
            (None, false) if needs_caches => {
                let missing = missing();
                let colon = if missing.is_empty() { "" } else { ": " };
                Err(format!("caches are not synced{colon}{missing}"))
            }
            (None, _) => Ok(()),
        }
    }

    /// Returns the time at which stopping began; begins it now if it has not.
    fn stopping(&self) -> Instant {
        *self.0.stopping.get_or_init(Instant::now)
    }

    /// Returns the time by which the next group must have stopped.
    pub(super) fn deadline(&self, graceful_timeout: Duration) -> Instant {
        let deadline = self.stopping() + graceful_timeout.min(FOREVER);
        deadline.max(Instant::now() + LEAST)
    }
}

/// How the manager handles leader work that blocks its thread and is still running after the term.
/// The Lease is not released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnStuckWork {
    /// The manager ends with [`ManagerError::WorkRunsOn`](super::ManagerError::WorkRunsOn), and the
    /// Lease expires. The caller must end the process before that; dropping a tokio runtime does
    /// not, as it waits for the work.
    #[default]
    LetLeaseExpire,
    /// The process exits immediately with status 1, which certainly ends the work.
    ExitProcess,
}

/// The minimum time for a group to stop, if the previous ones used up the graceful timeout.
const LEAST: Duration = Duration::from_secs(1);

type Group = Vec<AnyRunnable>;

/// The two groups of a manager.
pub(super) struct Work {
    pub(super) leaders: Group,
    pub(super) others: Group,
    pub(super) elector: Option<LeaderElector>,
    pub(super) graceful_timeout: Duration,
    pub(super) on_stuck_work: OnStuckWork,
}

impl Work {
    /// Runs both groups until `stop` is cancelled or one of them ends; stops the leader's group
    /// first.
    pub(super) async fn run(
        self,
        stop: &CancellationToken,
        phase: &Phase,
    ) -> Result<(), ManagerError> {
        phase.0.running.store(true, Ordering::SeqCst);
        let Self {
            leaders,
            others,
            elector,
            graceful_timeout,
            on_stuck_work,
        } = self;
        let stop_others = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(run_group(others, stop_others.clone(), None));
        let mut leading = Box::pin(async {
            match elector {
                Some(elector) if !leaders.is_empty() => {
                    lead(leaders, elector, stop, on_stuck_work).await
                }
                _ => work(leaders, stop, graceful_timeout, None).await,
            }
        });
        let mut failed = None;
        let led = loop {
            tokio::select! {
                biased;
                led = &mut leading => break led,
                Some(ended) = tasks.join_next() => {
                    failed = Some(flatten(ended));
                    stop.cancel();
                }
                () = stop.cancelled(), if phase.0.stopping.get().is_none() => {
                    phase.stopping();
                }
            }
        };
        stop.cancel();
        stop_others.cancel();
        match failed {
            Some(failed) => failed.and(led),
            None => led.and(within(phase.deadline(graceful_timeout), tasks).await),
        }
    }
}

/// Contends for the Lease, and runs `group` while it is held. The elector enforces the graceful
/// timeout.
async fn lead(
    group: Group,
    elector: LeaderElector,
    stop: &CancellationToken,
    on_stuck_work: OnStuckWork,
) -> Result<(), ManagerError> {
    let run = |leadership: Leadership| {
        let stop = leadership.token().clone();
        run_group(group, stop, Some(leadership))
    };
    match elector.run(stop, run).await {
        Stopped::NeverLed => Ok(()),
        Stopped::Finished(result) => result,
        Stopped::Overdue => Err(ManagerError::GracefulTimeout),
        Stopped::Lost(reason) => Err(ManagerError::LeadershipLost { reason }),
        Stopped::RunsOn => {
            if on_stuck_work == OnStuckWork::ExitProcess {
                tracing::error!(
                    "the leader's work did not stop: exiting before another process leads"
                );
                std::process::exit(1);
            }
            Err(ManagerError::WorkRunsOn)
        }
    }
}

/// Runs `group` without an election of its own.
pub(super) async fn work(
    group: Group,
    stop: &CancellationToken,
    graceful_timeout: Duration,
    leadership: Option<Leadership>,
) -> Result<(), ManagerError> {
    let mut tasks = JoinSet::new();
    tasks.spawn(run_group(group, stop.clone(), leadership));
    let overdue = async {
        stop.cancelled().await;
        sleep_until(after(graceful_timeout)).await;
    };
    tokio::select! {
        biased;
        Some(ended) = tasks.join_next() => flatten(ended),
        () = overdue => Err(ManagerError::GracefulTimeout),
    }
}

/// Waits for `tasks` until `deadline`, then drops them.
async fn within(
    deadline: Instant,
    mut tasks: JoinSet<Result<(), ManagerError>>,
) -> Result<(), ManagerError> {
    match timeout_at(deadline, tasks.join_next()).await {
        Ok(Some(ended)) => flatten(ended),
        Ok(None) => Ok(()),
        Err(_) => Err(ManagerError::GracefulTimeout),
    }
}

/// Resumes a panic of the task.
fn flatten(ended: Result<Result<(), ManagerError>, JoinError>) -> Result<(), ManagerError> {
    ended.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Ok(()),
    })
}
