//! `leader_election_*`: client-go's election metrics.

use super::owned::owned_series;
use super::series::{Counter, Gauge};

owned_series! {
    /// The series of one lease. Clones share them.
    pub struct LeaderMetrics of (name) {
        status: Gauge = LEADER_STATUS;
        slowpath: Counter = LEADER_SLOWPATH;
        identity_conflicts: Counter = LEADER_CONFLICTS;
    }
}

impl LeaderMetrics {
    pub(crate) fn leading(&self, leading: bool) {
        self.status.set(i64::from(leading));
    }

    pub(crate) fn slow_path(&self) {
        self.slowpath.inc();
    }

    pub(crate) fn identity_conflict(&self) {
        self.identity_conflicts.inc();
    }
}
