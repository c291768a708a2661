//! The settings of an election: its Lease, identity and durations.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::metrics::Metrics;

/// Renewals and polls are spread by up to this factor, so that contenders do not act in lockstep.
/// client-go's `JitterFactor`.
pub(super) const JITTER_FACTOR: f64 = 1.2;

/// The settings of an election: the Lease, this process's identity, and the durations.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeaderElectionConfig {
    /// The namespace of the Lease.
    pub namespace: String,
    /// The name of the Lease, and the label of the metrics.
    pub name: String,
    /// The identity of this process, unique among all processes that run concurrently; a pod's
    /// name, for example.
    pub identity: String,
    /// The labels of the Lease, for one that this process creates.
    pub labels: BTreeMap<String, String>,
    /// How long others wait after the last observed renewal before they take over. Rounded up to
    /// whole seconds.
    pub lease_duration: Duration,
    /// How long a leader continues without a renewal before it gives up.
    pub renew_deadline: Duration,
    /// The time between renewals, and between polls of waiting contenders.
    pub retry_period: Duration,
    /// How long the work may take to stop when the elector is asked to stop; after that it is
    /// dropped.
    pub stop_timeout: Duration,
    /// Whether a leader that is asked to stop releases the Lease, so that the next one need not
    /// wait.
    pub release_on_cancel: bool,
    /// The metrics to report `leader_election_*` to.
    pub metrics: Option<Metrics>,
}

/// Why a configuration is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionConfigError {
    /// Others could take over before this leader gives up.
    #[error("leaseDuration must be greater than renewDeadline")]
    LeaseTooShort,
    /// There is no time for a second try before giving up.
    #[error("renewDeadline must be greater than retryPeriod*1.2")]
    DeadlineTooShort,
    /// A duration that must be positive is zero.
    #[error("{0} must be greater than zero")]
    Zero(&'static str),
    /// `leaseDurationSeconds` cannot hold the duration: more than 68 years.
    #[error("leaseDuration must be at most {} s", i32::MAX)]
    LeaseTooLong,
    /// The field is empty.
    #[error("{0} must not be empty")]
    Empty(&'static str),
}

impl LeaderElectionConfig {
    /// Creates the settings for the Lease `name` in `namespace` and for `identity`, with
    /// client-go's durations: 15 s, 10 s and 2 s.
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
            identity: identity.into(),
            labels: BTreeMap::new(),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            stop_timeout: Duration::from_secs(30),
            release_on_cancel: true,
            metrics: None,
        }
    }

    /// Sets lease duration, renew deadline and retry period. They must be positive, and lease
    /// duration > renew deadline > 1.2 × retry period; [`validate`](Self::validate) checks that.
    #[must_use]
    pub fn times(
        mut self,
        lease_duration: Duration,
        renew_deadline: Duration,
        retry_period: Duration,
    ) -> Self {
        (self.lease_duration, self.renew_deadline, self.retry_period) =
            (lease_duration, renew_deadline, retry_period);
        self
    }

    /// Sets how long the work may take to stop before it is dropped; defaults to 30 s.
    #[must_use]
    pub fn stop_timeout(mut self, stop_timeout: Duration) -> Self {
        self.stop_timeout = stop_timeout;
        self
    }

    /// Keeps the Lease when asked to stop: the next leader then waits until it expires.
    #[must_use]
    pub fn keep_on_cancel(mut self) -> Self {
        self.release_on_cancel = false;
        self
    }

    /// Reports to `metrics`.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }

    /// Checks the rules of client-go's `NewLeaderElector`.
    ///
    /// # Errors
    ///
    /// The first violated rule: durations are positive, lease duration > renew deadline > 1.2 ×
    /// retry period, names are not empty.
    pub fn validate(&self) -> Result<(), LeaderElectionConfigError> {
        use LeaderElectionConfigError::{
            DeadlineTooShort, Empty, LeaseTooLong, LeaseTooShort, Zero,
        };
        let durations = [
            ("leaseDuration", self.lease_duration),
            ("renewDeadline", self.renew_deadline),
            ("retryPeriod", self.retry_period),
        ];
        if let Some((name, _)) = durations.iter().find(|(_, duration)| duration.is_zero()) {
            return Err(Zero(name));
        }
        let names = [
            ("identity", &self.identity),
            ("namespace", &self.namespace),
            ("name", &self.name),
        ];
        if let Some((name, _)) = names.iter().find(|(_, value)| value.is_empty()) {
            return Err(Empty(name));
        }
        if i32::try_from(self.lease_duration.as_secs()).is_err() {
            return Err(LeaseTooLong);
        }
        if self.lease_duration <= self.renew_deadline {
            return Err(LeaseTooShort);
        }
        // With a longer period the product might exceed the range of a duration.
        let period = self.retry_period.min(self.renew_deadline);
        if self.renew_deadline <= period.mul_f64(JITTER_FACTOR) {
            return Err(DeadlineTooShort);
        }
        Ok(())
    }

    /// Returns `leaseDurationSeconds`.
    pub(super) fn lease_seconds(&self) -> i32 {
        let up = u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(self.lease_duration.as_secs() + up).unwrap_or(i32::MAX)
    }

    /// Returns the time limit of one call, so that a hanging call leaves time for another.
    pub(crate) fn call_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }
}
