//! The assignment record, and its transitions.
//!
//! The record says who the members are, who should own each slot (its *target*) and who does (its
//! *holder*). It is one object, so that each transition is a compare-and-swap: of two members that
//! take a slot, one succeeds. Every member applies the same transitions; there is no coordinator
//! whose death would delay the others. That nobody works without a right to is due to these rules:
//!
//! - A member adds only itself, gives up only its own slots, and only once nothing works on them.
//!   It takes only slots without a holder.
//! - Another member's slots are freed only once that member is [dead](Turn::dead): its term has
//!   ended, which never resumes.
//! - Nobody takes a slot of a record that appeared anew, as after a deletion, before all owners
//!   that it does not know must have stopped.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::plan::plan;
use super::slots::{SLOTS, SlotSet};

/// The members of a group, and the slots of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The largest epoch of any holder ever.
    pub(super) epoch: u64,
    /// Whether the record is known to name every holder.
    pub(super) settled: bool,
    /// The members and their weights.
    pub(super) members: BTreeMap<String, u32>,
    pub(super) slots: Vec<Slot>,
}

/// A slot of the hash space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Slot {
    /// Who should own it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    /// Who owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) holder: Option<String>,
    /// The epoch of the last holder.
    pub(super) epoch: u64,
}

/// Equal slots in a row: the form in which the record is stored.
#[derive(Serialize, Deserialize)]
struct Run {
    slots: usize,
    #[serde(flatten)]
    slot: Slot,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    epoch: u64,
    settled: bool,
    members: BTreeMap<String, u32>,
    runs: Vec<Run>,
}

/// What a member knows when it is its turn to change the record.
#[derive(Clone, Debug)]
pub(super) struct Turn<'a> {
    /// The member's name.
    pub(super) me: &'a str,
    /// Its weight.
    pub(super) weight: u32,
    /// Whether it wants no slots any more.
    pub(super) leaves: bool,
    /// The slots that it works on, or may still work on, with their epochs.
    pub(super) works_on: &'a BTreeMap<usize, u64>,
    /// The epochs that work asks for, above those of its slots.
    pub(super) wanted: &'a BTreeMap<usize, u64>,
    /// The largest epoch that it ever saw, in any record.
    pub(super) highest: u64,
    /// Members and holders whose terms have certainly ended.
    pub(super) dead: &'a BTreeSet<String>,
    /// Whether every owner that a new record does not name must have stopped.
    pub(super) may_settle: bool,
}

impl Record {
    /// Creates the record of a group without members. `epoch` is the largest one known.
    pub(super) fn new(epoch: u64, settled: bool) -> Self {
        Self {
            epoch,
            settled,
            members: BTreeMap::new(),
            slots: vec![Slot::default(); SLOTS],
        }
    }

