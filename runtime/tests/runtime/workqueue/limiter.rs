use std::time::Duration;

use codegen_runtime::workqueue::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter,
    MaxOfRateLimiter, RateLimiter, WithMaxWaitRateLimiter, WorkQueue,
    default_controller_rate_limiter,
};
use tokio::time::advance;

use crate::workqueue::{ms, nothing, now, time};

fn check(limiter: &impl RateLimiter<&'static str>, item: &'static str, waits: &[Duration]) {
    let got: Vec<_> = waits.iter().map(|_| limiter.when(&item)).collect();
    assert_eq!(got, waits);
}

#[test]
fn the_exponential_limiter_doubles_an_item_at_a_time_and_forgets() {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(1), Duration::from_secs(1));
    check(&limiter, "one", &[ms(1), ms(2), ms(4), ms(8), ms(16)]);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    check(&limiter, "two", &[ms(1), ms(2)]);
    limiter.forget(&"one");
    assert_eq!(limiter.num_requeues(&"one"), 0);
    check(&limiter, "one", &[ms(1)]);
    assert_eq!(limiter.num_requeues(&"two"), 2);
}

#[test]
fn the_exponential_limiter_does_not_overflow() {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(1), Duration::from_secs(1000));
    (0..5).for_each(|_| _ = limiter.when(&"one"));
    check(&limiter, "one", &[ms(32)]);
    (0..1000).for_each(|_| _ = limiter.when(&"overflow"));
    check(&limiter, "overflow", &[Duration::from_secs(1000)]);
    let huge = ItemExponentialFailureRateLimiter::new(Duration::from_secs(3600), Duration::MAX);
    (0..1000).for_each(|_| _ = huge.when(&"overflow"));
    check(&huge, "overflow", &[Duration::MAX]);
}

#[test]
fn the_fast_slow_limiter_is_fast_and_then_slow() {
    let limiter = ItemFastSlowRateLimiter::new(ms(5), Duration::from_secs(10), 3);
    check(
        &limiter,
        "one",
        &[
            ms(5),
            ms(5),
            ms(5),
            Duration::from_secs(10),
            Duration::from_secs(10),
        ],
    );
    assert_eq!(limiter.num_requeues(&"one"), 5);
    limiter.forget(&"one");
    check(&limiter, "one", &[ms(5)]);
}

#[test]
fn the_max_of_limiter_takes_the_longest_wait_and_the_largest_count() {
    let limiter = MaxOfRateLimiter::new([
        Box::new(ItemFastSlowRateLimiter::new(
            ms(5),
            Duration::from_secs(3),
            3,
        )) as Box<dyn RateLimiter<_>>,
        Box::new(ItemExponentialFailureRateLimiter::new(
            ms(1),
            Duration::from_secs(1),
        )),
    ]);
    check(
        &limiter,
        "one",
        &[ms(5), ms(5), ms(5), Duration::from_secs(3)],
    );
    assert_eq!(limiter.num_requeues(&"one"), 4);
    limiter.forget(&"one");
    check(&limiter, "one", &[ms(5)]);
}

#[test]
fn the_max_wait_limiter_caps() {
    let inner = ItemExponentialFailureRateLimiter::new(ms(1), Duration::from_secs(1));
    let limiter = WithMaxWaitRateLimiter::new(inner, ms(3));
    check(&limiter, "one", &[ms(1), ms(2), ms(3), ms(3)]);
}

#[tokio::test(start_paused = true)]
async fn the_bucket_lets_a_burst_pass_and_then_spreads_tries_out() {
    let limiter = BucketRateLimiter::new(10.0, 3);
    check(&limiter, "any", &[ms(0), ms(0), ms(0), ms(100), ms(200)]);
    advance(ms(150)).await;
    check(&limiter, "any", &[ms(150)]);
    assert!(!limiter.try_take());
    advance(ms(10_000)).await;
    assert!(limiter.try_take());
    check(&limiter, "any", &[ms(0), ms(0), ms(100)]);
}

#[tokio::test(start_paused = true)]
async fn the_default_limiter_is_5_ms_doubling_up_to_1000_s_and_10_a_second_after_100() {
    let limiter = default_controller_rate_limiter();
    check(&limiter, "one", &[ms(5), ms(10), ms(20)]);
    for item in 0..97 {
        assert_eq!(
            RateLimiter::when(&default_controller_rate_limiter(), &item),
            ms(5)
        );
        limiter.when(&"other");
    }
    check(&limiter, "fresh", &[ms(100), ms(200)]);
    assert_eq!(limiter.when(&"other"), Duration::from_secs(1000));
}

fn millisecond_queue() -> WorkQueue<&'static str> {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(1), Duration::from_secs(1));
    WorkQueue::builder().rate_limiter(limiter).build()
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_add_waits_for_the_limiter_and_counts() {
    let queue = millisecond_queue();
    queue.add_rate_limited("one");
    queue.add_rate_limited("one");
    assert_eq!(queue.num_requeues(&"one"), 2);
    let (took, item) = time(queue.get()).await;
    assert_eq!((took, item.map(|item| *item)), (ms(1), Some("one")));
    queue.add_rate_limited("two");
    queue.forget(&"one");
    assert_eq!(
        (queue.num_requeues(&"one"), queue.num_requeues(&"two")),
        (0, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_add_waits_for_the_longer_of_the_limiter_and_what_the_caller_asks() {
    let queue = millisecond_queue();
    for (least, expected) in [(ms(5), ms(5)), (ms(1), ms(2)), (ms(9), ms(9))] {
        queue.add_rate_limited_after("one", least);
        assert_eq!(time(queue.get()).await.0, expected);
    }
    assert_eq!(queue.num_requeues(&"one"), 3);
}

/// Fails the next item: adds it again, rate-limited, and finishes it.
async fn fail(queue: &WorkQueue<&'static str>) {
    let item = now(queue).await;
    queue.add_rate_limited(*item);
}

#[tokio::test(start_paused = true)]
async fn a_spurious_trigger_burns_no_back_off_step_and_waits_for_the_rest() {
    let queue = WorkQueue::builder()
        .rate_limiter(ItemExponentialFailureRateLimiter::new(
            ms(100),
            Duration::from_secs(10),
        ))
        .build();
    queue.add("a");
    fail(&queue).await;
    for _ in 0..5 {
        advance(ms(10)).await;
        queue.add("a");
        fail(&queue).await;
        assert_eq!(queue.num_requeues(&"a"), 1);
        nothing(&queue).await;
    }
    let (took, item) = time(queue.get()).await;
    assert_eq!(took, ms(50));
    queue.add_rate_limited("a");
    assert_eq!(queue.num_requeues(&"a"), 2);
    drop(item);
    assert_eq!(time(queue.get()).await.0, ms(200));
}
