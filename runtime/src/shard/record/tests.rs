//! The hand-over, exhaustively for two members and two slots, and at random for more.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// A member of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Member {
    /// Whether its term lasts. Work ends with the term, and others know that it is over only
    /// afterwards.
    is_alive: bool,
    leaves: bool,
    /// What it works on, by epoch.
    works_on: BTreeMap<usize, u64>,
    /// The slots that it has to give up, as of its last read.
    drains: BTreeSet<usize>,
    /// The write in flight, and the version that it is based on.
    write: Option<(String, u64)>,
}

#[derive(Clone, Debug)]
struct World {
    record: Record,
    version: u64,
    members: Vec<Member>,
    /// For each slot, the largest epoch that anyone worked in.
    epochs: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    /// Reads the record, and sends what follows from it.
    Read(usize),
    /// The server applies or refuses the write.
    Arrive(usize),
    /// The member's term ends: it crashed, or was paused for too long.
    Die(usize),
    /// Work on the slots to give up ends.
    Finish(usize),
    Leave(usize),
    /// A process starts in place of a dead one.
    Join(usize),
    /// Somebody deletes the record.
    Delete,
}

fn name(member: usize) -> String {
    format!("m{member}")
}

impl World {
    fn new(members: usize, slots: usize) -> Self {
        let mut record = Record::new(0, true);
        record.slots.truncate(slots);
        let member = Member {
            is_alive: true,
            ..Member::default()
        };
        Self {
            record,
            version: 0,
            members: vec![member; members],
            epochs: vec![0; slots],
        }
    }

    /// Applies an act; returns whether it was possible.
    fn act(&mut self, act: Act) -> bool {
        match act {
            Act::Read(m) => self.read(m),
            Act::Arrive(m) => self.arrive(m),
            Act::Die(m) => {
                let member = &mut self.members[m];
                // A write in flight may still arrive.
                let was = std::mem::take(&mut member.is_alive);
                member.works_on.clear();
                member.drains.clear();
                was
            }
            Act::Finish(m) => {
                let member = &mut self.members[m];
                let drained = std::mem::take(&mut member.drains);
                member.works_on.retain(|slot, _| !drained.contains(slot));
                !drained.is_empty()
            }
            Act::Leave(m) => !std::mem::replace(&mut self.members[m].leaves, true),
            Act::Join(m) => {
                // Each process is another member; here it takes the name once nothing of the dead
                // one is left.
                let is_gone =
                    !self.members[m].is_alive && !self.record.names().contains(name(m).as_str());
                if is_gone && self.members[m].write.is_none() {
                    self.members[m] = Member {
                        is_alive: true,
                        ..Member::default()
                    };
                }
                is_gone
            }
            Act::Delete => {
                let slots = self.record.slots.len();
                self.record = Record::new(self.record.epoch, false);
                self.record.slots.truncate(slots);
                self.version += 1;
                true
            }
        }
    }

    fn read(&mut self, m: usize) -> bool {
        if !self.members[m].is_alive {
            return false;
        }
        self.learn(m);
        let all: BTreeSet<String> = self.dead();
        let member = &self.members[m];
        let turn = Turn {
            me: &name(m),
            weight: 1,
            leaves: member.leaves,
            works_on: &member.works_on,
            dead: &all,
            wanted: &BTreeMap::new(),
            highest: 0,
            may_settle: self.is_known(),
        };
        let next = self.record.after(&turn);
        let write = (next != self.record).then(|| (next.to_text_of_model(), self.version));
        self.members[m].write = write;
        true
    }

    fn arrive(&mut self, m: usize) -> bool {
        let Some((next, base)) = self.members[m].write.take() else {
            return false;
        };
        if base == self.version {
            self.record = Record::of_model(&next);
            self.version += 1;
            if self.members[m].is_alive {
                self.learn(m);
            }
        }
        true
    }

    /// What `Coordinator` does with a record: ends lost work, begins what was taken, and drains
    /// what is meant for others.
    fn learn(&mut self, m: usize) {
        let (record, me) = (&self.record, name(m));
        let held = record.held_by(&me);
        let meant = record.meant_for(&me);
        let member = &mut self.members[m];
        let is_held =
            |slot: &usize, epoch: &u64| held.contains(*slot) && record.slots[*slot].epoch == *epoch;
        if record.settled {
            member.works_on.retain(|slot, epoch| is_held(slot, epoch));
        } else {
            let is_free = |slot: &usize| record.slots[*slot].holder.is_none();
            member
                .works_on
                .retain(|slot, epoch| is_held(slot, epoch) || is_free(slot));
        }
        for slot in held.and(meant).iter() {
            member
                .works_on
                .entry(slot)
                .or_insert(record.slots[slot].epoch);
        }
        member.drains = held.minus(meant).iter().collect();
    }

    /// Who is dead, which is certain only after the term.
    fn dead(&self) -> BTreeSet<String> {
        let members = self.members.iter().enumerate();
        members
            .filter(|(_, it)| !it.is_alive)
            .map(|(m, _)| name(m))
            .collect()
    }

