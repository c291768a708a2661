//! Tests of the work queue; each test's name states what it verifies.
//!
//! Long sleeps take no time: tests that wait for more than milliseconds use a paused clock
//! (`start_paused`).

mod delay;
mod drain;
mod fifo;
mod hammer;
mod limiter;
mod metrics;
mod model;
mod priority;

use std::future::Future;
use std::task::Poll;
use std::time::Duration;

use codegen_runtime::workqueue::{Item, QueueItem, WorkQueue};
use futures::poll;
use tokio::task::unconstrained;

/// Returns the next item, which must be ready already.
async fn now<T: QueueItem>(queue: &WorkQueue<T>) -> Item<T> {
    match poll!(queue.get()) {
        Poll::Ready(Some(item)) => item,
        Poll::Ready(None) => panic!("the queue is shut down"),
        Poll::Pending => panic!("the queue is empty"),
    }
}

/// Asserts that no item can be handed out now.
async fn nothing<T: QueueItem>(queue: &WorkQueue<T>) {
    let next = poll!(queue.get());
    assert!(next.is_pending(), "handed out {next:?}");
}

/// Gets and finishes all items that can be handed out now.
async fn take_all<T: QueueItem>(queue: &WorkQueue<T>) -> Vec<T> {
    let mut taken = Vec::new();
    // Bypasses tokio's budget, which would end a long run of ready polls.
    while let Poll::Ready(Some(item)) = poll!(unconstrained(queue.get())) {
        taken.push((*item).clone());
    }
    taken
}

/// Returns how long `future` takes on the paused clock.
async fn time<F: Future>(future: F) -> (Duration, F::Output) {
    let start = tokio::time::Instant::now();
    let output = future.await;
    (start.elapsed(), output)
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
