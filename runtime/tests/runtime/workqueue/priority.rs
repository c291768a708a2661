use codegen_runtime::workqueue::{
    AddOptions, ItemExponentialFailureRateLimiter, LOW_PRIORITY, PriorityQueue, WorkQueue,
};
use tokio::time::{advance, sleep};

use crate::workqueue::{ms, nothing, now, take_all, time};

fn at(priority: i32) -> AddOptions {
    AddOptions::default().priority(priority)
}

fn after(priority: i32, millis: u64) -> AddOptions {
    AddOptions::default().priority(priority).after(ms(millis))
}

#[tokio::test]
async fn high_priority_items_are_returned_before_low_priority_items_multiple_times() {
    let queue = PriorityQueue::new();
    for round in 0..3 {
        for item in 0..10 {
            queue.add_with(
                (round, item),
                at(if item % 2 == 0 { LOW_PRIORITY } else { 0 }),
            );
        }
        let order = take_all(&queue)
            .await
            .into_iter()
            .map(|(_, item)| item)
            .collect::<Vec<_>>();
        assert_eq!(order, [1, 3, 5, 7, 9, 0, 2, 4, 6, 8]);
    }
}

#[tokio::test]
async fn a_raised_item_goes_to_the_tail_of_its_new_priority() {
    let queue = PriorityQueue::new();
    for (item, priority) in [("low", 0), ("raised", 0), ("high", 5), ("last", 0)] {
        queue.add_with(item, at(priority));
    }
    queue.add_with("raised", at(5));
    queue.add_with("high", at(0));
    assert_eq!(take_all(&queue).await, ["high", "raised", "low", "last"]);
}

#[tokio::test]
async fn an_item_tells_its_priority() {
    let queue = PriorityQueue::new();
    queue.add_with("a", at(7));
    assert_eq!(now(&queue).await.priority(), 7);
    queue.add("a");
    assert_eq!(now(&queue).await.priority(), 0);
}

#[tokio::test]
async fn an_item_added_in_process_reruns_with_its_highest_priority() {
    let queue = PriorityQueue::new();
    queue.add_with("a", at(1));
    let a = now(&queue).await;
    queue.add_with("a", at(-3));
    queue.add_with("a", at(3));
    queue.add_with("a", at(2));
    queue.add_with("b", at(2));
    a.done();
    let a = now(&queue).await;
    assert_eq!((*a, a.priority()), ("a", 3));
}

#[tokio::test(start_paused = true)]
async fn an_item_is_returned_only_after_its_delay_has_passed() {
    let queue = PriorityQueue::new();
    queue.add_with("a", after(0, 1000));
    advance(ms(999)).await;
    nothing(&queue).await;
    assert_eq!(queue.len(), 0);
    advance(ms(1)).await;
    assert_eq!(queue.len(), 1);
    assert_eq!(take_all(&queue).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_time_wins_and_an_immediate_add_ends_a_delay() {
    let queue = PriorityQueue::new();
    queue.add_with("a", after(0, 1000));
    queue.add_with("a", after(0, 100));
    queue.add_with("a", after(0, 500));
    assert_eq!(time(queue.get()).await.0, ms(100));
    queue.add_with("a", after(3, 1000));
    queue.add("a");
    queue.add_with("a", after(1, 1000));
    let a = now(&queue).await;
    assert_eq!(a.priority(), 3, "the higher priority of the two adds holds");
    a.done();
    sleep(ms(5000)).await;
    nothing(&queue).await;
    assert_eq!(queue.known(), 0);
}

#[tokio::test(start_paused = true)]
async fn items_that_become_ready_are_ordered_by_ready_time() {
    let queue = PriorityQueue::new();
    for (item, delay) in [("c", 30), ("a", 10), ("b", 20), ("d", 40)] {
        queue.add_with(item, after(0, delay));
    }
    queue.add_with("first", after(1, 40));
    sleep(ms(50)).await;
    assert_eq!(take_all(&queue).await, ["first", "a", "b", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_item_does_not_hide_a_ready_one_of_lower_priority() {
    let queue = PriorityQueue::new();
    queue.add_with("later", after(100, 1000));
    queue.add_with("now", at(LOW_PRIORITY));
    assert_eq!(take_all(&queue).await, ["now"]);
}

#[tokio::test(start_paused = true)]
async fn a_priority_queue_serves_back_off_before_a_further_step() {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(100), ms(10_000));
    let queue = WorkQueue::builder().rate_limiter(limiter).build_priority();
    let retry = AddOptions::default().rate_limited();
    queue.add("a");
    let item = now(&queue).await;
    queue.add_with("a", retry);
    item.done();
    advance(ms(30)).await;
    queue.add("a");
    let item = now(&queue).await;
    queue.add_with("a", retry);
    item.done();
    assert_eq!(queue.num_requeues(&"a"), 1);
    assert_eq!(time(queue.get()).await.0, ms(70));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_add_waits_for_the_longer_of_both_times() {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(100), ms(10_000));
    let queue = WorkQueue::builder().rate_limiter(limiter).build_priority();
    queue.add_with("a", AddOptions::default().rate_limited().after(ms(300)));
    assert_eq!(time(queue.get()).await.0, ms(300));
}

#[tokio::test]
async fn shutdown_while_handing_out_does_not_deadlock() {
    let queue = PriorityQueue::new();
    (0..100).for_each(|item| queue.add_with(item, at(item)));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut taken = 0;
                while let Some(item) = queue.get().await {
                    queue.add(*item);
                    taken += 1;
                    tokio::task::yield_now().await;
                }
                taken
            })
        })
        .collect();
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    queue.shut_down();
    let mut taken = 0;
    for worker in workers {
        taken += worker.await.unwrap_or(0);
    }
    assert!(taken >= 100, "what was queued is handed out, {taken}");
}

