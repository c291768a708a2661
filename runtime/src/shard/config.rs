//! The settings of a group of replicas that share work.

use std::time::Duration;

use crate::leader::{LeaderElectionConfig, LeaderElectionConfigError};
use crate::metrics::Metrics;

/// The longest name of a group: it is the value of a label.
const LONGEST_NAME: usize = 63;

/// The settings of one member of a group: the group, this process, and the durations.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShardsConfig {
    /// Namespace, name and durations, as for an election. The name is that of the group and of the
    /// Lease with its record; the identity is the beginning of the member's name.
    pub(super) lease: LeaderElectionConfig,
    pub(super) weight: u32,
    pub(super) hand_over_timeout: Duration,
}

/// Why a configuration is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardsConfigError {
    /// The Lease of a member is configured as that of an election.
    #[error(transparent)]
    Lease(#[from] LeaderElectionConfigError),
    /// The name is also the value of a label.
    #[error("invalid name {0:?} of a group of shards: {1}")]
    Name(String, String),
}

impl ShardsConfig {
    /// Creates the settings of the group `name` in `namespace` and of the process `identity`, with
    /// the durations of an election: 15 s, 10 s and 2 s.
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        Self::from(LeaderElectionConfig::new(namespace, name, identity))
    }

    /// Sets lease duration, renew deadline and retry period; see [`LeaderElectionConfig::times`].
    #[must_use]
    pub fn times(
        mut self,
        lease_duration: Duration,
        renew_deadline: Duration,
        retry_period: Duration,
    ) -> Self {
        self.lease = self
            .lease
            .times(lease_duration, renew_deadline, retry_period);
        self
    }

    /// Sets the member's weight: its part of the work in proportion to the others'. 1 by default,
    /// and at least.
    #[must_use]
    pub fn weight(mut self, weight: u32) -> Self {
        self.weight = weight.max(1);
        self
    }

    /// Sets how long reconciliations in progress may go on when their objects move to another
    /// member; after that they are dropped. Defaults to 20 s.
    #[must_use]
    pub fn hand_over_timeout(mut self, timeout: Duration) -> Self {
        self.hand_over_timeout = timeout;
        self
    }

    /// Reports to `metrics`.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.lease = self.lease.metrics(metrics);
        self
    }

    pub(super) fn validate(&self) -> Result<(), ShardsConfigError> {
        self.lease.validate()?;
        let name = &self.lease.name;
        let fault = match name.len() > LONGEST_NAME {
            true => Some(format!("must be no more than {LONGEST_NAME} characters")),
            false => kube_names::subdomain_fault(name),
        };
        match fault {
            Some(fault) => Err(ShardsConfigError::Name(name.clone(), fault)),
            None => Ok(()),
        }
    }
}

impl From<LeaderElectionConfig> for ShardsConfig {
    /// Takes the names and durations of an election's settings, as
    /// [`LeaderElectionConfig::from_env`] reads them.
    fn from(lease: LeaderElectionConfig) -> Self {
        Self {
            lease,
            weight: 1,
            hand_over_timeout: Duration::from_secs(20),
        }
    }
}
