//! The slots that this process owns, and the work on them.
//!
//! Each slot is a term of leadership of its own, with an epoch, a deadline by the monotonic clock
//! and fenced work: what holds for a leader holds for the owner of a slot.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::record::Record;
use super::slots::SlotSet;
use crate::leader::Leadership;

/// The slots of this process. Work enters and leaves from many threads; only the coordinator adds
/// and removes slots.
#[derive(Debug)]
pub(crate) struct Holdings {
    slots: RwLock<BTreeMap<usize, Arc<Held>>>,
    /// The keys of `slots`. Sent again when a term is replaced.
    owned: watch::Sender<SlotSet>,
    /// The number of terms so far.
    begun: AtomicU64,
    /// Notified when the last work on a slot that is given up or lost has ended.
    idle: Arc<Notify>,
}

/// A slot that this process owns, or whose work has not ended yet.
#[derive(Debug)]
struct Held {
    slot: usize,
    /// Distinguishes terms of one slot.
    number: u64,
    term: Leadership,
    /// The number of permits.
    works: AtomicUsize,
    /// When the slot was asked back.
    asked: RwLock<Option<Instant>>,
}

/// What a member does about a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orders<'a> {
    pub(super) record: &'a Record,
    /// The member's name.
    pub(super) me: &'a str,
    /// When the terms end unless they are extended again.
    pub(super) deadline: Instant,
    /// How long work may go on after its slot was asked back.
    pub(super) grace: Duration,
    /// Whether the member gives back everything.
    pub(super) leaves: bool,
}

/// The right to work on a part of the objects, until it is dropped. That part is not given to
/// another member before.
#[derive(Debug)]
pub struct ShardPermit {
    held: Arc<Held>,
    idle: Arc<Notify>,
}

impl ShardPermit {
    /// Returns the term in which this process owns the part: for [fencing](Leadership::fence) the
    /// work, and for its [epoch](Leadership::epoch), which is larger than that of every earlier
    /// owner. Its [token](Leadership::token) is cancelled when the work should stop, because the
    /// part is to be given to another member.
    pub fn term(&self) -> &Leadership {
        &self.held.term
    }

    /// Returns the number of the part, from 0 to 255. Epochs of different parts are not compared
    /// with each other.
    pub fn part(&self) -> usize {
        self.held.slot
    }
}

impl Drop for ShardPermit {
    fn drop(&mut self) {
        let was = self.held.works.fetch_sub(1, Ordering::SeqCst);
        if was == 1 && self.held.term.token().is_cancelled() {
            self.idle.notify_one();
        }
    }
}

impl Held {
    fn new(slot: usize, number: u64, epoch: u64, deadline: Instant) -> Self {
        Self {
            slot,
            number,
            term: Leadership::new(epoch, deadline),
            works: AtomicUsize::new(0),
            asked: RwLock::new(None),
        }
    }

    /// Asks the work to stop, and ends the term if there is none, or when `grace` is over. Returns
    /// when that will be.
    fn give_back(&self, grace: Duration) -> Option<Instant> {
        let since = *self.asked.write().get_or_insert_with(Instant::now);
        self.term.ask_to_stop();
        let end = since + grace;
        let goes_on = self.works() && Instant::now() < end;
        if !goes_on {
            self.term.end();
        }
        goes_on.then_some(end)
    }

    fn is_asked(&self) -> bool {
        self.asked.read().is_some()
    }

    fn works(&self) -> bool {
        self.works.load(Ordering::SeqCst) > 0
    }

    /// Whether the term has ended and nothing of it runs any more.
    fn is_over(&self) -> bool {
        !self.term.is_leading() && !self.works() && self.term.is_idle()
    }
}

impl Default for Holdings {
    fn default() -> Self {
        Self {
            slots: RwLock::default(),
            owned: watch::channel(SlotSet::default()).0,
            begun: AtomicU64::new(0),
            idle: Arc::default(),
        }
    }
}

impl Holdings {
    /// Returns the right to work on a slot; `None` if this process does not own it, or gives it up.
    pub(crate) fn enter(&self, slot: usize) -> Option<ShardPermit> {
        let held = self.slots.read().get(&slot).cloned()?;
        // Counted first: whoever ends the term sees the permit, or this check sees the end.
        held.works.fetch_add(1, Ordering::SeqCst);
        let permit = ShardPermit {
            held,
            idle: Arc::clone(&self.idle),
        };
        let term = permit.term();
        (term.is_leading() && !term.token().is_cancelled()).then_some(permit)
    }

