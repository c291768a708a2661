//! Workers for the caller's own queue: the classic controller's `Run(workers)`.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::reconciler::panic_message;
use crate::workqueue::{AddOptions, Item, PriorityQueue, QueueItem, WorkQueue};

/// Runs `work` on the items of `queue`, up to `workers` at a time, until `stop` is cancelled or the
/// queue is shut down.
///
/// - `work` decides about retries: it calls [`forget`](WorkQueue::forget) or
///   [`add_rate_limited`](WorkQueue::add_rate_limited) itself, like client-go's
///   `processNextWorkItem`.
/// - A panic in `work` is caught and logged, and the item is added again, rate-limited.
/// - When `stop` is cancelled, the queue is shut down, no more items are handed out, and the items
///   in progress are finished. When the queue is shut down by other means, its remaining items are
///   still processed.
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
    let again = |queue: &WorkQueue<T>, item: &Item<T>| queue.add_rate_limited((**item).clone());
    run(queue, workers, stop, move |item, _| work(item), again).await;
}

/// Like [`run_workers`], for a priority queue: `work` receives the priority of the item, and should
/// keep it when it adds the item again.
pub async fn run_priority_workers<T, F, W>(
    queue: &PriorityQueue<T>,
    workers: usize,
    stop: &CancellationToken,
    work: F,
) where
    T: QueueItem,
    F: Fn(T, i32) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    let priorities = queue.clone();
    let again = move |_: &WorkQueue<T>, item: &Item<T>| {
        let options = AddOptions {
            priority: item.priority(),
            rate_limited: true,
            ..AddOptions::default()
        };
        priorities.add_with((**item).clone(), options);
    };
    run(queue, workers, stop, work, again).await;
}

/// Runs `work`, and calls `again` for an item whose work panicked.
async fn run<T, F, W, A>(
    queue: &WorkQueue<T>,
    workers: usize,
    stop: &CancellationToken,
    work: F,
    again: A,
) where
    T: QueueItem,
    F: Fn(T, i32) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
    A: Fn(&WorkQueue<T>, &Item<T>) + Clone + Send + Sync + 'static,
{
    let mut tasks = JoinSet::new();
    for _ in 0..workers.max(1) {
        let (queue, stop) = (queue.clone(), stop.clone());
        let (work, again) = (work.clone(), again.clone());
        tasks.spawn(async move {
            while let Some(Some(item)) = stop.run_until_cancelled(queue.get()).await {
                let call =
                    AssertUnwindSafe(async { work((*item).clone(), item.priority()).await });
                if let Err(panic) = call.catch_unwind().await {
                    tracing::error!(queue = queue.name(), item = ?*item, panic = panic_message(&*panic), "worker panicked");
                    again(&queue, &item);
                }
            }
            if stop.is_cancelled() {
                queue.shut_down();
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}
