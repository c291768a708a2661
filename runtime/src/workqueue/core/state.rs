//! The state of a queue: a single-threaded state machine over slots, without clocks or wakers.
//!
//! Every item known to the queue has exactly one [`Slot`], in whatever combination of queued,
//! delayed, in process and to be rerun; a slot in none of these states is freed immediately. Time
//! is passed in, so that the same code runs under tokio's clock, under a model and under a model
//! checker. Start reading at [`State::add`].

use std::collections::BTreeMap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use slab::Slab;
use tokio::time::Instant;

use super::ready::{Links, Ready};

/// Empty tables with more slots than this are deallocated.
const SPARE_SLOTS: usize = 1024;

/// Whether adds and hand-overs are timestamped, for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    On,
    Off,
}

/// The cause of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delay {
    /// The caller requested it.
    Asked,
    /// The rate limiter required it, after a failure. If a server requested a wait, then also the
    /// end of that wait.
    Backoff(Option<Instant>),
}

/// How immediate adds, delays and priorities of one item combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discipline {
    /// client-go's: an immediate add keeps a pending delay, which runs the item once more when it
    /// ends.
    Fifo,
    /// controller-runtime's: an item has one entry; the earlier time and the higher priority win.
    Priority,
}

/// One known item.
#[derive(Debug)]
pub(super) struct Slot<T> {
    item: T,
    hash: u64,
    pub(super) links: Links,
    /// Whether it is in a ready list.
    queued: bool,
    /// Whether it was handed out and is not done.
    processing: bool,
    /// Whether it was added while in process: then it is queued again when done.
    dirty: bool,
    /// Whether a dirty run has another reason than adds without a change.
    changed: bool,
    /// The priority of the queued or dirty run.
    priority: i32,
    /// The end of the delay, with its key in `State::delays`.
    delay: Option<(Instant, u64)>,
    /// The priority of the delayed run.
    delay_priority: i32,
    /// The end of the last rate-limited delay.
    backoff_until: Option<Instant>,
    /// The end of the wait that a server requested after a failure: adds without a change do not
    /// shorten it.
    held_until: Option<Instant>,
    /// Whether it was handed out before the rate-limited delay had ended, so that this run did not
    /// wait for it.
    early: bool,
    added_at: Option<Instant>,
    started_at: Option<Instant>,
}

/// The effect of an add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// No effect: the item is waiting already, or the queue is shutting down.
    Collapsed,
    /// The item is in process and will run once more.
    Rerun,
    /// The item can be handed out now.
    Ready,
}

/// An item being handed to a worker.
#[derive(Debug)]
pub(crate) struct Popped<T> {
    /// The slot, to be passed to [`State::done`].
    pub(crate) id: usize,
    pub(crate) item: T,
    pub(crate) priority: i32,
    /// When the item was added, if timestamps are taken.
    pub(crate) added_at: Option<Instant>,
}

/// The items of one queue.
#[derive(Debug)]
pub(crate) struct State<T> {
    discipline: Discipline,
    slots: Slab<Slot<T>>,
    index: HashTable<usize>,
    ready: Ready,
    delays: BTreeMap<(Instant, u64), usize>,
    next_delay: u64,
    processing: usize,
    shutting_down: bool,
}

impl<T> State<T> {
    pub(crate) fn new(discipline: Discipline) -> Self {
        Self {
            discipline,
            slots: Slab::new(),
            index: HashTable::new(),
            ready: Ready::default(),
            delays: BTreeMap::new(),
            next_delay: 0,
            processing: 0,
            shutting_down: false,
        }
    }

    /// Returns the number of items that can be handed out now.
    pub(crate) fn len(&self) -> usize {
        self.ready.len()
    }

    /// Returns the number of items that take memory.
    pub(crate) fn known(&self) -> usize {
        self.slots.len()
    }

    /// Whether no item is queued or in process.
    pub(crate) fn is_idle(&self) -> bool {
        self.ready.len() == 0 && self.processing == 0
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.shutting_down
    }

