//! One contender's view of the Lease, and its attempts to acquire, renew and release it.

use std::cmp::Ordering;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::PostParams;
use tokio::time::{Instant, timeout};

use super::LeaderElectionConfig;
use super::record::{self, Observed};
use crate::metrics::LeaderMetrics;

/// What an attempt came to.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The Lease is this process's, with this epoch, by a call that began then.
    Held { epoch: u64, since: Instant },
    /// Somebody else holds it.
    Other,
    /// It could not be found out.
    Failed(kube::Error),
    /// A call took too long.
    TimedOut,
}

/// Reads and writes the Lease.
#[derive(Debug)]
pub(super) struct Election {
    pub(super) config: LeaderElectionConfig,
    api: Api<Lease>,
    pub(super) observed: Option<Observed>,
    metrics: Option<LeaderMetrics>,
}

enum CallError {
    Api(kube::Error),
    TimedOut,
}

impl Election {
    pub(super) fn new(config: LeaderElectionConfig, api: Api<Lease>) -> Self {
        let metrics = config
            .metrics
            .as_ref()
            .map(|metrics| metrics.leader(&config.name));
        Self {
            config,
            api,
            observed: None,
            metrics,
        }
    }

    pub(super) fn report(&self, leading: bool) {
        if let Some(metrics) = &self.metrics {
            metrics.leading(leading);
        }
    }

    /// Takes in a version of the Lease, unless a newer one is known.
    pub(super) fn observe(&mut self, lease: Lease) {
        let now = Instant::now();
        match &mut self.observed {
            Some(observed) if observed.age(&lease) == Some(Ordering::Greater) => {}
            Some(observed) => observed.update(lease, now),
            None => self.observed = Some(Observed { lease, at: now }),
        }
    }

    /// Tries to get the Lease: reads it, and creates it or takes it over if nobody holds it.
    pub(super) async fn acquire(&mut self) -> Attempt {
        self.attempt(None).await
    }

    /// Tries to renew the Lease that this process holds with `epoch`. The fast path writes what was last seen; if that
    /// fails, or `sure` is unset, the Lease is read first.
    pub(super) async fn renew(&mut self, epoch: u64, sure: bool) -> Attempt {
        let now = Instant::now();
        let seen = self
            .observed
            .as_ref()
            .filter(|seen| sure && seen.is_held(now) && self.is_mine(&seen.lease, epoch));
        if let Some(seen) = seen {
            let lease = record::renewed(&self.config, &seen.lease);
            if let Ok(attempt) = self.write(lease).await {
                return attempt;
            }
        }
        if let Some(metrics) = &self.metrics {
            metrics.slow_path();
        }
        self.attempt(Some(epoch)).await
    }

    /// Reads the Lease, and writes it if nobody else holds it. `term` is the epoch of a leader, who writes only if the
    /// Lease is still its own, or gone.
    async fn attempt(&mut self, term: Option<u64>) -> Attempt {
        match self.call(self.api.get_opt(&self.config.name)).await {
            Ok(Some(lease)) => self.observe(lease),
            Ok(None) => return self.create(term.unwrap_or(0)).await,
            Err(error) => return error.into(),
        }
        let Some(seen) = &self.observed else {
            return Attempt::Other;
        };
        let lease = match term {
            Some(epoch) if self.is_mine(&seen.lease, epoch) => {
                record::renewed(&self.config, &seen.lease)
            }
            // Somebody took it, or took it away: this term is over.
            Some(_) => return Attempt::Other,
            None if seen.is_held(Instant::now()) && seen.holder() != self.config.identity => {
                return Attempt::Other;
            }
            None => record::taken_over(&self.config, &seen.lease),
        };
        match self.write(lease).await {
            Ok(attempt) => attempt,
            Err(error) => error.into(),
        }
    }

    async fn create(&mut self, epoch: u64) -> Attempt {
        let since = Instant::now();
        let lease = record::created(&self.config, i32::try_from(epoch).unwrap_or(i32::MAX));
        self.observed = None;
        match self
            .call(self.api.create(&PostParams::default(), &lease))
            .await
        {
            Ok(lease) => self.held(lease, since),
            Err(error) => error.into(),
        }
    }

    async fn write(&mut self, lease: Lease) -> Result<Attempt, CallError> {
        let since = Instant::now();
        let lease = self
            .call(
                self.api
                    .replace(&self.config.name, &PostParams::default(), &lease),
            )
            .await?;
        Ok(self.held(lease, since))
    }

    fn held(&mut self, lease: Lease, since: Instant) -> Attempt {
        let epoch = epoch(&lease);
        self.observed = Some(Observed { lease, at: since });
        Attempt::Held { epoch, since }
    }

    fn is_mine(&self, lease: &Lease, term: u64) -> bool {
        record::holder(lease) == self.config.identity && epoch(lease) == term
    }

    /// Gives the Lease up if it still is this process's in the term `epoch`. Tries again on conflicts, for no longer than
    /// the renew deadline.
    pub(super) async fn release(&mut self, epoch: u64) {
        let deadline = Instant::now() + self.config.renew_deadline;
        let mut pause = std::time::Duration::from_millis(10);
        loop {
            match self.try_release(epoch).await {
                Ok(()) => return,
                Err(CallError::Api(kube::Error::Api(status))) if status.is_conflict() => {}
                Err(CallError::Api(error)) => {
                    return tracing::warn!(%error, "cannot release the lease");
                }
                Err(CallError::TimedOut) => {
                    return tracing::warn!("releasing the lease took too long");
                }
            }
            if Instant::now() + pause >= deadline {
                return tracing::warn!("cannot release the lease: it keeps changing");
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    async fn try_release(&mut self, epoch: u64) -> Result<(), CallError> {
        let Some(lease) = self.call(self.api.get_opt(&self.config.name)).await? else {
            return Ok(());
        };
        if !self.is_mine(&lease, epoch) {
            return Ok(());
        }
        let lease = record::released(&lease);
        let lease = self
            .call(
                self.api
                    .replace(&self.config.name, &PostParams::default(), &lease),
            )
            .await?;
        self.observe(lease);
        Ok(())
    }

    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, CallError> {
        match timeout(self.config.call_timeout(), call).await {
            Ok(result) => result.map_err(CallError::Api),
            Err(_) => Err(CallError::TimedOut),
        }
    }
}

impl From<CallError> for Attempt {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Api(error) => Self::Failed(error),
            CallError::TimedOut => Self::TimedOut,
        }
    }
}

fn epoch(lease: &Lease) -> u64 {
    u64::try_from(record::transitions(lease)).unwrap_or(0)
}
