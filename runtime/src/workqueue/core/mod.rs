//! The queue's hand-over of items from adders to waiting workers, under one lock.
//!
//! All code that could lose a wake-up is in this folder, and the folder depends on no other part of
//! the crate than `super::sync`, so that a model checker can run it with its own locks
//! (`tests/loom`). Wakers are called after the lock is released. Start reading at
//! [`Core::poll_next`].

mod ready;
mod state;
mod waiters;

use std::hash::{BuildHasher, Hash};
use std::task::Waker;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use self::state::{Added, State};
pub(crate) use self::state::{Delay, Discipline, Popped, Timing};
use self::waiters::Waiters;
use super::sync::{self, Mutex, MutexGuard};

#[derive(Debug)]
struct Inner<T> {
    state: State<T>,
    waiters: Waiters,
}

/// A queue without clock, limiter and metrics.
#[derive(Debug)]
pub(crate) struct Core<T> {
    inner: Mutex<Inner<T>>,
    hasher: RandomState,
    timing: Timing,
}

/// The result of a worker's request for an item.
#[derive(Debug)]
pub(crate) enum Next<T> {
    /// The worker owns the item until [`Core::done`].
    Item(Popped<T>),
    /// The queue is shutting down and empty.
    ShutDown,
    /// No item is ready: the waker is kept. With a time, the worker must poll again at that time,
    /// on behalf of all workers.
    Wait(Option<Instant>),
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Done {
    /// When the run started, if timestamps are taken.
    pub(crate) started_at: Option<Instant>,
    /// Whether the queue is shutting down and waited only for this run.
    pub(crate) drained: bool,
    /// The number of delayed adds that became due.
    pub(crate) promoted: usize,
}

impl<T> Core<T> {
    pub(crate) fn new(discipline: Discipline, timing: Timing) -> Self {
        let inner = Inner {
            state: State::new(discipline),
            waiters: Waiters::default(),
        };
        Self {
            inner: Mutex::new(inner),
            hasher: RandomState::default(),
            timing,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        sync::lock(&self.inner)
    }

    /// Queues the items whose delay has ended. Returns the number of items that can be handed out,
    /// and the number of adds that this made.
    pub(crate) fn len(&self, now: impl Fn() -> Instant) -> (usize, usize) {
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, &now, 0, &mut wakers);
        let len = inner.state.len();
        drop(inner);
        wakers.wake();
        (len, promoted)
    }

    /// Returns the number of items that take memory: queued, delayed or in process.
    pub(crate) fn known(&self) -> usize {
        self.lock().state.known()
    }

    /// Returns the time at which each item in process was handed out, if timestamps are taken.
    pub(crate) fn running_since(&self) -> Vec<Instant> {
        self.lock().state.running_since().collect()
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.lock().state.is_shutting_down()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.lock().state.is_idle()
    }

    /// Stops accepting adds, and wakes every worker.
    pub(crate) fn shut_down(&self) {
        let mut inner = self.lock();
        inner.state.shut_down();
        inner.waiters.dismiss();
        let wakers = inner.waiters.wake_all();
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Ends the run of slot `id`, and queues the item again if it was added meanwhile.
    pub(crate) fn done(&self, id: usize, now: impl Fn() -> Instant) -> Done {
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        // Items that are already due precede a rerun.
        let promoted = self.promote(&mut inner, now, 0, &mut wakers);
        let (started_at, again) = inner.state.done(id);
        if again {
            wakers.push(inner.waiters.wake_one());
        }
        let drained = inner.state.is_shutting_down() && inner.state.is_idle();
        drop(inner);
        wakers.wake();
        Done {
            started_at,
            drained,
            promoted,
        }
    }

    /// Removes a waiting worker that leaves without an item.
    pub(crate) fn cancel(&self, waiter: u64) {
        let mut inner = self.lock();
        let woken = inner.waiters.leave(waiter);
        let waker = if woken && inner.state.len() > 0 {
            inner.waiters.wake_one()
        } else {
            None
        };
        let keeper = Self::appoint(&mut inner);
        drop(inner);
        wake(waker);
        wake(keeper);
    }

    /// Hands out the next item, or keeps `waker` until there may be one. `waiter` is the worker's
    /// ID among those that wait.
    pub(crate) fn poll_next(
        &self,
        waiter: &mut Option<u64>,
        waker: &Waker,
        now: impl Fn() -> Instant,
    ) -> (Next<T>, usize)
    where
        T: Clone,
    {
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, &now, 1, &mut wakers);
        let next = if let Some(popped) = inner.state.pop(&now, self.timing) {
            Next::Item(popped)
        } else if inner.state.is_shutting_down() {
            Next::ShutDown
        } else {
            let id = inner.waiters.sleep(waiter, waker);
            let deadline = inner.state.next_deadline();
            Next::Wait(deadline.filter(|_| inner.waiters.keep_time(id)))
        };
        if !matches!(next, Next::Wait(_))
            && let Some(id) = waiter.take()
        {
            inner.waiters.leave(id);
            wakers.push(Self::appoint(&mut inner));
        }
        drop(inner);
        wakers.wake();
        (next, promoted)
    }

