//! Crash points: stops a controller after its k-th call, for every k, then lets another instance
//! take over.
//!
//! A [`Gate`] counts the calls of one instance of a controller, to the API server and to other
//! systems, and lets only the first k pass. A process that ends between two calls leaves the same
//! state as one that ends before it reads the answer of the last call, so that this covers both.
//!
//! ```no_run
//! # use codegen_runtime::fake::{self, Running, crash::{Gate, every_crash_point}};
//! # fn start(_: &kube::Client) -> Running { Running::spawn(async |_| Ok::<_, kube::Error>(())) }
//! # async fn settled(_: &kube::Client) {}
//! # async fn example() {
//! every_crash_point(|gate| async move {
//!     let (client, tracker) = fake::serve(&[], Vec::<fake::Object>::new());
//!     gate.guard(&tracker, "*");
//!     let first = start(&client);
//!     let crashed = gate.crashes_before(settled(&client)).await;
//!     first.kill().await;
//!     gate.open();
//!
//!     let second = start(&client);
//!     settled(&client).await;
//!     second.stop().await; // and now: nothing doubled, nothing leaked
//!     crashed
//! })
//! .await;
//! # }
//! ```

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use super::{ApiError, Reaction, Tracker};

/// More crash points than any single change of an object should have.
const LIMIT: u64 = 200;

/// Lets a number of calls pass, and none after them. Clones share the count.
#[derive(Clone, Debug)]
pub struct Gate {
    left: Arc<AtomicU64>,
    shut: Arc<Notify>,
}

impl Gate {
    /// Creates a gate that lets `calls` calls pass.
    pub fn after(calls: u64) -> Self {
        Self {
            left: Arc::new(AtomicU64::new(calls)),
            shut: Arc::default(),
        }
    }

    /// Whether the next call may pass; counts it.
    pub fn passes(&self) -> bool {
        let next = |left: u64| match left {
            0 | u64::MAX => Some(left),
            _ => Some(left - 1),
        };
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        let passes = left.is_ok_and(|left| left > 0);
        if !passes {
            self.shut.notify_one();
        }
        passes
    }

    /// Makes a call if it may pass; otherwise never returns, like a call of a process that has
    /// ended.
    pub async fn call<T>(&self, call: impl Future<Output = T>) -> T {
        if !self.passes() {
            std::future::pending::<()>().await;
        }
        call.await
    }

    /// Counts the requests for `resource` at a fake (`*` for all, `networks/*` for one with its
    /// subresources), except lists and watches: those change nothing, and caches send them at any
    /// time.
    pub fn guard(&self, tracker: &Tracker, resource: &str) {
        let gate = self.clone();
        tracker.prepend_reactor("*", resource, move |action| {
            if matches!(action.verb, "list" | "watch") || gate.passes() {
                Reaction::Pass
            } else {
                Reaction::Fail(ApiError::internal("the process has ended"))
            }
        });
    }

    /// Waits for `settled` or for the first call that does not pass; returns whether a call was
    /// blocked first.
    pub async fn crashes_before(&self, settled: impl Future<Output = ()>) -> bool {
        tokio::select! {
            biased;
            () = self.shut.notified() => true,
            () = settled => false,
        }
    }

    /// Lets all calls pass from now on.
    pub fn open(&self) {
        self.left.store(u64::MAX, Ordering::SeqCst);
    }
}

/// Runs `scenario` with a gate after 0, 1, 2 … calls until it returns that it did not crash;
/// returns that number of calls.
///
/// # Panics
///
/// The scenario takes more than 200 calls, which no change of one object should.
pub async fn every_crash_point<W>(mut scenario: impl FnMut(Gate) -> W) -> u64
where
    W: Future<Output = bool>,
{
    for calls in 0..LIMIT {
        if !scenario(Gate::after(calls)).await {
            return calls;
        }
    }
    panic!("the scenario did not settle within {LIMIT} calls")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_lets_as_many_calls_pass_until_it_is_opened() {
        let gate = Gate::after(2);
        let calls: Vec<bool> = (0..4).map(|_| gate.passes()).collect();
        assert_eq!(calls, [true, true, false, false]);
        gate.open();
        assert!((0..4).all(|_| gate.passes()));
    }

    #[tokio::test]
    async fn every_number_of_calls_is_tried_once() {
        let mut tried = Vec::new();
        let calls = every_crash_point(|gate| {
            tried.push(gate.left.load(Ordering::SeqCst));
            async move {
                let settled = async {
                    for _ in 0..3 {
                        gate.call(async {}).await;
                    }
                };
                gate.crashes_before(settled).await
            }
        });
        assert_eq!(calls.await, 3);
        assert_eq!(tried, [0, 1, 2, 3]);
    }
}
