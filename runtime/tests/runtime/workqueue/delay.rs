use std::time::Duration;

use codegen_runtime::workqueue::WorkQueue;
use tokio::time::{Instant, advance, sleep};

use crate::workqueue::{ms, nothing, now, take_all, time};

/// Waits for the next item, which must be `expected` and arrive after exactly `wait`.
async fn check_next(queue: &WorkQueue<&'static str>, wait: u64, expected: &str) {
    let (took, item) = time(queue.get()).await;
    assert_eq!(item.map(|item| *item), Some(expected));
    assert_eq!(took, ms(wait));
}

#[tokio::test(start_paused = true)]
async fn a_delayed_item_comes_when_its_delay_ends_and_not_before() {
    let queue = WorkQueue::new();
    queue.add_after("a", ms(50));
    assert_eq!(queue.len(), 0);
    nothing(&queue).await;
    advance(ms(49)).await;
    nothing(&queue).await;
    check_next(&queue, 1, "a").await;
    assert_eq!(queue.known(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_item_keeps_the_earliest_of_its_delays() {
    let queue = WorkQueue::new();
    queue.add_after("a", ms(50));
    queue.add_after("a", ms(70));
    check_next(&queue, 50, "a").await;
    sleep(ms(100)).await;
    nothing(&queue).await;
    queue.add_after("a", ms(50));
    queue.add_after("a", ms(30));
    check_next(&queue, 30, "a").await;
    sleep(ms(100)).await;
    nothing(&queue).await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_of_zero_is_at_once() {
    let queue = WorkQueue::new();
    queue.add_after("a", Duration::ZERO);
    assert_eq!(take_all(&queue).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_shorter_delay_comes_first_though_a_worker_sleeps_for_a_longer_one() {
    let queue = WorkQueue::new();
    queue.add_after("late", ms(1000));
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            let start = Instant::now();
            let item = queue.get().await;
            (start.elapsed(), item.map(|item| *item))
        }
    });
    sleep(ms(10)).await;
    queue.add_after("early", ms(20));
    assert_eq!(worker.await.ok(), Some((ms(30), Some("early"))));
}

#[tokio::test(start_paused = true)]
async fn items_come_in_the_order_of_their_deadlines() {
    let queue = WorkQueue::new();
    for (item, delay) in [("c", 30), ("a", 10), ("d", 40), ("b", 20)] {
        queue.add_after(item, ms(delay));
    }
    sleep(ms(100)).await;
    assert_eq!(queue.len(), 4);
    assert_eq!(take_all(&queue).await, ["a", "b", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn an_immediate_add_leaves_a_delay_in_force() {
    let queue = WorkQueue::new();
    queue.add_after("a", ms(50));
    queue.add("a");
    assert_eq!(*now(&queue).await, "a");
    nothing(&queue).await;
    check_next(&queue, 50, "a").await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_ends_while_the_item_is_in_process_reruns_it() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = now(&queue).await;
    queue.add_after("a", ms(10));
    sleep(ms(20)).await;
    nothing(&queue).await;
    a.done();
    assert_eq!(take_all(&queue).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn one_of_many_workers_wakes_for_a_delay_also_when_the_one_that_slept_for_it_went() {
    let queue = WorkQueue::new();
    queue.add_after("a", ms(50));
    let mut workers: Vec<_> = (0..3)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.get().await.map(|item| *item) })
        })
        .collect();
    sleep(ms(10)).await;
    workers.remove(0).abort();
    sleep(ms(10)).await;
    workers.remove(0).abort();
    let (took, item) = time(workers.remove(0)).await;
    assert_eq!((took, item.ok().flatten()), (ms(30), Some("a")));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_takes_an_item_leaves_the_clock_to_another() {
    let queue = WorkQueue::new();
    queue.add_after("late", ms(100));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let start = Instant::now();
                let item = queue.get().await.map(|item| *item);
                let took = start.elapsed();
                // Keeps the first item in process for long.
                if item == Some("now") {
                    sleep(ms(10_000)).await;
                }
                (took, item)
            })
        })
        .collect();
    sleep(ms(1)).await;
    queue.add("now");
    let mut seen = Vec::new();
    for worker in workers {
        seen.extend(worker.await);
    }
    seen.sort();
    assert_eq!(seen, [(ms(1), Some("now")), (ms(100), Some("late"))]);
}

#[tokio::test(start_paused = true)]
async fn a_delay_beyond_the_clock_is_never() {
    let queue = WorkQueue::new();
    queue.add_after("a", Duration::MAX);
    nothing(&queue).await;
}