    /// Returns the slots whose objects this process needs, and their changes: the owned ones, and
    /// those whose work has not ended.
    pub(crate) fn subscribe(&self) -> watch::Receiver<SlotSet> {
        self.owned.subscribe()
    }

    /// Returns the slots that work may enter, each with the number of its term.
    pub(crate) fn terms(&self) -> BTreeMap<usize, u64> {
        let slots = self.slots.read();
        let open = slots
            .iter()
            .filter(|(_, held)| !held.term.token().is_cancelled());
        open.map(|(slot, held)| (*slot, held.number)).collect()
    }

    /// Returns the owned slots with their epochs.
    pub(super) fn works_on(&self) -> BTreeMap<usize, u64> {
        let slots = self.slots.read();
        let epochs = slots.iter().map(|(slot, held)| (*slot, held.term.epoch()));
        epochs.collect()
    }

    /// Returns the epochs that work asks for, where they are above those of the terms.
    pub(super) fn wanted(&self) -> BTreeMap<usize, u64> {
        let slots = self.slots.read();
        let wanted = slots
            .iter()
            .map(|(slot, held)| (*slot, held.term.wanted(), held.term.epoch()));
        wanted
            .filter(|(_, wanted, epoch)| wanted > epoch)
            .map(|(slot, wanted, _)| (slot, wanted))
            .collect()
    }

    /// Waits until work that delays a hand-over may have ended.
    pub(super) async fn idle(&self) {
        self.idle.notified().await;
    }

    /// Follows the record: ends what is lost, gives back what is meant for others, extends the
    /// terms of the rest, and begins those that the record adds. Returns when the first work on
    /// slots that are given back has to end.
    pub(super) fn follow(&self, orders: &Orders<'_>) -> Option<Instant> {
        let Orders { record, me, .. } = *orders;
        let (held, meant) = (record.held_by(me), record.meant_for(me));
        let mut ends = None;
        let mut slots = self.slots.write();
        for (at, own) in slots.iter() {
            let Some(slot) = record.slots.get(*at) else {
                continue;
            };
            let is_new = !record.settled && slot.holder.is_none();
            if held.contains(*at) && slot.epoch >= own.term.epoch() {
                own.term.renew(orders.deadline, slot.epoch);
            } else if !is_new {
                own.term.end();
            }
            // A new record does not know its holders: it is told, and until then the term is not
            // extended.
            let is_meant = is_new || meant.contains(*at);
            // Work that was asked to stop is not told otherwise, even if the slot is meant for this
            // process again.
            if orders.leaves || !is_meant || own.is_asked() {
                ends = own.give_back(orders.grace).into_iter().chain(ends).min();
            }
            if !own.term.is_leading() {
                own.term.end();
            }
        }
        let before = slots.len();
        slots.retain(|_, own| !own.is_over());
        let mut changed = slots.len() != before;
        let missing = held.and(meant).iter().filter(|at| !slots.contains_key(at));
        for at in missing.collect::<Vec<_>>() {
            if let Some(slot) = record.slots.get(at)
                && !orders.leaves
                && Instant::now() < orders.deadline
            {
                let number = self.begun.fetch_add(1, Ordering::Relaxed);
                let held = Held::new(at, number, slot.epoch, orders.deadline);
                slots.insert(at, Arc::new(held));
                changed = true;
            }
        }
        if changed {
            self.publish(&slots);
        }
        ends
    }

    /// Ends all terms: the process is no member any more.
    pub(super) fn end(&self) {
        for held in self.slots.read().values() {
            held.term.end();
        }
    }

    /// Waits until nothing works on any slot, after [`end`](Self::end).
    pub(super) async fn ended(&self) {
        let held: Vec<_> = self.slots.read().values().cloned().collect();
        for held in &held {
            while held.works() {
                self.idle.notified().await;
            }
            held.term.idle().await;
        }
        let mut slots = self.slots.write();
        slots.retain(|_, own| !own.is_over());
        self.publish(&slots);
    }

    fn publish(&self, slots: &BTreeMap<usize, Arc<Held>>) {
        self.owned.send_replace(slots.keys().copied().collect());
    }
}