    /// Returns the end of the next delay.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.delays.first_key_value().map(|((at, _), _)| *at)
    }

    /// Stops accepting adds and forgets delays; queued items and reruns stay.
    pub(crate) fn shut_down(&mut self) {
        self.shutting_down = true;
        for id in std::mem::take(&mut self.delays).into_values() {
            self.slots[id].delay = None;
            self.free_if_unused(id);
        }
    }

    /// Queues the items that are due by `now`, in the order of their deadlines. Returns the number
    /// of items that became ready, and the number of effective adds, which includes items in
    /// process.
    pub(crate) fn promote(&mut self, now: Instant, stamp: Option<Instant>) -> (usize, usize) {
        let (mut ready, mut counted) = (0, 0);
        while let Some(entry) = self.delays.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let id = entry.remove();
            let slot = &mut self.slots[id];
            slot.delay = None;
            let priority = slot.delay_priority;
            match self.make_ready(id, priority, stamp) {
                Added::Ready => {
                    ready += 1;
                    counted += 1;
                }
                Added::Rerun => counted += 1,
                Added::Collapsed => {}
            }
        }
        (ready, counted)
    }

    /// Ends the run of slot `id`. Returns when it started, and whether the item became ready again.
    pub(crate) fn done(&mut self, id: usize) -> (Option<Instant>, bool) {
        let Some(slot) = self.slots.get_mut(id) else {
            return (None, false);
        };
        slot.processing = false;
        slot.early = false;
        let started = slot.started_at.take();
        let again = std::mem::take(&mut slot.dirty);
        self.processing -= 1;
        if again {
            slot.queued = true;
            let priority = slot.priority;
            self.ready.push(&mut self.slots, id, priority);
        } else {
            self.free_if_unused(id);
        }
        (started, again)
    }

    /// Returns the start of each item in process, if timestamps are taken.
    pub(crate) fn running_since(&self) -> impl Iterator<Item = Instant> {
        self.slots.iter().filter_map(|(_, slot)| slot.started_at)
    }

    /// Takes the next item: the oldest of the highest priority.
    pub(crate) fn pop(&mut self, now: impl Fn() -> Instant, timing: Timing) -> Option<Popped<T>>
    where
        T: Clone,
    {
        let id = self.ready.pop(&mut self.slots)?;
        let slot = &mut self.slots[id];
        slot.queued = false;
        slot.processing = true;
        if timing == Timing::On {
            slot.started_at = Some(now());
        }
        if let Some(until) = slot.backoff_until {
            slot.early = now() < until;
        }
        self.processing += 1;
        Some(Popped {
            id,
            item: slot.item.clone(),
            priority: slot.priority,
            added_at: slot.added_at.take(),
        })
    }

    fn make_ready(&mut self, id: usize, priority: i32, now: Option<Instant>) -> Added {
        let slot = &mut self.slots[id];
        if slot.queued {
            if priority > slot.priority {
                let lower = std::mem::replace(&mut slot.priority, priority);
                self.ready.unlink(&mut self.slots, id, lower);
                self.ready.push(&mut self.slots, id, priority);
            }
            return Added::Collapsed;
        }
        if slot.processing {
            slot.changed = true;
            if slot.dirty {
                slot.priority = slot.priority.max(priority);
                return Added::Collapsed;
            }
            slot.dirty = true;
            slot.priority = priority;
            slot.added_at = now;
            return Added::Rerun;
        }
        slot.queued = true;
        slot.priority = priority;
        slot.added_at = now;
        self.ready.push(&mut self.slots, id, priority);
        Added::Ready
    }

    fn free_if_unused(&mut self, id: usize) {
        let slot = &self.slots[id];
        if slot.queued || slot.processing || slot.delay.is_some() {
            return;
        }
        if let Ok(entry) = self.index.find_entry(slot.hash, |&other| other == id) {
            entry.remove();
        }
        self.slots.remove(id);
        if self.slots.is_empty() && self.slots.capacity() > SPARE_SLOTS {
            self.slots = Slab::new();
            self.index = HashTable::new();
        }
    }
}

impl<T: Eq> State<T> {
    /// Adds `item` to be handed out now. `stamp` is the time of the add, if timestamps are taken.
    pub(crate) fn add(
        &mut self,
        hash: u64,
        item: T,
        priority: i32,
        stamp: Option<Instant>,
    ) -> Added {
        let Some(id) = self.open_slot(hash, item) else {
            return Added::Collapsed;
        };
        self.add_slot(id, priority, stamp)
    }

