//! `leader_election_*`: client-go's election metrics.

use super::owned::owned_series;
use super::series::{Counter, Gauge};

owned_series! {
    /// The series of one lease. Clones share them.
    pub struct LeaderMetrics of (name) {
        status: Gauge = "leader_election_master_status",
            "1 if this process holds the lease, 0 if it does not";
        slowpath: Counter = "leader_election_slowpath",
            "Renewals that had to read the lease first";
        identity_conflicts: Counter = "leader_election_identity_conflicts",
            "Times that another process was seen to contend under this identity";
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
