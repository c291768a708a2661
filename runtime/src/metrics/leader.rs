//! `leader_election_*`: client-go's election metrics.

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

/// The series of one lease. Clones share them.
#[derive(Debug, Clone)]
pub struct LeaderMetrics {
    _owner: Arc<Owner<Labels>>,
    status: Gauge,
    slowpath: Counter,
    identity_conflicts: Counter,
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

pub(super) struct Families {
    status: Family<Labels, Gauge>,
    slowpath: Family<Labels, Counter>,
    identity_conflicts: Family<Labels, Counter>,
    owners: Owners<Labels>,
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let status = Family::<Labels, Gauge>::default();
        let slowpath = Family::<Labels, Counter>::default();
        let identity_conflicts = Family::<Labels, Counter>::default();
        let families = Self {
            status: status.clone(),
            slowpath: slowpath.clone(),
            identity_conflicts: identity_conflicts.clone(),
            owners: Owners::new(move |labels| {
                status.remove(labels);
                slowpath.remove(labels);
                identity_conflicts.remove(labels);
            }),
        };
        let status = "1 if this process holds the lease, 0 if it does not";
        registry.register(
            "leader_election_master_status",
            status,
            families.status.clone(),
        );
        let slowpath = "Renewals that had to read the lease first";
        registry.register(
            "leader_election_slowpath",
            slowpath,
            families.slowpath.clone(),
        );
        let conflicts = "Times that another process was seen to contend under this identity";
        registry.register(
            "leader_election_identity_conflicts",
            conflicts,
            families.identity_conflicts.clone(),
        );
        families
    }

    pub(super) fn of(&self, name: &str) -> LeaderMetrics {
        let labels = Labels {
            name: name.to_owned(),
        };
        LeaderMetrics {
            _owner: self.owners.of(&labels),
            status: self.status.get_or_create_owned(&labels),
            slowpath: self.slowpath.get_or_create_owned(&labels),
            identity_conflicts: self.identity_conflicts.get_or_create_owned(&labels),
        }
    }
}
