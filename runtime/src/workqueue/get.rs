//! A worker's wait for an item.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::coop;
use tokio::time::{Instant, Sleep, sleep_until};

use super::core::Next;
use super::queue::Shared;
use super::{Item, QueueItem};

/// The future of [`WorkQueue::get`](super::WorkQueue::get). Dropping it loses neither an item nor a
/// wake-up.
#[must_use = "futures do nothing unless polled"]
pub struct Get<'a, T> {
    shared: &'a Arc<Shared<T>>,
    /// The worker's ID among the waiting workers.
    waiter: Option<u64>,
    /// Set while this worker is the timekeeper.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<'a, T> Get<'a, T> {
    pub(super) fn new(shared: &'a Arc<Shared<T>>) -> Self {
        Self {
            shared,
            waiter: None,
            sleep: None,
        }
    }

    /// Whether `deadline` has passed; if not, `cx` is woken then.
    fn poll_deadline(&mut self, deadline: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let sleep = self
            .sleep
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx)
    }
}

impl<T: QueueItem> Future for Get<'_, T> {
    type Output = Option<Item<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // A queue that never runs empty must not keep its worker's thread from other tasks.
        let budget = std::task::ready!(coop::poll_proceed(cx));
        let this = &mut *self;
        loop {
            let (next, promoted) =
                this.shared
                    .core
                    .poll_next(&mut this.waiter, cx.waker(), Instant::now);
            this.shared.count_added(promoted);
            match next {
                Next::Item(popped) => {
                    budget.made_progress();
                    return Poll::Ready(Some(Item::new(Arc::clone(this.shared), popped)));
                }
                Next::ShutDown => return Poll::Ready(None),
                Next::Wait(None) => {
                    this.sleep = None;
                    return Poll::Pending;
                }
                Next::Wait(Some(deadline)) => std::task::ready!(this.poll_deadline(deadline, cx)),
            }
        }
    }
}

impl<T> Drop for Get<'_, T> {
    fn drop(&mut self) {
        if let Some(waiter) = self.waiter.take() {
            self.shared.core.cancel(waiter);
        }
    }
}

impl<T> fmt::Debug for Get<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Get")
            .field("waiting", &self.waiter.is_some())
            .finish_non_exhaustive()
    }
}
