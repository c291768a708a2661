//! The election record in a Lease.
//!
//! Two annotations extend client-go's record. The *epoch* numbers the terms; unlike
//! `leaseTransitions` it is carried over when the Lease is recreated. The *instance* distinguishes
//! processes with the same identity.

use std::cmp::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::core::ObjectMeta;
use tokio::time::Instant;

use super::LeaderElectionConfig;
use crate::keys::{LEADER_EPOCH, LEADER_INSTANCE};

/// A Lease, and the local time at which its record last changed.
///
/// The times in the Lease are informational; they are only compared to detect changes.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) lease: Lease,
    pub(super) at: Instant,
    /// Set if an older record replaced a newer one, after a restore of etcd: until then, the newer
    /// record's holder may still lead without knowing.
    replaced_until: Option<Instant>,
}

impl Observed {
    /// Creates the observation of a Lease at `at`.
    pub(super) fn new(lease: Lease, at: Instant) -> Self {
        Self {
            lease,
            at,
            replaced_until: None,
        }
    }

    /// Records another version of the Lease, observed at `at`. The clock restarts only if the
    /// record differs.
    pub(super) fn update(&mut self, lease: Lease, at: Instant) {
        if self.lease.spec != lease.spec {
            let went_back = self.age(&lease) == Some(Ordering::Greater);
            self.replaced_until = (went_back && self.is_held(at)).then(|| at + self.duration());
            self.at = at;
        }
        self.lease = lease;
    }

    /// Returns the holder; empty if there is none.
    pub(super) fn holder(&self) -> &str {
        holder(&self.lease)
    }

    fn duration(&self) -> Duration {
        let seconds = self
            .lease
            .spec
            .as_ref()
            .and_then(|spec| spec.lease_duration_seconds)
            .unwrap_or(0);
        Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
    }

    /// Returns the time at which the record expires, by its own duration.
    pub(super) fn expires_at(&self) -> Instant {
        let end = self.at + self.duration();
        self.replaced_until.map_or(end, |until| end.max(until))
    }

    /// Whether the Lease has a holder that may still renew it.
    pub(super) fn is_held(&self, now: Instant) -> bool {
        let has_holder = !self.holder().is_empty() && now < self.expires_at();
        has_holder || self.has_replaced_another(now)
    }

    /// Whether the holder of a newer record, which this one replaced, may still lead.
    pub(super) fn has_replaced_another(&self, now: Instant) -> bool {
        self.replaced_until.is_some_and(|until| now < until)
    }

    /// Compares the age of this version of the Lease with that of `lease`; `None` if the versions
    /// are not comparable.
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

/// The writer of a record: this process, in a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) config: &'a LeaderElectionConfig,
    pub(super) instance: &'a str,
    pub(super) epoch: u64,
}

/// Returns the holder of `lease`; empty if there is none.
pub(super) fn holder(lease: &Lease) -> &str {
    lease
        .spec
        .as_ref()
        .and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or_default()
}

/// Returns the instance that wrote `lease`; empty if it is not recorded.
pub(super) fn instance(lease: &Lease) -> &str {
    annotation(lease, LEADER_INSTANCE).unwrap_or_default()
}

/// Returns the epoch of the term: the larger of its annotation and the number of transitions, since
/// other implementations count only those.
pub(super) fn epoch(lease: &Lease) -> u64 {
    let written = annotation(lease, LEADER_EPOCH).and_then(|text| text.parse().ok());
    let counted = u64::try_from(transitions(lease)).unwrap_or(0);
    counted.max(written.unwrap_or(0))
}

fn annotation<'a>(lease: &'a Lease, name: &str) -> Option<&'a str> {
    let annotations = lease.metadata.annotations.as_ref()?;
    annotations.get(name).map(String::as_str)
}

/// Returns how often the Lease changed hands.
fn transitions(lease: &Lease) -> i32 {
    lease
        .spec
        .as_ref()
        .and_then(|spec| spec.lease_transitions)
        .unwrap_or(0)
}

/// Returns a new Lease held by this process. The very first Lease has no transitions; after a
/// deleted one, transitions continue from the epoch, for contenders without epochs.
pub(super) fn created(claim: Claim<'_>) -> Lease {
    let metadata = ObjectMeta {
        name: Some(claim.config.name.clone()),
        namespace: Some(claim.config.namespace.clone()),
        labels: Some(claim.config.labels.clone()).filter(|labels| !labels.is_empty()),
        ..ObjectMeta::default()
    };
    let transitions = match claim.epoch {
        1 => 0,
        epoch => i32::try_from(epoch).unwrap_or(i32::MAX),
    };
    held(claim, metadata, LeaseSpec::default(), transitions)
}

/// Returns `lease`, taken over by this process.
pub(super) fn taken_over(claim: Claim<'_>, lease: &Lease) -> Lease {
    let transitions = transitions(lease).saturating_add(1);
    let spec = LeaseSpec {
        acquire_time: None,
        ..lease.spec.clone().unwrap_or_default()
    };
    held(claim, lease.metadata.clone(), spec, transitions)
}

/// Returns `lease`, renewed by its holder: acquire time and transitions stay.
pub(super) fn renewed(claim: Claim<'_>, lease: &Lease) -> Lease {
    let spec = lease.spec.clone().unwrap_or_default();
    held(claim, lease.metadata.clone(), spec, transitions(lease))
}

/// Returns `lease`, released by its holder: it can be acquired immediately.
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

fn held(claim: Claim<'_>, mut metadata: ObjectMeta, spec: LeaseSpec, transitions: i32) -> Lease {
    let now = MicroTime(Timestamp::now());
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert(LEADER_EPOCH.to_owned(), claim.epoch.to_string());
    annotations.insert(LEADER_INSTANCE.to_owned(), claim.instance.to_owned());
    let spec = LeaseSpec {
        holder_identity: Some(claim.config.identity.clone()),
        lease_duration_seconds: Some(claim.config.lease_seconds()),
        acquire_time: Some(spec.acquire_time.unwrap_or_else(|| now.clone())),
        renew_time: Some(now),
        lease_transitions: Some(transitions),
        ..spec
    };
    Lease {
        metadata,
        spec: Some(spec),
    }
}