    /// Queues the items that became due, and wakes a worker for each except the `taken` ones that
    /// the caller takes itself.
    fn promote(
        &self,
        inner: &mut Inner<T>,
        now: impl Fn() -> Instant,
        taken: usize,
        wakers: &mut Wakers,
    ) -> usize {
        // The common case: no delays.
        let Some(deadline) = inner.state.next_deadline() else {
            return 0;
        };
        let now = now();
        if now < deadline {
            return 0;
        }
        let (ready, counted) = inner
            .state
            .promote(now, (self.timing == Timing::On).then_some(now));
        for _ in taken..ready {
            wakers.push(inner.waiters.wake_one());
        }
        if inner.state.next_deadline().is_none() {
            inner.waiters.dismiss();
        }
        counted
    }

    fn appoint(inner: &mut Inner<T>) -> Option<Waker> {
        inner.state.next_deadline()?;
        inner.waiters.appoint()
    }
}

impl<T: Eq + Hash> Core<T> {
    /// Adds `item` to be handed out now. Returns the number of effective adds: this one, and
    /// delayed ones that became due.
    pub(crate) fn add(&self, item: T, priority: i32, now: impl Fn() -> Instant) -> usize {
        let hash = self.hasher.hash_one(&item);
        let stamp = (self.timing == Timing::On).then(&now);
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, &now, 0, &mut wakers);
        let added = inner.state.add(hash, item, priority, stamp);
        if added == Added::Ready {
            wakers.push(inner.waiters.wake_one());
        }
        drop(inner);
        wakers.wake();
        promoted + usize::from(added != Added::Collapsed)
    }

    /// Like [`add`](Self::add), for an item that has not changed: it waits as long as a server
    /// requested after its last failure.
    pub(crate) fn add_unchanged(&self, item: T, priority: i32, now: impl Fn() -> Instant) -> usize {
        let hash = self.hasher.hash_one(&item);
        let time = now();
        let stamp = (self.timing == Timing::On).then_some(time);
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, &now, 0, &mut wakers);
        let mut added = Added::Collapsed;
        if let Some(until) = inner.state.held_until(hash, &item, time) {
            if inner
                .state
                .add_at(hash, item, priority, until, Delay::Asked)
            {
                wakers.push(inner.waiters.wake_timekeeper());
            }
        } else {
            added = inner.state.add_unchanged(hash, item, priority, stamp);
            if added == Added::Ready {
                wakers.push(inner.waiters.wake_one());
            }
        }
        drop(inner);
        wakers.wake();
        promoted + usize::from(added != Added::Collapsed)
    }

    /// Adds `item` to be handed out at `at`. Returns the number of delayed adds that became due.
    pub(crate) fn add_at(
        &self,
        item: T,
        priority: i32,
        at: Instant,
        delay: Delay,
        now: impl Fn() -> Instant,
    ) -> usize {
        let hash = self.hasher.hash_one(&item);
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, now, 0, &mut wakers);
        if inner.state.add_at(hash, item, priority, at, delay) {
            wakers.push(inner.waiters.wake_timekeeper());
        }
        drop(inner);
        wakers.wake();
        promoted
    }

    /// Returns the end of a rate-limited delay that the current run of `item` did not wait for.
    pub(crate) fn unserved_backoff(&self, item: &T, now: Instant) -> Option<Instant> {
        let hash = self.hasher.hash_one(item);
        self.lock().state.unserved_backoff(hash, item, now)
    }

    /// Forgets the last rate-limited delay of `item`.
    pub(crate) fn forget_backoff(&self, item: &T) {
        let hash = self.hasher.hash_one(item);
        self.lock().state.forget_backoff(hash, item);
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Wakers to call once the lock is released; nearly always at most one.
#[derive(Debug, Default)]
struct Wakers {
    first: Option<Waker>,
    more: Vec<Waker>,
}

impl Wakers {
    #[inline]
    fn push(&mut self, waker: Option<Waker>) {
        if waker.is_none() {
            return;
        }
        match &self.first {
            None => self.first = waker,
            Some(_) => self.more.extend(waker),
        }
    }

    #[inline]
    fn wake(self) {
        if let Some(first) = self.first {
            first.wake();
            self.more.into_iter().for_each(Waker::wake);
        }
    }
}
