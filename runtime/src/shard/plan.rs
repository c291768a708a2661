//! Who should own which slot: a function of the members, their weights and the current targets
//! alone, which moves as little as possible.
//!
//! It depends on the current targets, because a function of the members alone moves more, or cuts
//! the space into many pieces; the record, which all members share, has them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The target of each slot: a member's name, or none if there are no members.
pub(super) type Targets = Vec<Option<String>>;

/// Returns the targets for `members` with their weights.
///
/// Each member gets its share, to a slot. Only slots whose target is gone, and those above a
/// member's share, move.
pub(super) fn plan(targets: &[Option<String>], members: &BTreeMap<String, u32>) -> Targets {
    let mut plan = Plan {
        targets: targets.to_vec(),
    };
    let is_member = |target: &Option<String>| {
        let name = target.as_ref();
        name.is_some_and(|name| members.contains_key(name))
    };
    for target in &mut plan.targets {
        if !is_member(target) {
            *target = None;
        }
    }
    let shares = plan.shares(members);
    for (member, share) in &shares {
        plan.give_up(member, *share);
    }
    for (member, share) in &shares {
        plan.take_up(member, *share);
    }
    plan.targets
}

struct Plan {
    targets: Targets,
}

/// Slots in a row.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    len: usize,
}

impl Plan {
    /// Returns the number of slots of each member, in proportion to the weights. Slots that are
    /// left over go to the largest remainders, and among equal ones to members that have more now.
    fn shares<'m>(&self, members: &'m BTreeMap<String, u32>) -> Vec<(&'m str, usize)> {
        let slots = self.targets.len();
        // Nobody is left without a weight.
        let weight = |weight: u32| u128::from(weight.max(1));
        let total: u128 = members.values().map(|it| weight(*it)).sum();
        let mut shares = Vec::new();
        for (name, own) in members {
            let exact = weight(*own) * slots as u128;
            let whole = usize::try_from(exact / total).unwrap_or(slots);
            shares.push((name.as_str(), whole, exact % total));
        }
        let left = slots - shares.iter().map(|(_, share, _)| share).sum::<usize>();
        shares.sort_by_key(|(name, _, rest)| (Reverse(*rest), Reverse(self.count(name)), *name));
        let extra = shares.iter().enumerate().map(|(at, (name, share, _))| {
            let extra = usize::from(at < left);
            (*name, share + extra)
        });
        let mut shares: Vec<_> = extra.collect();
        shares.sort_unstable();
        shares
    }

    fn count(&self, member: &str) -> usize {
        let own = self.targets.iter().flatten();
        own.filter(|target| *target == member).count()
    }

    /// Frees the slots of a member above its share: its shortest runs first, from their ends, so
    /// that few runs remain.
    fn give_up(&mut self, member: &str, share: usize) {
        let mut excess = self.count(member).saturating_sub(share);
        let mut runs = self.runs(Some(member));
        runs.sort_by_key(|run| (run.len, run.start));
        for run in runs {
            let freed = run.len.min(excess);
            excess -= freed;
            let end = run.start + run.len;
            self.set(end - freed, freed, None);
        }
    }

    /// Gives a member free slots up to its share, beside its own where possible.
    fn take_up(&mut self, member: &str, share: usize) {
        let mut missing = share.saturating_sub(self.count(member));
        while missing > 0 {
            let is_own = |slot: Option<usize>| {
                let target = slot.and_then(|slot| self.targets.get(slot));
                target.is_some_and(|target| target.as_deref() == Some(member))
            };
            let follows = |run: &Run| is_own(run.start.checked_sub(1));
            let precedes = |run: &Run| is_own(Some(run.start + run.len));
            let free = self.runs(None).into_iter();
            let Some(run) =
                free.max_by_key(|run| (follows(run) || precedes(run), run.len, Reverse(run.start)))
            else {
                return;
            };
            let taken = run.len.min(missing);
            let start = match precedes(&run) && !follows(&run) {
                true => run.start + run.len - taken,
                false => run.start,
            };
            self.set(start, taken, Some(member));
            missing -= taken;
        }
    }

    fn set(&mut self, start: usize, len: usize, member: Option<&str>) {
        for target in self.targets.iter_mut().skip(start).take(len) {
            *target = member.map(str::to_owned);
        }
    }

    fn runs(&self, member: Option<&str>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (slot, target) in self.targets.iter().enumerate() {
            if target.as_deref() != member {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.start + run.len == slot => run.len += 1,
                _ => runs.push(Run {
                    start: slot,
                    len: 1,
                }),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::slots::SLOTS;
    use super::*;

    fn members(names: &[(&str, u32)]) -> BTreeMap<String, u32> {
        let members = names
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight));
        members.collect()
    }

    fn moved(old: &[Option<String>], new: &[Option<String>]) -> usize {
        old.iter().zip(new).filter(|(old, new)| old != new).count()
    }

    fn count(targets: &[Option<String>], member: &str) -> usize {
        targets.iter().flatten().filter(|it| *it == member).count()
    }

    fn pieces(targets: &[Option<String>]) -> usize {
        1 + targets.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    #[test]
    fn a_joining_fifth_takes_a_fifth_and_nothing_else_moves() {
        let four = members(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]);
        let old = plan(&vec![None; SLOTS], &four);
        assert_eq!(pieces(&old), 4);
        let mut five = four;
        five.insert("e".to_owned(), 1);
        let new = plan(&old, &five);
        let share = moved(&old, &new);
        assert_eq!(share, count(&new, "e"));
        assert!(share * 100 <= SLOTS * 22, "{share} of {SLOTS}");
    }

    #[test]
    fn a_member_of_twice_the_weight_has_twice_the_slots() {
        let targets = plan(
            &vec![None; SLOTS],
            &members(&[("a", 2), ("b", 1), ("c", 1)]),
        );
        assert_eq!(
            [
                count(&targets, "a"),
                count(&targets, "b"),
                count(&targets, "c")
            ],
            [128, 64, 64]
        );
    }

    #[test]
    fn without_members_there_are_no_targets() {
        let targets = plan(&vec![Some("gone".to_owned()); SLOTS], &members(&[]));
        assert!(targets.iter().all(Option::is_none));
    }

    fn change() -> impl Strategy<Value = (u8, u32)> {
        (0..12u8, 0..4u32)
    }

    proptest! {
        #[test]
        fn shares_are_exact_and_moves_are_minimal(changes in prop::collection::vec(change(), 1..60)) {
            let (mut members, mut targets) = (BTreeMap::new(), vec![None; SLOTS]);
            for (name, weight) in changes {
                let name = format!("m{name:02}");
                // A weight of 0 takes the member away.
                match weight {
                    0 => members.remove(&name),
                    weight => members.insert(name, weight),
                };
                let new = plan(&targets, &members);
                prop_assert_eq!(&new, &plan(&new, &members), "a plan stays as it is");
                let total: u32 = members.values().sum();
                let mut least = 0;
                for (name, weight) in &members {
                    let exact = f64::from(*weight) * SLOTS as f64 / f64::from(total);
                    let share = count(&new, name);
                    prop_assert!((share as f64 - exact).abs() < 1.0, "{} has {} of {}", name, share, exact);
                    least += share.saturating_sub(count(&targets, name));
                }
                prop_assert!(members.is_empty() || new.iter().all(Option::is_some));
                prop_assert!(members.is_empty() || moved(&targets, &new) == least);
                // Selectors stay short, whatever came before.
                prop_assert!(pieces(&new) <= 128, "{} pieces", pieces(&new));
                targets = new;
            }
        }
    }
}
