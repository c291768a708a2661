//! Runnables that start and stop together.

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{AnyRunnable, ManagerError, RunContext, Runnable};
use crate::leader::Leadership;

/// Runs all of `runnables` until `stop` is cancelled or one of them fails; then stops the others
/// and waits for them.
pub(super) async fn run_group(
    runnables: Vec<AnyRunnable>,
    stop: CancellationToken,
    leadership: Option<Leadership>,
) -> Result<(), ManagerError> {
    let stop = stop.child_token();
    let mut tasks = JoinSet::new();
    for runnable in runnables {
        let context = RunContext::new(stop.clone(), leadership.clone());
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
