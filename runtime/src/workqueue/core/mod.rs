//! The queue's hand-over: items between those who add and those who wait, behind one lock.
//!
//! Everything that could lose a wake-up is in this folder, and this folder names nothing of the rest of the crate but
//! `super::sync`, so that a model checker can run it with its own locks (`tests/loom`). Wakers are called
//! after the lock is released. Start reading at [`Core::poll_next`].

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

/// The answer to a worker that asks for an item.
#[derive(Debug)]
pub(crate) enum Next<T> {
    /// The item is the worker's until [`Core::done`].
    Item(Popped<T>),
    /// Shutting down, and nothing is queued.
    ShutDown,
    /// Nothing yet: the waker is kept. With a time, the worker must come back then, on behalf of all.
    Wait(Option<Instant>),
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Done {
    /// When the run started, if times are taken.
    pub(crate) started_at: Option<Instant>,
    /// The queue is shutting down and this was the last thing it waited for.
    pub(crate) drained: bool,
    /// Delayed adds that became due.
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

    /// How many items can be handed out, after queueing those whose delay ended. Returns the adds that this made, too.
    pub(crate) fn len(&self, now: impl Fn() -> Instant) -> (usize, usize) {
        let mut wakers = Wakers::default();
        let mut inner = self.lock();
        let promoted = self.promote(&mut inner, &now, 0, &mut wakers);
        let len = inner.state.len();
        drop(inner);
        wakers.wake();
        (len, promoted)
    }

    /// How many items the queue holds memory for: queued, delayed or in process.
    pub(crate) fn known(&self) -> usize {
        self.lock().state.known()
    }

    /// When each item in process was handed out, if times are taken.
    pub(crate) fn running_since(&self) -> Vec<Instant> {
        self.lock().state.running_since().collect()
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.lock().state.is_shutting_down()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.lock().state.is_idle()
    }

    /// Refuses adds from now on, and wakes every worker.
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
        // Items that are already due go before a rerun.
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

    /// A worker that waited goes away without an item.
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

    /// Hands out the next item, or keeps `waker` until there may be one. `waiter` is the worker's place in the line.
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

    /// Queues what became due, and wakes a worker for each but the `taken` that the caller takes itself.
    fn promote(
        &self,
        inner: &mut Inner<T>,
        now: impl Fn() -> Instant,
        taken: usize,
        wakers: &mut Wakers,
    ) -> usize {
        // Nearly every call ends here.
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
    /// Adds `item` to be handed out now. Returns how many adds counted: this one, and delayed ones that became due.
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

    /// Adds `item` to be handed out at `at`. Returns how many delayed adds became due.
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

    /// The end of a rate-limited delay that the run of `item` in process didn't wait for.
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

/// Wakers to call once the lock is released. Nearly always at most one.
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
