//! Runs an informer: starts reflector, queue, handlers and resyncs as tasks, and stops them.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::SharedInformer;
use super::processor::Phase;
use crate::object::Cacheable;
use crate::reflector::Reflector;

impl<K: Cacheable> SharedInformer<K> {
    /// Fills the cache, keeps it up to date and calls handlers, until `stop` is cancelled. An informer runs once: a call while it
    /// runs, or after it stopped, logs a warning and returns.
    ///
    /// Returns when every task has ended. Handler calls in progress are finished, pending calls are dropped. Dropping the future
    /// stops the informer too.
    pub async fn run(&self, stop: &CancellationToken) {
        let stop = stop.child_token();
        let reflector = {
            let mut processor = self.processor();
            if !matches!(processor.phase, Phase::New) {
                tracing::warn!(informer = %self.inner.name, "the informer has already been started; it runs only once");
                return;
            }
            self.claim();
            processor.start(Handle::current(), stop.clone());
            let options = self.inner.options.lock().clone();
            Reflector::new(
                self.inner.source.clone(),
                self.inner.queue.clone(),
                self.inner.name.clone(),
                options,
            )
            .with_counters(self.inner.counters.clone())
        };
        let guard = StopGuard {
            informer: self,
            stop: stop.clone(),
        };
        let reflecting = tokio::spawn(reflect(reflector, stop.clone()));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = self.process() => {}
            () = self.resync() => {}
        }
        let mut tasks = {
            let mut processor = self.processor();
            processor.stop()
        };
        drop(guard);
        // These fail only if a task panicked, which tokio has reported; the informer ends in any case.
        let _ = reflecting.await;
        while tasks.join_next().await.is_some() {}
    }

    async fn process(&self) {
        let queue = self.inner.queue.clone();
        let process = |batch| {
            let started = std::time::Instant::now();
            self.processor().process(batch);
            let took = started.elapsed();
            self.inner.processing.observe(took.as_secs_f64());
        };
        while queue.pop(process).await {
            if queue.has_synced() && !self.has_synced() {
                self.inner.synced.send_replace(true);
            }
            // Yields to other tasks of this thread even while the queue is full.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Checks for due resyncs once per check period. A handler that is added later can shorten the period only before start.
    async fn resync(&self) {
        let period = self.processor().resync_check();
        if period.is_zero() {
            return std::future::pending().await;
        }
        let mut ticks = interval_at(Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = ticks.tick().await;
            if self.processor().begin_resync(now) && self.has_synced() {
                self.inner.queue.resync();
            }
        }
    }
}

async fn reflect<K: Cacheable>(
    mut reflector: Reflector<K, super::EventQueue<K>>,
    stop: CancellationToken,
) {
    reflector.run(&stop).await;
}

/// Stops the informer's tasks, even if its future is dropped.
struct StopGuard<'a, K: Cacheable> {
    informer: &'a SharedInformer<K>,
    stop: CancellationToken,
}

impl<K: Cacheable> Drop for StopGuard<'_, K> {
    fn drop(&mut self) {
        self.stop.cancel();
        self.informer.inner.queue.close();
        self.informer.inner.stopped.send_replace(true);
        // The token ends the detached tasks.
        self.informer.processor().stop().detach_all();
    }
}

#[expect(
    dead_code,
    reason = "keeps the handle's thread-safety a compile-time fact"
)]
fn assert_send_sync<K: Cacheable>() {
    fn check<T: Send + Sync>() {}
    check::<SharedInformer<K>>();
    check::<Arc<SharedInformer<K>>>();
}
