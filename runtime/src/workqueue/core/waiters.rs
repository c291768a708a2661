//! The workers that wait for an item, in order of arrival.
//!
//! An item that becomes ready wakes one sleeping waiter; the item itself stays in the queue. A
//! worker that leaves between being woken and taking the item passes the wake-up on, so that it is
//! not lost. One waiter at a time is the *timekeeper*: it sleeps until the next deadline on behalf
//! of all. Start reading at [`Waiters::wake_one`].

use std::collections::VecDeque;
use std::task::Waker;

#[derive(Debug)]
struct Waiter {
    id: u64,
    /// `None` once called: the worker is awake and will poll.
    waker: Option<Waker>,
}

impl Waiter {
    fn is_awake(&self) -> bool {
        self.waker.is_none()
    }
}

/// The waiting workers of one queue.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// Few entries, so that finding one by its ID is a short scan.
    list: VecDeque<Waiter>,
    next_id: u64,
    timekeeper: Option<u64>,
}

impl Waiters {
    /// Puts a worker without an item to sleep, at the end of the list or in its present place.
    pub(super) fn sleep(&mut self, id: &mut Option<u64>, waker: &Waker) -> u64 {
        let known = id.and_then(|id| self.list.iter_mut().find(|waiter| waiter.id == id));
        if let Some(waiter) = known {
            waiter.waker = Some(waker.clone());
            return waiter.id;
        }
        let new = self.next_id;
        self.next_id += 1;
        self.list.push_back(Waiter {
            id: new,
            waker: Some(waker.clone()),
        });
        *id = Some(new);
        new
    }

    /// Removes a worker from the list. Returns whether it had been woken.
    pub(super) fn leave(&mut self, id: u64) -> bool {
        if self.timekeeper == Some(id) {
            self.timekeeper = None;
        }
        let Some(position) = self.list.iter().position(|waiter| waiter.id == id) else {
            return false;
        };
        self.list
            .remove(position)
            .is_some_and(|waiter| waiter.is_awake())
    }

    /// Wakes the worker that has slept longest; the timekeeper only as a last resort.
    #[inline]
    pub(super) fn wake_one(&mut self) -> Option<Waker> {
        if self.list.is_empty() {
            None
        } else {
            self.wake_longest()
        }
    }

    fn wake_longest(&mut self) -> Option<Waker> {
        let keeper = self.timekeeper;
        let asleep = |waiter: &&mut Waiter| !waiter.is_awake();
        let other = self
            .list
            .iter_mut()
            .filter(asleep)
            .find(|waiter| Some(waiter.id) != keeper);
        let chosen = match other {
            Some(waiter) => waiter,
            None => self.list.iter_mut().find(asleep)?,
        };
        chosen.waker.take()
    }

    /// Wakes every worker.
    pub(super) fn wake_all(&mut self) -> Vec<Waker> {
        self.list
            .iter_mut()
            .filter_map(|waiter| waiter.waker.take())
            .collect()
    }

    /// Handles an earlier next deadline: wakes the timekeeper, or a worker to become it.
    pub(super) fn wake_timekeeper(&mut self) -> Option<Waker> {
        let Some(keeper) = self.timekeeper else {
            return self.appoint();
        };
        self.list
            .iter_mut()
            .find(|waiter| waiter.id == keeper)?
            .waker
            .take()
    }

    /// Wakes a worker to become the timekeeper, unless there is one or a woken worker will poll
    /// anyway.
    pub(super) fn appoint(&mut self) -> Option<Waker> {
        if self.timekeeper.is_some() || self.list.iter().any(Waiter::is_awake) {
            return None;
        }
        self.wake_one()
    }

    /// Makes `id` the timekeeper unless another is. Returns whether it is the timekeeper.
    pub(super) fn keep_time(&mut self, id: u64) -> bool {
        *self.timekeeper.get_or_insert(id) == id
    }

    /// Dismisses the timekeeper, as no delays are left.
    pub(super) fn dismiss(&mut self) {
        self.timekeeper = None;
    }
}
