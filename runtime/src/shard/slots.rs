//! The slots of the hash space: its 256 equal parts, each of which has one owner at a time.

use kube_names::shard::Range;

/// The number of slots. A joining fifth replica takes 51 of them.
pub(crate) const SLOTS: usize = 256;

const WORD: usize = u64::BITS as usize;

/// Returns the slot of a hash.
pub(crate) fn slot_of(hash: u64) -> usize {
    // The upper byte; a byte fits.
    usize::from(hash.to_be_bytes()[0])
}

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotSet([u64; SLOTS / WORD]);

impl SlotSet {
    /// Whether the set has this slot.
    pub(crate) fn contains(self, slot: usize) -> bool {
        let word = self.0.get(slot / WORD);
        word.is_some_and(|word| word & (1 << (slot % WORD)) != 0)
    }

    /// Adds a slot.
    pub(crate) fn insert(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / WORD) {
            *word |= 1 << (slot % WORD);
        }
    }

    /// Returns the slots of this set that are not in `other`.
    #[must_use]
    pub(crate) fn minus(self, other: Self) -> Self {
        self.combine(other, |own, other| own & !other)
    }

    /// Returns the slots that are in both sets.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        self.combine(other, |own, other| own & other)
    }

    /// Returns the slots that are in either set.
    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        self.combine(other, |own, other| own | other)
    }

    fn combine(mut self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = combine(*own, other);
        }
        self
    }

    /// Whether there are no slots in the set.
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns the number of slots.
    pub(crate) fn len(self) -> usize {
        self.iter().count()
    }

    /// Returns the slots in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..SLOTS).filter(move |slot| self.contains(*slot))
    }

    /// Returns the ranges of hashes, as few as possible.
    pub(crate) fn ranges(self) -> Vec<Range> {
        let mut ranges = Vec::new();
        let mut start = None;
        for slot in 0..=SLOTS {
            match (self.contains(slot), start) {
                (true, None) => start = Some(slot),
                (false, Some(first)) => {
                    ranges.extend(Range::new(first_hash(first), last_hash(slot - 1)));
                    start = None;
                }
                _ => {}
            }
        }
        ranges
    }
}

impl FromIterator<usize> for SlotSet {
    fn from_iter<I: IntoIterator<Item = usize>>(slots: I) -> Self {
        let mut set = Self::default();
        slots.into_iter().for_each(|slot| set.insert(slot));
        set
    }
}

fn first_hash(slot: usize) -> u64 {
    u64::try_from(slot).unwrap_or(u64::MAX) << 56
}

fn last_hash(slot: usize) -> u64 {
    first_hash(slot) | (u64::MAX >> 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn adjacent_slots_are_one_range() {
        let all: SlotSet = (0..SLOTS).collect();
        assert_eq!(all.ranges(), [Range::ALL]);
        let some: SlotSet = [0, 1, 3, 255].into_iter().collect();
        let shown: Vec<String> = some.ranges().iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "'0x0000000000000000', '0x0200000000000000'",
                "'0x0300000000000000', '0x0400000000000000'",
                "'0xff00000000000000', '0x10000000000000000'",
            ]
        );
    }

    proptest! {
        #[test]
        fn a_hash_is_in_the_ranges_of_its_slot_alone(hash: u64, slots in prop::collection::vec(0..SLOTS, 0..40)) {
            let set: SlotSet = slots.into_iter().collect();
            let is_in = set.ranges().iter().any(|range| range.contains(hash));
            prop_assert_eq!(is_in, set.contains(slot_of(hash)));
        }

        #[test]
        fn sets_combine_slot_by_slot(one in prop::collection::vec(0..SLOTS, 0..99), two in prop::collection::vec(0..SLOTS, 0..99)) {
            let (one, two): (SlotSet, SlotSet) = (one.into_iter().collect(), two.into_iter().collect());
            for slot in 0..SLOTS {
                let (own, other) = (one.contains(slot), two.contains(slot));
                prop_assert_eq!(one.minus(two).contains(slot), own && !other);
                prop_assert_eq!(one.and(two).contains(slot), own && other);
                prop_assert_eq!(one.or(two).contains(slot), own || other);
            }
            prop_assert_eq!(one.minus(two).len() + one.and(two).len(), one.len());
        }
    }
}
