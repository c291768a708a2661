//! What a Lease says of its holder.

use std::cmp::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::core::ObjectMeta;
use tokio::time::Instant;

use super::LeaderElectionConfig;

/// A Lease, and when its record last changed by the local clock.
///
/// The times that the Lease carries are written for people; nothing here reads them but to see that they changed.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) lease: Lease,
    pub(super) at: Instant,
}

impl Observed {
    /// Takes in a newer version of the Lease, seen at `at`. Its clock restarts only if the record differs.
    pub(super) fn update(&mut self, lease: Lease, at: Instant) {
        if self.lease.spec != lease.spec {
            self.at = at;
        }
        self.lease = lease;
    }

    /// The holder; empty if there is none.
    pub(super) fn holder(&self) -> &str {
        holder(&self.lease)
    }

    /// When the record ends, by its own duration.
    pub(super) fn expires_at(&self) -> Instant {
        let seconds = self
            .lease
            .spec
            .as_ref()
            .and_then(|spec| spec.lease_duration_seconds)
            .unwrap_or(0);
        self.at + Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
    }

    /// Whether somebody holds the Lease and may still renew it.
    pub(super) fn is_held(&self, now: Instant) -> bool {
        !self.holder().is_empty() && now < self.expires_at()
    }

    /// How this version of the Lease compares with `lease` in age; `None` if the versions don't compare.
    pub(super) fn age(&self, lease: &Lease) -> Option<Ordering> {
        let number = |lease: &Lease| {
            lease
                .metadata
                .resource_version
                .as_ref()?
                .parse::<u64>()
                .ok()
        };
        if self.lease.metadata.uid != lease.metadata.uid {
            return None;
        }
        Some(number(&self.lease)?.cmp(&number(lease)?))
    }
}

/// The holder of `lease`; empty if there is none.
pub(super) fn holder(lease: &Lease) -> &str {
    lease
        .spec
        .as_ref()
        .and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or_default()
}

/// How often the Lease changed hands.
pub(super) fn transitions(lease: &Lease) -> i32 {
    lease
        .spec
        .as_ref()
        .and_then(|spec| spec.lease_transitions)
        .unwrap_or(0)
}

/// A Lease that doesn't exist (any more), held by this process.
pub(super) fn created(config: &LeaderElectionConfig, transitions: i32) -> Lease {
    let metadata = ObjectMeta {
        name: Some(config.name.clone()),
        namespace: Some(config.namespace.clone()),
        ..ObjectMeta::default()
    };
    Lease {
        metadata,
        spec: Some(held(config, LeaseSpec::default(), transitions)),
    }
}

/// `lease`, taken over by this process.
pub(super) fn taken_over(config: &LeaderElectionConfig, lease: &Lease) -> Lease {
    let transitions = transitions(lease).saturating_add(1);
    let spec = LeaseSpec {
        acquire_time: None,
        ..lease.spec.clone().unwrap_or_default()
    };
    Lease {
        metadata: lease.metadata.clone(),
        spec: Some(held(config, spec, transitions)),
    }
}

/// `lease`, renewed by its holder: acquire time and transitions stay.
pub(super) fn renewed(config: &LeaderElectionConfig, lease: &Lease) -> Lease {
    let spec = lease.spec.clone().unwrap_or_default();
    Lease {
        metadata: lease.metadata.clone(),
        spec: Some(held(config, spec, transitions(lease))),
    }
}

/// `lease`, given up by its holder: anybody may take it at once.
pub(super) fn released(lease: &Lease) -> Lease {
    let now = MicroTime(Timestamp::now());
    let spec = LeaseSpec {
        holder_identity: Some(String::new()),
        lease_duration_seconds: Some(1),
        acquire_time: Some(now.clone()),
        renew_time: Some(now),
        ..lease.spec.clone().unwrap_or_default()
    };
    Lease {
        metadata: lease.metadata.clone(),
        spec: Some(spec),
    }
}

fn held(config: &LeaderElectionConfig, spec: LeaseSpec, transitions: i32) -> LeaseSpec {
    let now = MicroTime(Timestamp::now());
    LeaseSpec {
        holder_identity: Some(config.identity.clone()),
        lease_duration_seconds: Some(config.lease_seconds()),
        acquire_time: Some(spec.acquire_time.unwrap_or_else(|| now.clone())),
        renew_time: Some(now),
        lease_transitions: Some(transitions),
        ..spec
    }
}
