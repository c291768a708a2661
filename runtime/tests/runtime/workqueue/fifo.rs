use std::sync::Arc;
use std::task::Poll;

use codegen_runtime::workqueue::WorkQueue;
use futures::poll;
use tokio::task::yield_now;

use crate::workqueue::{nothing, now, take_all};

#[tokio::test]
async fn adding_a_queued_item_collapses() {
    let queue = WorkQueue::new();
    for item in ["a", "b", "a", "a", "b"] {
        queue.add(item);
    }
    assert_eq!(queue.len(), 2);
    assert_eq!(take_all(&queue).await, ["a", "b"]);
}

#[tokio::test]
async fn adding_an_item_in_process_reruns_it_once_after_done_at_the_tail() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = now(&queue).await;
    for item in ["a", "a", "b", "a"] {
        queue.add(item);
    }
    assert_eq!(*now(&queue).await, "b");
    nothing(&queue).await;
    queue.add("c");
    a.done();
    assert_eq!(take_all(&queue).await, ["c", "a"]);
    nothing(&queue).await;
}

#[tokio::test]
async fn an_item_done_can_be_added_again() {
    let queue = WorkQueue::new();
    for _ in 0..3 {
        queue.add("a");
        now(&queue).await.done();
        assert_eq!(queue.len(), 0);
    }
}

#[tokio::test]
async fn len_counts_what_can_be_handed_out_only() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.add(2);
    assert_eq!(queue.len(), 2);
    let one = now(&queue).await;
    queue.add(1);
    assert_eq!(queue.len(), 1);
    one.done();
    assert_eq!(queue.len(), 2);
}

#[tokio::test]
async fn items_come_in_the_order_of_their_adds() {
    let queue = WorkQueue::new();
    (0..1000).for_each(|item| queue.add(item));
    assert_eq!(take_all(&queue).await, (0..1000).collect::<Vec<_>>());
}

#[tokio::test]
async fn done_items_are_freed() {
    let queue = WorkQueue::new();
    let item = Arc::new("big");
    queue.add(Arc::clone(&item));
    assert_eq!(Arc::strong_count(&item), 2);
    now(&queue).await.done();
    assert_eq!(Arc::strong_count(&item), 1);
    assert_eq!(queue.known(), 0);
}

#[tokio::test]
async fn a_worker_that_panics_does_not_lock_its_item_up() {
    let queue = WorkQueue::new();
    queue.add("a");
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            let _item = queue.get().await;
            panic!("on purpose");
        }
    });
    assert!(worker.await.is_err());
    queue.add("a");
    assert_eq!(*now(&queue).await, "a");
}

#[tokio::test]
async fn waiting_workers_are_woken_in_the_order_in_which_they_came() {
    let queue = WorkQueue::new();
    let (mut first, mut second) = (Box::pin(queue.get()), Box::pin(queue.get()));
    assert!(poll!(&mut first).is_pending());
    assert!(poll!(&mut second).is_pending());
    queue.add("a");
    queue.add("b");
    let Poll::Ready(Some(a)) = poll!(&mut first) else {
        panic!("the first worker was not woken")
    };
    let Poll::Ready(Some(b)) = poll!(&mut second) else {
        panic!("the second worker was not woken")
    };
    assert_eq!((*a, *b), ("a", "b"));
}

#[tokio::test]
async fn a_get_dropped_after_its_wake_up_passes_it_on() {
    let queue = WorkQueue::new();
    let mut first = Box::pin(queue.get());
    assert!(poll!(&mut first).is_pending());
    let second = tokio::spawn({
        let queue = queue.clone();
        async move { queue.get().await.map(|item| *item) }
    });
    yield_now().await;
    queue.add("a");
    drop(first);
    assert_eq!(second.await.ok().flatten(), Some("a"));
}

#[tokio::test]
async fn a_queue_that_never_runs_dry_lets_other_tasks_run() {
    let queue = WorkQueue::new();
    queue.add(0_u64);
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            while let Some(item) = queue.get().await {
                queue.add(*item);
            }
        }
    });
    for _ in 0..10 {
        yield_now().await;
    }
    queue.shut_down();
    worker.abort();
    assert!(worker.await.is_err());
}