    /// Whether the record names all owners: a new record is settled only after those that it does
    /// not name must have stopped.
    fn is_known(&self) -> bool {
        self.members.iter().enumerate().all(|(m, member)| {
            let held = self.record.held_by(&name(m));
            member.works_on.keys().all(|slot| held.contains(*slot))
        })
    }

    fn check(&mut self) -> Result<(), String> {
        for slot in 0..self.epochs.len() {
            let works = self.members.iter().filter_map(|it| it.works_on.get(&slot));
            let epochs: Vec<u64> = works.copied().collect();
            match epochs.as_slice() {
                [] => {}
                [epoch] if *epoch >= self.epochs[slot] => self.epochs[slot] = *epoch,
                [epoch] => {
                    return Err(format!(
                        "slot {slot}: epoch {epoch} after {}",
                        self.epochs[slot]
                    ));
                }
                _ => return Err(format!("slot {slot} has two owners: {epochs:?}")),
            }
        }
        Ok(())
    }

    fn key(&self) -> String {
        format!("{:?} {:?} {}", self.record, self.members, self.version)
    }
}

impl Record {
    /// Like `to_text`, for the fewer slots of the model.
    fn to_text_of_model(&self) -> String {
        let slots = serde_json::to_value(&self.slots).unwrap();
        serde_json::json!({"epoch": self.epoch, "settled": self.settled, "members": self.members, "slots": slots}).to_string()
    }

    fn of_model(text: &str) -> Self {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        Self {
            epoch: value["epoch"].as_u64().unwrap(),
            settled: value["settled"].as_bool().unwrap(),
            members: serde_json::from_value(value["members"].clone()).unwrap(),
            slots: serde_json::from_value(value["slots"].clone()).unwrap(),
        }
    }
}

fn acts(members: usize) -> Vec<Act> {
    let each = (0..members).flat_map(|m| {
        [
            Act::Read(m),
            Act::Arrive(m),
            Act::Finish(m),
            Act::Die(m),
            Act::Leave(m),
            Act::Join(m),
        ]
    });
    each.chain([Act::Delete]).collect()
}

/// Every order of ten acts of two members, but those that lead to a known state.
#[test]
fn no_slot_has_two_owners_in_any_order_of_reads_writes_and_deaths() {
    let acts = acts(2);
    let mut seen = HashSet::new();
    let mut level = vec![World::new(2, 2)];
    for depth in 0..9 {
        let mut next = Vec::new();
        for world in &level {
            for act in &acts {
                let mut world = world.clone();
                if !world.act(*act) {
                    continue;
                }
                if let Err(fault) = world.check() {
                    panic!("{fault} at depth {depth} by {act:?}: {world:?}");
                }
                if seen.insert(world.key()) {
                    next.push(world);
                }
            }
        }
        level = next;
    }
    assert!(seen.len() > 5_000, "{} states", seen.len());
}

fn act(members: usize) -> impl Strategy<Value = Act> {
    let m = 0..members;
    prop_oneof![
        8 => m.clone().prop_map(Act::Read),
        8 => m.clone().prop_map(Act::Arrive),
        4 => m.clone().prop_map(Act::Finish),
        1 => m.clone().prop_map(Act::Die),
        1 => m.clone().prop_map(Act::Leave),
        2 => m.prop_map(Act::Join),
        1 => Just(Act::Delete),
    ]
}

proptest! {
    #[test]
    fn at_random_no_slot_has_two_owners_and_all_find_one(steps in prop::collection::vec(act(5), 0..250)) {
        let mut world = World::new(5, 9);
        for step in steps {
            world.act(step);
            world.check().map_err(TestCaseError::fail)?;
        }
        // Then the world is left alone, with at least one who stays.
        world.members[0].leaves = false;
        for _ in 0..12 {
            for m in 0..5 {
                for act in [Act::Arrive(m), Act::Join(m), Act::Read(m), Act::Arrive(m), Act::Finish(m)] {
                    world.act(act);
                    world.check().map_err(TestCaseError::fail)?;
                }
            }
        }
        for slot in 0..9 {
            let owners = world.members.iter().filter(|it| it.works_on.contains_key(&slot)).count();
            prop_assert_eq!(owners, 1, "slot {} of {:?}", slot, world);
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written(steps in prop::collection::vec((0..5usize, any::<bool>()), 0..40)) {
        let (mut record, works_on) = (Record::new(7, true), BTreeMap::new());
        for (m, leaves) in steps {
            let (me, dead) = (name(m), BTreeSet::new());
            let turn = Turn { me: &me, weight: 1, leaves, works_on: &works_on, wanted: &works_on, highest: 0, dead: &dead, may_settle: true };
            record = record.after(&turn);
            let read = Record::parse(&record.to_text());
            prop_assert_eq!(read.as_ref(), Some(&record));
        }
        prop_assert!(record.to_text().len() < 4096, "{}", record.to_text());
    }
}

#[test]
fn an_edited_record_that_is_none_is_refused() {
    let text = Record::new(1, true).to_text();
    assert!(Record::parse(&text).is_some());
    for invalid in [
        "",
        "{}",
        &text.replace("256", "255"),
        &text.replace("256", "18446744073709551615"),
    ] {
        assert_eq!(Record::parse(invalid), None, "{invalid}");
    }
}
