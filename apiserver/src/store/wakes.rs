//! Wakes the watches of a resource after a change.
//!
//! Thousands of tasks that are woken at once delay every other request, and the writer that wakes
//! them. Watches are therefore woken group by group, and whatever else is ready runs in between. A
//! watch that is woken later reads all changes up to then at once, so that many changes cost it one
//! write to its connection.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::watch;
use tokio::time::Instant;

/// The number of watches that are woken at once.
const GROUP: usize = 32;

/// The longest time between two rounds.
const LONGEST_REST: Duration = Duration::from_millis(20);

/// The watches of a resource.
#[derive(Clone, Default)]
pub(super) struct Wakes(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Each holds the revision that it was last woken for.
    groups: Vec<watch::Sender<u64>>,
    /// The newest revision of the resource.
    revision: u64,
    /// Whether a [`Round`] is waking groups.
    is_running: bool,
    /// The group that is woken next.
    next: usize,
}

impl State {
    /// Wakes a group that does not know of the newest revision; returns whether there was one.
    fn wake_one(&mut self) -> bool {
        let (revision, count) = (self.revision, self.groups.len());
        let mut order = (self.next..count).chain(0..self.next.min(count));
        let is_behind = |at: &usize| {
            let group = self.groups.get(*at);
            group.is_some_and(|group| *group.borrow() < revision)
        };
        let Some(at) = order.find(is_behind) else {
            return false;
        };
        if let Some(group) = self.groups.get(at) {
            group.send_replace(revision);
        }
        self.next = at + 1;
        true
    }

    /// Whether a group does not know of the newest revision.
    fn is_behind(&self) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|group| *group.borrow() < self.revision)
    }

    fn wake_all(&mut self) {
        while self.wake_one() {}
    }
}

impl Wakes {
    /// Returns a receiver that wakes at every change.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        let mut state = self.0.lock();
        let free = state.groups.iter().find(|it| it.receiver_count() < GROUP);
        if let Some(group) = free {
            return group.subscribe();
        }
        let (group, receiver) = watch::channel(state.revision);
        state.groups.push(group);
        receiver
    }

    /// Wakes all watches for a revision, the later groups when others had their turn.
    pub(super) fn wake(&self, revision: u64) {
        let mut state = self.0.lock();
        state.revision = revision;
        let runtime = match state.groups.len() {
            ..2 => None,
            _ => threads(),
        };
        let Some(runtime) = runtime else {
            state.wake_all();
            return;
        };
        let starts = !std::mem::replace(&mut state.is_running, true);
        drop(state);
        if starts {
            let round = Round {
                wakes: self.clone(),
                is_done: false,
            };
            runtime.spawn(round.run());
        }
    }

    /// Wakes all watches at once, whether or not there is a newer revision.
    pub(super) fn wake_all(&self) {
        for group in &self.0.lock().groups {
            group.send_modify(|_| ());
        }
    }
}

/// Returns the caller's runtime, if its tasks run whether or not someone waits for them.
fn threads() -> Option<Handle> {
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::MultiThread).then_some(runtime)
}

/// Wakes all groups, and again until none is behind. A runtime that stops meanwhile drops it, and
/// the rest is woken at once.
struct Round {
    wakes: Wakes,
    is_done: bool,
}

impl Round {
    async fn run(mut self) {
        while !self.is_done {
            let began = Instant::now();
            let groups = self.wakes.0.lock().groups.len();
            for _ in 0..groups {
                if !self.wakes.0.lock().wake_one() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            // Half of the time belongs to requests; changes that come meanwhile are sent together.
            tokio::time::sleep(began.elapsed().min(LONGEST_REST)).await;
            self.end_unless_behind();
        }
    }

    fn end_unless_behind(&mut self) {
        let mut state = self.wakes.0.lock();
        self.is_done = !state.is_behind();
        state.is_running = !self.is_done;
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if !self.is_done {
            let mut state = self.wakes.0.lock();
            state.is_running = false;
            state.wake_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscribed(wakes: &Wakes, count: usize) -> Vec<watch::Receiver<u64>> {
        (0..count).map(|_| wakes.subscribe()).collect()
    }

    fn woken(receivers: &[watch::Receiver<u64>]) -> usize {
        let woken = |it: &&watch::Receiver<u64>| it.has_changed().unwrap();
        receivers.iter().filter(woken).count()
    }

    fn runtime() -> tokio::runtime::Runtime {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(1).enable_time().build().unwrap()
    }

    #[test]
    fn without_threads_all_are_woken_at_once() {
        let wakes = Wakes::default();
        let receivers = subscribed(&wakes, 3 * GROUP);
        wakes.wake(7);
        assert_eq!(woken(&receivers), 3 * GROUP);
    }

    #[test]
    fn another_task_runs_before_all_groups_are_woken() {
        let wakes = Wakes::default();
        let receivers = subscribed(&wakes, 5 * GROUP);
        let runtime = runtime();
        let seen = runtime.block_on(runtime.spawn({
            let (wakes, receivers) = (wakes.clone(), receivers.clone());
            async move {
                wakes.wake(7);
                // The copies have not seen the change either.
                let at_once = woken(&receivers);
                tokio::task::yield_now().await;
                (at_once, woken(&receivers))
            }
        }));
        let (at_once, later) = seen.unwrap();
        assert_eq!(at_once, 0);
        assert!(later < 5 * GROUP, "{later}");
        for mut receiver in receivers {
            runtime.block_on(receiver.changed()).unwrap();
        }
    }

    #[test]
    fn a_change_during_a_round_reaches_groups_that_were_already_woken() {
        let wakes = Wakes::default();
        let mut receivers = subscribed(&wakes, 3 * GROUP);
        let runtime = runtime();
        runtime.block_on(async {
            for revision in 1..100 {
                wakes.wake(revision);
                tokio::task::yield_now().await;
            }
        });
        for receiver in &mut receivers {
            let newest = receiver.wait_for(|revision| *revision == 99);
            runtime.block_on(newest).unwrap();
        }
    }

    #[test]
    fn a_runtime_that_stops_leaves_no_group_asleep() {
        let wakes = Wakes::default();
        let receivers = subscribed(&wakes, 3 * GROUP);
        let stopped = runtime();
        let handle = stopped.handle().clone();
        drop(stopped);
        let entered = handle.enter();
        wakes.wake(7);
        wakes.wake(8);
        drop(entered);
        assert_eq!(woken(&receivers), 3 * GROUP);
    }

    #[test]
    fn all_are_woken_without_a_newer_revision() {
        let wakes = Wakes::default();
        let receivers = subscribed(&wakes, 2 * GROUP);
        wakes.wake_all();
        assert_eq!(woken(&receivers), 2 * GROUP);
    }
}