    /// Parses a stored record; `None` if it is none, as after an edit by hand.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let stored: Stored = serde_json::from_str(text).ok()?;
        let total = stored
            .runs
            .iter()
            .try_fold(0_usize, |sum, run| sum.checked_add(run.slots));
        if total != Some(SLOTS) {
            return None;
        }
        let runs = stored.runs.into_iter();
        let slots = runs.flat_map(|run| std::iter::repeat_n(run.slot, run.slots));
        Some(Self {
            epoch: stored.epoch,
            settled: stored.settled,
            members: stored.members,
            slots: slots.collect(),
        })
    }

    /// Returns the form to store.
    pub(super) fn to_text(&self) -> String {
        let mut runs: Vec<Run> = Vec::new();
        for slot in &self.slots {
            match runs.last_mut() {
                Some(run) if run.slot == *slot => run.slots += 1,
                _ => runs.push(Run {
                    slots: 1,
                    slot: slot.clone(),
                }),
            }
        }
        let stored = Stored {
            epoch: self.epoch,
            settled: self.settled,
            members: self.members.clone(),
            runs,
        };
        // Strings and numbers always serialize.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Returns everybody whose death would matter: members and holders.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let holders = self.slots.iter().filter_map(|slot| slot.holder.as_deref());
        let members = self.members.keys().map(String::as_str);
        members.chain(holders).collect()
    }

    /// Returns the slots that `member` holds.
    pub(super) fn held_by(&self, member: &str) -> SlotSet {
        self.with(|slot| slot.holder.as_deref() == Some(member))
    }

    /// Returns the slots that `member` should hold.
    pub(super) fn meant_for(&self, member: &str) -> SlotSet {
        self.with(|slot| slot.target.as_deref() == Some(member))
    }

    fn with(&self, matches: impl Fn(&Slot) -> bool) -> SlotSet {
        let slots = self.slots.iter().enumerate();
        slots
            .filter(|(_, slot)| matches(slot))
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns the record after a member's turn: everything that it may do. Equal to this one if
    /// there is nothing to do.
    #[must_use]
    pub(super) fn after(&self, turn: &Turn<'_>) -> Self {
        let mut next = self.clone();
        next.raise(turn);
        if !next.settled {
            next.claim_again(turn);
            next.settled = turn.may_settle;
        }
        next.bury(turn.dead);
        match turn.leaves {
            true => next.members.remove(turn.me),
            false => next.members.insert(turn.me.to_owned(), turn.weight),
        };
        if next.needs_plan(&self.members) {
            next.plan();
        }
        next.give_up(turn);
        if next.settled && !turn.leaves {
            next.take(turn);
        }
        next
    }

    /// Raises the epochs of slots whose holder is refused by a system that has seen larger ones.
    fn raise(&mut self, turn: &Turn<'_>) {
        // A record that was deleted or restored may not know the epochs of the past.
        self.epoch = self.epoch.max(turn.highest);
        for (slot, epoch) in turn.wanted {
            if let Some(slot) = self.slots.get_mut(*slot)
                && slot.holder.as_deref() == Some(turn.me)
            {
                slot.epoch = slot.epoch.max(*epoch);
                self.epoch = self.epoch.max(*epoch);
            }
        }
    }

    /// Restores the slots that the member works on to a record that does not know of it.
    fn claim_again(&mut self, turn: &Turn<'_>) {
        for (slot, epoch) in turn.works_on {
            if let Some(slot) = self.slots.get_mut(*slot)
                && slot.holder.is_none()
            {
                slot.target = Some(turn.me.to_owned());
                slot.holder = Some(turn.me.to_owned());
                slot.epoch = *epoch;
                self.epoch = self.epoch.max(*epoch);
            }
        }
    }

    /// Frees the slots of the dead.
    fn bury(&mut self, dead: &BTreeSet<String>) {
        self.members.retain(|name, _| !dead.contains(name));
        for slot in &mut self.slots {
            if slot
                .holder
                .as_ref()
                .is_some_and(|holder| dead.contains(holder))
            {
                slot.holder = None;
            }
        }
    }

    fn needs_plan(&self, before: &BTreeMap<String, u32>) -> bool {
        self.members != *before
            || self.slots.iter().any(|slot| match &slot.target {
                Some(target) => !self.members.contains_key(target),
                None => !self.members.is_empty(),
            })
    }

    fn plan(&mut self) {
        let targets: Vec<_> = self.slots.iter().map(|slot| slot.target.clone()).collect();
        let planned = plan(&targets, &self.members);
        for (slot, target) in self.slots.iter_mut().zip(planned) {
            slot.target = target;
        }
    }

    /// Frees the slots that are meant for others and that nothing works on.
    fn give_up(&mut self, turn: &Turn<'_>) {
        let me = Some(turn.me);
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let is_idle = !turn.works_on.contains_key(&at);
            if slot.holder.as_deref() == me && slot.target.as_deref() != me && is_idle {
                slot.holder = None;
            }
        }
    }

    /// Takes the free slots that are meant for the member, with a new epoch. Work from an earlier
    /// epoch must have ended.
    fn take(&mut self, turn: &Turn<'_>) {
        let free: Vec<usize> = self
            .meant_for(turn.me)
            .minus(self.with(|slot| slot.holder.is_some()))
            .iter()
            .filter(|slot| !turn.works_on.contains_key(slot))
            .collect();
        if free.is_empty() {
            return;
        }
        self.epoch += 1;
        for at in free {
            if let Some(slot) = self.slots.get_mut(at) {
                slot.holder = Some(turn.me.to_owned());
                slot.epoch = self.epoch;
            }
        }
    }
}

#[cfg(test)]
mod tests;
