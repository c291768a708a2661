//! Runs an informer: starts reflector, queue, handlers and resyncs as tasks, and stops them.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::inlet::Inlet;
use super::processor::Phase;
use super::shard::Reflecting;
use super::{Share, SharedInformer, Sources};
use crate::object::Cacheable;
use crate::reflector::{ListWatch, Reflector};

impl<K: Cacheable> SharedInformer<K> {
    /// Fills the cache, keeps it up to date and calls handlers, until `stop` is cancelled. An
    /// informer runs once: a call while it runs, or after it stopped, logs a warning and returns.
    ///
    /// Returns when every task has ended. Handler calls in progress are finished, pending calls are
    /// dropped. Dropping the future stops the informer too.
    pub async fn run(&self, stop: &CancellationToken) {
        let stop = stop.child_token();
        {
            let mut processor = self.processor();
            if self.inner.halt.is_cancelled() {
                return;
            }
            if !matches!(processor.phase, Phase::New) {
                tracing::warn!(informer = %self.inner.name, "the informer has already been started; it runs only once");
                return;
            }
            self.claim();
            processor.start(Handle::current(), stop.clone());
        }
        let guard = StopGuard {
            informer: self,
            stop: stop.clone(),
        };
        let mut reflecting = JoinSet::new();
        match self.sharded() {
            Some(sharded) => {
                reflecting.spawn(sharded.run(stop.clone()));
            }
            None => {
                for reflector in self.reflectors() {
                    reflecting.spawn(reflect(reflector, stop.clone()));
                }
            }
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = self.inner.halt.cancelled() => {}
            () = self.process() => {}
            () = self.resync() => {}
        }
        let mut tasks = {
            let mut processor = self.processor();
            processor.stop()
        };
        drop(guard);
        // These fail only if a task panicked, which tokio has reported; the informer ends in any
        // case.
        while reflecting.join_next().await.is_some() {}
        while tasks.join_next().await.is_some() {}
    }

    /// Returns the reflectors of an informer that holds only the objects of this process.
    fn sharded(&self) -> Option<Arc<Reflecting<K>>> {
        let inner = &self.inner;
        let share = inner.share.lock();
        match (&*share, &inner.sources) {
            (Share::Own(sharded), Sources::Whole(source)) => Some(Arc::new(Reflecting {
                sharded: Arc::clone(sharded),
                source: Arc::clone(source),
                queue: Arc::clone(&inner.queue),
                options: inner.options.lock().clone(),
                counters: Arc::clone(&inner.counters),
                name: inner.name.clone(),
                reached: Mutex::default(),
            })),
            _ => None,
        }
    }

    /// Creates a reflector for the resource, or for each of its namespaces.
    fn reflectors(&self) -> Vec<Reflector<K, Inlet<K>>> {
        let (inner, options) = (&self.inner, self.inner.options.lock().clone());
        let reflector = |source: &Arc<dyn ListWatch<K>>, inlet, name| {
            Reflector::new(source.clone(), Arc::new(inlet), name, options.clone())
                .with_counters(inner.counters.clone())
        };
        match &inner.sources {
            Sources::Whole(source) => {
                let inlet = Inlet::whole(inner.queue.clone());
                vec![reflector(source, inlet, inner.name.clone())]
            }
            Sources::Namespaces(sources) => {
                let namespaces: Vec<String> = sources.keys().cloned().collect();
                let inlets = Inlet::parts(&inner.queue, &namespaces);
                let parts = inlets.into_iter().zip(sources);
                parts
                    .map(|(inlet, (namespace, source))| {
                        let name = format!("{} in namespace {namespace}", inner.name);
                        reflector(source, inlet, name)
                    })
                    .collect()
            }
        }
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

    /// Checks for due resyncs once per check period. A handler that is added later can shorten the
    /// period only before start.
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

async fn reflect<K: Cacheable>(mut reflector: Reflector<K, Inlet<K>>, stop: CancellationToken) {
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