    fn add_slot(&mut self, id: usize, mut priority: i32, stamp: Option<Instant>) -> Added {
        if self.discipline == Discipline::Priority
            && let Some(key) = self.slots[id].delay.take()
        {
            self.delays.remove(&key);
            priority = priority.max(self.slots[id].delay_priority);
        }
        self.make_ready(id, priority, stamp)
    }

    /// Adds `item`, which has not changed, to be handed out now. If it is in process and a server
    /// requests a wait for it, the rerun waits, too: see [`Self::add_at`].
    pub(crate) fn add_unchanged(
        &mut self,
        hash: u64,
        item: T,
        priority: i32,
        stamp: Option<Instant>,
    ) -> Added {
        let Some(id) = self.open_slot(hash, item) else {
            return Added::Collapsed;
        };
        let slot = &self.slots[id];
        let changed = slot.delay.is_some() || (slot.dirty && slot.changed);
        let added = self.add_slot(id, priority, stamp);
        self.slots[id].changed = changed;
        added
    }

    /// Returns the end of the wait that a server requested for `item`, if that lies ahead and no
    /// run is in process.
    pub(crate) fn held_until(&self, hash: u64, item: &T, now: Instant) -> Option<Instant> {
        let id = *self.index.find(hash, |&id| self.slots[id].item == *item)?;
        let slot = &self.slots[id];
        slot.held_until
            .filter(|until| now < *until && !slot.processing)
    }

    /// Adds `item` to be handed out at `at`, or earlier if it already has an earlier delay. Returns
    /// whether the queue's earliest deadline changed.
    pub(crate) fn add_at(
        &mut self,
        hash: u64,
        item: T,
        mut priority: i32,
        at: Instant,
        delay: Delay,
    ) -> bool {
        if self.shutting_down {
            return false;
        }
        let before = self.next_deadline();
        let id = self.slot(hash, item);
        let merged = self.discipline == Discipline::Priority;
        let slot = &mut self.slots[id];
        if let Delay::Backoff(held) = delay {
            slot.backoff_until = Some(at);
            slot.held_until = slot.held_until.max(held);
            // The rerun would ask the server again at once, although nothing changed.
            if held.is_some() && slot.dirty && !slot.changed {
                slot.dirty = false;
                priority = priority.max(slot.priority);
            }
        }
        if merged && (slot.queued || slot.dirty) {
            self.make_ready(id, priority, None);
            return false;
        }
        match slot.delay {
            Some(key) => {
                slot.delay_priority = slot.delay_priority.max(priority);
                if at >= key.0 {
                    return false;
                }
                self.delays.remove(&key);
            }
            None => slot.delay_priority = priority,
        }
        let key = (at, self.next_delay);
        self.next_delay += 1;
        slot.delay = Some(key);
        self.delays.insert(key, id);
        before.is_none_or(|before| at < before)
    }

    /// Returns the end of a rate-limited delay that the run in process did not wait for, because
    /// something else triggered it.
    pub(crate) fn unserved_backoff(&self, hash: u64, item: &T, now: Instant) -> Option<Instant> {
        let id = *self.index.find(hash, |&id| self.slots[id].item == *item)?;
        let slot = &self.slots[id];
        slot.backoff_until
            .filter(|until| slot.processing && slot.early && *until > now)
    }

    /// Forgets the last rate-limited delay of `item`.
    pub(crate) fn forget_backoff(&mut self, hash: u64, item: &T) {
        if let Some(&id) = self.index.find(hash, |&id| self.slots[id].item == *item) {
            let slot = &mut self.slots[id];
            slot.backoff_until = None;
            slot.held_until = None;
            slot.early = false;
        }
    }

    /// Returns the slot of `item`, or `None` during shutdown, when nothing is added.
    fn open_slot(&mut self, hash: u64, item: T) -> Option<usize> {
        (!self.shutting_down).then(|| self.slot(hash, item))
    }

    fn slot(&mut self, hash: u64, item: T) -> usize {
        let Self { slots, index, .. } = self;
        match index.entry(hash, |&id| slots[id].item == item, |&id| slots[id].hash) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = slots.insert(Slot {
                    item,
                    hash,
                    links: Links::NONE,
                    queued: false,
                    processing: false,
                    dirty: false,
                    changed: false,
                    priority: 0,
                    delay: None,
                    delay_priority: 0,
                    backoff_until: None,
                    held_until: None,
                    early: false,
                    added_at: None,
                    started_at: None,
                });
                entry.insert(id);
                id
            }
        }
    }
}
