use codegen_runtime::workqueue::WorkQueue;
use futures::poll;
use std::task::Poll;

use crate::workqueue::{ms, now, take_all, time};

#[tokio::test]
async fn after_shutdown_queued_items_are_still_handed_out_and_adds_are_refused() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("b");
    queue.shut_down();
    queue.add("c");
    queue.add_rate_limited("d");
    assert!(queue.is_shutting_down());
    assert_eq!(take_all(&queue).await, ["a", "b"]);
    assert!(queue.get().await.is_none());
}

#[tokio::test]
async fn shutdown_wakes_every_waiting_worker() {
    let queue = WorkQueue::<u8>::new();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.get().await.is_none() })
        })
        .collect();
    tokio::task::yield_now().await;
    queue.shut_down();
    for worker in workers {
        assert!(worker.await.is_ok_and(|ended| ended));
    }
}

#[tokio::test(start_paused = true)]
async fn shutdown_forgets_delays() {
    let queue = WorkQueue::new();
    queue.add_after("a", ms(10));
    queue.shut_down();
    assert_eq!(queue.known(), 0);
    assert!(queue.get().await.is_none());
}

#[tokio::test]
async fn drain_waits_until_all_is_done() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("b");
    let a = now(&queue).await;
    let mut drain = Box::pin(queue.shut_down_with_drain());
    assert!(poll!(&mut drain).is_pending());
    queue.add("late");
    a.done();
    assert!(poll!(&mut drain).is_pending(), "b is still queued");
    now(&queue).await.done();
    assert!(poll!(&mut drain).is_ready());
    assert!(queue.get().await.is_none());
}

#[tokio::test]
async fn drain_waits_for_dirty_items_too() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = now(&queue).await;
    queue.add("a");
    let mut drain = Box::pin(queue.shut_down_with_drain());
    assert!(poll!(&mut drain).is_pending());
    a.done();
    assert!(poll!(&mut drain).is_pending());
    let Poll::Ready(Some(rerun)) = poll!(queue.get()) else {
        panic!("the rerun was lost")
    };
    assert!(poll!(&mut drain).is_pending());
    rerun.done();
    assert!(poll!(&mut drain).is_ready());
}

#[tokio::test]
async fn a_later_shutdown_ends_a_drain() {
    let queue = WorkQueue::new();
    queue.add("a");
    let _never_done = now(&queue).await;
    let mut drain = Box::pin(queue.shut_down_with_drain());
    assert!(poll!(&mut drain).is_pending());
    queue.shut_down();
    assert!(poll!(&mut drain).is_ready());
}

#[tokio::test]
async fn an_idle_queue_drains_at_once() {
    let queue = WorkQueue::<u8>::new();
    assert!(poll!(Box::pin(queue.shut_down_with_drain())).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_drain_that_is_given_up_leaves_the_queue_shut_down() {
    let queue = WorkQueue::new();
    queue.add("a");
    let (took, drained) = time(tokio::time::timeout(ms(50), queue.shut_down_with_drain())).await;
    assert!(drained.is_err());
    assert_eq!(took, ms(50));
    assert!(queue.is_shutting_down());
    assert_eq!(take_all(&queue).await, ["a"]);
    assert!(queue.get().await.is_none());
}
