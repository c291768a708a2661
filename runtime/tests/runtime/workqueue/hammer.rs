//! Many adders, workers and cancellations at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use codegen_runtime::workqueue::{
    AddOptions, ItemExponentialFailureRateLimiter, PriorityQueue, WorkQueue,
};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

const KEYS: usize = 64;
const ADDS: u32 = if cfg!(debug_assertions) {
    2_000
} else {
    50_000
};

/// The state of a key: the number of adds, how many of them a run has seen, and whether a run is
/// active.
#[derive(Default)]
struct Key {
    added: AtomicU32,
    seen: AtomicU32,
    running: AtomicBool,
}

type Keys = Arc<Vec<Key>>;

async fn add_many(queue: PriorityQueue<usize>, keys: Keys, seed: usize) {
    let mut n = seed;
    for _ in 0..ADDS {
        n = n
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let key = (n >> 33) % KEYS;
        keys[key].added.fetch_add(1, Ordering::SeqCst);
        let after = if (n >> 20).is_multiple_of(8) {
            Duration::from_micros(((n >> 24) % 2000) as u64)
        } else {
            Duration::ZERO
        };
        let priority = i32::try_from((n >> 40) % 3).unwrap_or(0);
        queue.add_with(key, {
            let options = AddOptions::default().priority(priority).after(after);
            if (n >> 45).is_multiple_of(64) {
                options.rate_limited()
            } else {
                options
            }
        });
        if (n >> 50).is_multiple_of(32) {
            yield_now().await;
        }
    }
}

async fn work(queue: PriorityQueue<usize>, keys: Keys, worker: u64) -> u32 {
    let mut runs = 0;
    loop {
        // Cancels some waits, so that wake-ups are passed on.
        let wait = Duration::from_micros(50 * (worker + 1));
        let item = match timeout(wait, queue.get()).await {
            Ok(Some(item)) => item,
            Ok(None) => return runs,
            Err(_) => continue,
        };
        let key = &keys[*item];
        assert!(
            !key.running.swap(true, Ordering::SeqCst),
            "two runs of one key at a time"
        );
        let seen = key.added.load(Ordering::SeqCst);
        if runs % 3 == 0 {
            yield_now().await;
        }
        key.seen.store(seen, Ordering::SeqCst);
        key.running.store(false, Ordering::SeqCst);
        queue.forget(&item);
        item.done();
        runs += 1;
    }
}

/// Asserts that every add was followed by the start of a run, and that no key ran concurrently with
/// itself.
async fn check(queue: PriorityQueue<usize>) {
    let keys: Keys = Arc::new((0..KEYS).map(|_| Key::default()).collect());
    let mut workers = JoinSet::new();
    (0..8).for_each(|worker| drop(workers.spawn(work(queue.clone(), Arc::clone(&keys), worker))));
    let mut adders = JoinSet::new();
    (0..8).for_each(|seed| drop(adders.spawn(add_many(queue.clone(), Arc::clone(&keys), seed))));
    while let Some(added) = adders.join_next().await {
        added.expect("an adder panicked");
    }
    while queue.known() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    queue.shut_down_with_drain().await;
    while let Some(worked) = workers.join_next().await {
        worked.expect("a worker panicked");
    }
    for (n, key) in keys.iter().enumerate() {
        assert_eq!(
            key.seen.load(Ordering::SeqCst),
            key.added.load(Ordering::SeqCst),
            "key {n}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_add_is_lost_and_no_item_runs_twice_at_a_time() {
    let limiter =
        ItemExponentialFailureRateLimiter::new(Duration::from_micros(10), Duration::from_millis(1));
    check(WorkQueue::builder().rate_limiter(limiter).build_priority()).await;
}
