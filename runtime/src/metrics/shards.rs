//! `shard_group_*`: the groups of replicas that this process is a member of.

use super::owned::owned_series;
use super::series::{Counter, Gauge};

owned_series! {
    /// The series of one group. Clones share them.
    pub(crate) struct ShardMetrics of (name) {
        members: Gauge = SHARD_MEMBERS;
        held: Gauge = SHARD_SLOTS;
        ranges: Gauge = SHARD_RANGES;
        moves: Counter = SHARD_MOVES;
    }
}

impl ShardMetrics {
    /// Records the state of the group: its members, and the slots and ranges that this process
    /// holds.
    pub(crate) fn note(&self, members: usize, held: usize, ranges: usize) {
        let gauges = [
            (&self.members, members),
            (&self.held, held),
            (&self.ranges, ranges),
        ];
        for (gauge, value) in gauges {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
    }

    /// Counts slots that this process took or gave up.
    pub(crate) fn moved(&self, slots: u64) {
        self.moves.inc_by(slots);
    }
}
