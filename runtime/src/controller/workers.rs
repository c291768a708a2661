//! Workers for a queue of the caller's: the classic controller's `Run(workers)`.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::reconciler::panic_message;
use crate::workqueue::{QueueItem, WorkQueue};

/// Runs `work` on the items of `queue`, up to `workers` at a time, until `stop` is cancelled or the queue is shut down.
///
/// - `work` decides what follows: it calls [`forget`](WorkQueue::forget) or
///   [`add_rate_limited`](WorkQueue::add_rate_limited) itself, as client-go's `processNextWorkItem` does.
/// - A panic in `work` is caught and logged, and the item is added again, rate-limited.
/// - When `stop` is cancelled the queue is shut down, nothing more is handed out, and what is under way is finished. When
///   the queue is shut down otherwise, what it holds is still worked off.
///
/// Dropping the future drops the workers.
pub async fn run_workers<T, F, W>(
    queue: &WorkQueue<T>,
    workers: usize,
    stop: &CancellationToken,
    work: F,
) where
    T: QueueItem,
    F: Fn(T) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for _ in 0..workers.max(1) {
        let (queue, stop, work) = (queue.clone(), stop.clone(), work.clone());
        tasks.spawn(async move {
            while let Some(Some(item)) = stop.run_until_cancelled(queue.get()).await {
                let call = AssertUnwindSafe(async { work((*item).clone()).await });
                if let Err(panic) = call.catch_unwind().await {
                    tracing::error!(queue = queue.name(), item = ?*item, panic = panic_message(&*panic), "worker panicked");
                    queue.add_rate_limited((*item).clone());
                }
            }
            if stop.is_cancelled() {
                queue.shut_down();
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}
