//! `shard_group_*`: the groups of replicas that this process is a member of.

use std::sync::Arc;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Gauge, Registry};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    name: String,
}

/// The series of one group. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct ShardMetrics {
    _owner: Arc<Owner<Labels>>,
    members: Gauge,
    held: Gauge,
    ranges: Gauge,
    moves: Counter,
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

pub(super) struct Families {
    members: Family<Labels, Gauge>,
    held: Family<Labels, Gauge>,
    ranges: Family<Labels, Gauge>,
    moves: Family<Labels, Counter>,
    owners: Owners<Labels>,
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let members = Family::<Labels, Gauge>::default();
        let held = Family::<Labels, Gauge>::default();
        let ranges = Family::<Labels, Gauge>::default();
        let moves = Family::<Labels, Counter>::default();
        let families = Self {
            members: members.clone(),
            held: held.clone(),
            ranges: ranges.clone(),
            moves: moves.clone(),
            owners: Owners::new(move |labels| {
                members.remove(labels);
                held.remove(labels);
                ranges.remove(labels);
                moves.remove(labels);
            }),
        };
        registry.register(
            "shard_group_members",
            "Replicas that share the work",
            families.members.clone(),
        );
        registry.register(
            "shard_group_slots",
            "Slots of the hash space, of 256, that this process holds",
            families.held.clone(),
        );
        registry.register(
            "shard_group_ranges",
            "Ranges of hashes that this process holds",
            families.ranges.clone(),
        );
        registry.register(
            "shard_group_moves",
            "Slots that this process took or gave up",
            families.moves.clone(),
        );
        families
    }

    pub(super) fn of(&self, name: &str) -> ShardMetrics {
        let labels = Labels {
            name: name.to_owned(),
        };
        ShardMetrics {
            _owner: self.owners.of(&labels),
            members: self.members.get_or_create_owned(&labels),
            held: self.held.get_or_create_owned(&labels),
            ranges: self.ranges.get_or_create_owned(&labels),
            moves: self.moves.get_or_create_owned(&labels),
        }
    }
}
