//! An item being processed.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tokio::time::Instant;

use super::core::Popped;
use super::queue::Shared;

/// An item that only this worker processes, until this guard is dropped.
///
/// Dropping it ends the run, even if the worker panics or is cancelled: if the item was added
/// meanwhile, it is queued again at the tail.
#[must_use = "an item that is dropped at once counts as processed"]
pub struct Item<T> {
    shared: Arc<Shared<T>>,
    slot: usize,
    priority: i32,
    item: T,
}

impl<T> Item<T> {
    pub(super) fn new(shared: Arc<Shared<T>>, popped: Popped<T>) -> Self {
        if let (Some(metrics), Some(added)) = (&shared.metrics, popped.added_at) {
            metrics.waited(Instant::now() - added);
        }
        Self {
            shared,
            slot: popped.id,
            priority: popped.priority,
            item: popped.item,
        }
    }

    /// Returns the priority with which the item was queued; 0 in a first-in-first-out queue.
    pub fn priority(&self) -> i32 {
        self.priority
    }

    /// Ends the run. Same as dropping, but explicit.
    pub fn done(self) {}
}

impl<T> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T> Drop for Item<T> {
    fn drop(&mut self) {
        self.shared.done(self.slot);
    }
}

impl<T: fmt::Debug> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item")
            .field("item", &self.item)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}