#[tokio::test]
async fn arbitrary_priorities_come_in_order() {
    let queue = PriorityQueue::new();
    let priorities = (0..500).map(|n| (n * 7919) % 1009 - 500);
    priorities
        .clone()
        .for_each(|priority| queue.add_with(priority, at(priority)));
    let mut expected = priorities.collect::<Vec<_>>();
    expected.sort_by(|a, b| b.cmp(a));
    assert_eq!(take_all(&queue).await, expected);
}

/// A queue whose limiter waits 1 s after the first failure, then 2 s, 4 s and so on.
fn second_queue() -> PriorityQueue<&'static str> {
    WorkQueue::builder()
        .rate_limiter(ItemExponentialFailureRateLimiter::new(ms(1000), ms(9000)))
        .build_priority()
}

/// Fails the next item, whose server asks to wait for `least` milliseconds.
async fn fail(queue: &PriorityQueue<&'static str>, least: u64) {
    let item = now(queue).await;
    queue.add_with(*item, after(0, least).rate_limited());
}

fn unchanged() -> AddOptions {
    at(LOW_PRIORITY).unchanged()
}

#[tokio::test(start_paused = true)]
async fn an_add_without_a_change_waits_as_long_as_a_server_asked() {
    let queue = second_queue();
    queue.add_with("a", unchanged());
    fail(&queue, 5000).await;
    for _ in 0..4 {
        advance(ms(1000)).await;
        queue.add_with("a", unchanged());
        nothing(&queue).await;
    }
    assert_eq!(time(queue.get()).await.0, ms(1000));
    // A change is handed out at once, and a back-off that no server asked for is not kept.
    queue.add("a");
    fail(&queue, 5000).await;
    queue.add("a");
    fail(&queue, 0).await;
    queue.add("a");
    queue.forget(&*now(&queue).await);
    queue.add("a");
    fail(&queue, 0).await;
    queue.add_with("a", unchanged());
    assert_eq!(*now(&queue).await, "a");
}

#[tokio::test(start_paused = true)]
async fn an_add_without_a_change_ends_a_back_off_that_exceeds_what_a_server_asked() {
    let queue = second_queue();
    for _ in 0..3 {
        queue.add("a");
        fail(&queue, 0).await;
        advance(ms(9000)).await;
        let _ = now(&queue).await;
    }
    queue.add("a");
    fail(&queue, 3000).await;
    advance(ms(1000)).await;
    queue.add_with("a", unchanged());
    assert_eq!(time(queue.get()).await.0, ms(2000));
}

#[tokio::test(start_paused = true)]
async fn an_add_without_a_change_in_process_waits_as_long_as_a_server_asks() {
    let queue = second_queue();
    queue.add("a");
    let item = now(&queue).await;
    queue.add_with("a", unchanged());
    queue.add_with(*item, after(0, 5000).rate_limited());
    item.done();
    assert_eq!(time(queue.get()).await.0, ms(5000));
    // With a change as well, before or after it, the rerun follows at once.
    for options in [[at(0), unchanged()], [unchanged(), at(0)]] {
        queue.add("a");
        let item = now(&queue).await;
        for options in options {
            queue.add_with("a", options);
        }
        queue.add_with(*item, after(0, 5000).rate_limited());
        item.done();
        assert_eq!(*now(&queue).await, "a");
    }
}
