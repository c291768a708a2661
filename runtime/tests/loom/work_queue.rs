//! The queue's hand-over: loom replaces the lock of `workqueue::core` and the executor.

#[path = "../../src/workqueue/core/mod.rs"]
mod core;

use std::future::poll_fn;
use std::task::Poll;

use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use tokio::time::Instant;

use self::core::{Core, Discipline, Next, Popped, Timing};
use crate::sync;

/// A constant time: these tests do not depend on time.
fn at_start() -> Instant {
    thread_local!(static START: Instant = Instant::now());
    START.with(|start| *start)
}

/// Waits for an item like `get.rs`, without timers.
fn get(core: &Core<u8>) -> Option<Popped<u8>> {
    let mut waiter = None;
    block_on(poll_fn(|cx| {
        match core.poll_next(&mut waiter, cx.waker(), at_start).0 {
            Next::Item(popped) => Poll::Ready(Some(popped)),
            Next::ShutDown => Poll::Ready(None),
            Next::Wait(_) => Poll::Pending,
        }
    }))
}

/// Polls once for an item, then leaves.
fn try_get(core: &Core<u8>) -> Option<Popped<u8>> {
    let mut waiter = None;
    let next = block_on(poll_fn(|cx| {
        Poll::Ready(core.poll_next(&mut waiter, cx.waker(), at_start).0)
    }));
    if let Some(waiter) = waiter {
        core.cancel(waiter);
    }
    match next {
        Next::Item(popped) => Some(popped),
        Next::ShutDown | Next::Wait(_) => None,
    }
}

fn model(check: impl Fn(Arc<Core<u8>>) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || check(Arc::new(Core::new(Discipline::Fifo, Timing::Off))));
}

#[test]
fn two_workers_get_two_items_whatever_the_interleaving() {
    model(|core| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let core = Arc::clone(&core);
                thread::spawn(move || get(&core).map(|popped| popped.item))
            })
            .collect();
        core.add(1, 0, at_start);
        core.add(2, 0, at_start);
        let mut got: Vec<_> = workers
            .into_iter()
            .filter_map(|worker| worker.join().expect("worker"))
            .collect();
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
    });
}

#[test]
fn a_worker_that_gives_up_never_takes_a_wake_up_with_it() {
    model(|core| {
        let quitter = thread::spawn({
            let core = Arc::clone(&core);
            move || {
                if let Some(popped) = try_get(&core) {
                    // It got the item after all: adds it again, for the waiting worker.
                    core.done(popped.id, at_start);
                    core.add(2, 0, at_start);
                }
            }
        });
        let worker = thread::spawn({
            let core = Arc::clone(&core);
            move || assert!(get(&core).is_some())
        });
        core.add(1, 0, at_start);
        quitter.join().expect("quitter");
        worker.join().expect("worker");
    });
}

#[test]
fn an_add_while_in_process_always_leads_to_one_more_run() {
    model(|core| {
        core.add(1, 0, at_start);
        let adder = thread::spawn({
            let core = Arc::clone(&core);
            move || core.add(1, 0, at_start)
        });
        let popped = get(&core).expect("an item");
        core.done(popped.id, at_start);
        adder.join().expect("adder");
        // Either the add collapsed with the queued item before it was taken, or there is exactly
        // one more run.
        let again = try_get(&core);
        if let Some(popped) = again {
            core.done(popped.id, at_start);
        }
        assert!(try_get(&core).is_none());
        assert_eq!(core.known(), 0);
    });
}

#[test]
fn shutdown_reaches_every_worker() {
    model(|core| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let core = Arc::clone(&core);
                thread::spawn(move || while get(&core).is_some() {})
            })
            .collect();
        core.add(1, 0, at_start);
        core.shut_down();
        workers
            .into_iter()
            .for_each(|worker| worker.join().expect("worker"));
    });
}
