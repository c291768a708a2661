//! Retries the mapping of objects whose mapping panicked, so that their keys are reconciled
//! eventually.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use parking_lot::Mutex;
use tokio::time::sleep;

use super::adder::Adder;
use crate::workqueue::AddOptions;

/// The shortest and the longest pause between tries; each is twice the previous one.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// The maximum number of waiting objects: a mapping that always panics must not keep every state of
/// every object in memory.
const MOST: usize = 1024;

/// Maps objects again until their mapping returns or the queue is shut down.
pub(super) struct Remap<K> {
    adder: Adder<K>,
    waiting: Arc<Mutex<Waiting<K>>>,
}

struct Waiting<K> {
    objects: VecDeque<(Arc<K>, AddOptions)>,
    /// Whether a task processes them.
    busy: bool,
}

impl<K: Resource + Send + Sync + 'static> Remap<K> {
    pub(super) fn new(adder: Adder<K>) -> Self {
        let waiting = Waiting {
            objects: VecDeque::new(),
            busy: false,
        };
        Self {
            adder,
            waiting: Arc::new(Mutex::new(waiting)),
        }
    }

    /// Maps `object` again after a pause. Must be called within a runtime, as handlers are.
    pub(super) fn push(&self, object: Arc<K>, options: AddOptions) {
        let mut waiting = self.waiting.lock();
        waiting.push(object, options);
        if !std::mem::replace(&mut waiting.busy, true) {
            let (adder, waiting) = (self.adder.clone(), Arc::clone(&self.waiting));
            tokio::spawn(work(adder, waiting));
        }
    }
}

impl<K> Waiting<K> {
    fn push(&mut self, object: Arc<K>, options: AddOptions) {
        if self.objects.len() >= MOST {
            self.objects.pop_front();
            tracing::error!(
                "too many objects whose mapping panics: the oldest is not mapped again"
            );
        }
        self.objects.push_back((object, options));
    }
}

async fn work<K: Resource + Send + Sync + 'static>(
    adder: Adder<K>,
    waiting: Arc<Mutex<Waiting<K>>>,
) {
    let (mut pause, longest) = PAUSES;
    while !adder.queue.is_shutting_down() {
        sleep(pause).await;
        pause = (pause * 2).min(longest);
        let objects = std::mem::take(&mut waiting.lock().objects);
        let failed: Vec<_> = objects
            .into_iter()
            .filter(|(object, options)| !adder.add(object, *options))
            .collect();
        let mut waiting = waiting.lock();
        for (object, options) in failed {
            waiting.push(object, options);
        }
        if waiting.objects.is_empty() {
            waiting.busy = false;
            return;
        }
    }
}
