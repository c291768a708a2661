//! One contender's view of the Lease, and its attempts to acquire, renew and release it.

use std::cmp::Ordering;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use tokio::time::{Instant, timeout};

use super::LeaderElectionConfig;
use super::record::{self, Claim, Observed};
use super::stopped::LossReason;
use crate::client::{TypedClient, retry_after};
use crate::error::chain;
use crate::metrics::LeaderMetrics;
use crate::retry::is_conflict;

/// The Lease that a renewal is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The Lease as last observed.
    Observed,
    /// The Lease, read again.
    Reread,
}

/// The outcome of an attempt.
#[derive(Debug)]
pub(super) enum Attempt {
    /// This process holds the Lease with this epoch; the call that acquired it began at `since`.
    Held { epoch: u64, since: Instant },
    /// Another contender holds it.
    Other,
    /// The attempt failed; the error with all causes.
    Failed(String),
}

/// Reads and writes the Lease.
#[derive(Debug)]
pub(super) struct Election {
    pub(super) config: LeaderElectionConfig,
    api: TypedClient<Lease>,
    /// Distinguishes this contender from others with its identity.
    instance: String,
    pub(super) observed: Option<Observed>,
    /// The largest epoch ever observed: terms begin above it, even if the Lease is recreated.
    highest: u64,
    /// Another live contender with this identity.
    duplicate: Option<String>,
    metrics: Option<LeaderMetrics>,
}

enum CallError {
    Api(kube::Error),
    TimedOut,
    /// The server answered with a Lease of another name.
    AnotherLease,
}

impl Election {
    /// Creates a contender that is called `instance` among those with its identity, and has seen
    /// the epoch `highest`.
    pub(super) fn new(
        config: LeaderElectionConfig,
        api: TypedClient<Lease>,
        instance: String,
        highest: u64,
        metrics: Option<LeaderMetrics>,
    ) -> Self {
        Self {
            config,
            api,
            instance,
            observed: None,
            highest,
            duplicate: None,
            metrics,
        }
    }

    pub(super) fn report(&self, leading: bool) {
        if let Some(metrics) = &self.metrics {
            metrics.leading(leading);
        }
    }

    /// Returns the largest epoch ever observed.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    /// Returns another live contender with this identity.
    pub(super) fn duplicate(&self) -> Option<&str> {
        self.duplicate.as_deref()
    }

    /// Records a version of the Lease that the watch reported; returns false if it is older than
    /// the known one. Then either the event is late or etcd was restored, which only a read can
    /// tell.
    pub(super) fn observe_hint(&mut self, lease: Lease) -> bool {
        if self.is_older(&lease) {
            return false;
        }
        self.observe(lease);
        true
    }

    /// Records the current Lease. After a restore of etcd, its version may be lower than the last
    /// one.
    pub(super) fn observe(&mut self, lease: Lease) {
        let now = Instant::now();
        self.highest = self.highest.max(record::epoch(&lease));
        self.look_for_a_duplicate(&lease);
        match &mut self.observed {
            Some(observed) => observed.update(lease, now),
            None => self.observed = Some(Observed::new(lease, now)),
        }
    }

    fn is_older(&self, lease: &Lease) -> bool {
        let known = self.observed.as_ref();
        known.is_some_and(|known| known.age(lease) == Some(Ordering::Greater))
    }

    /// Detects a duplicate: a record with this identity that another contender renews, or takes
    /// from this one, comes from a live process.
    fn look_for_a_duplicate(&mut self, lease: &Lease) {
        let other = record::instance(lease);
        let is_of_another = record::holder(lease) == self.config.identity
            && !other.is_empty()
            && other != self.instance;
        if !is_of_another {
            self.duplicate = None;
            return;
        }
        // A record that a restore brought back does not prove that its writer is alive.
        let is_new = !self.is_older(lease);
        let is_alive = self.observed.as_ref().is_some_and(|old| {
            let before = record::instance(&old.lease);
            is_new && old.lease.spec != lease.spec && (before == other || before == self.instance)
        });
        if is_alive && self.duplicate.as_deref() != Some(other) {
            tracing::error!(
                lease = self.config.name,
                identity = self.config.identity,
                other,
                "another process contends with this identity, which must be unique; waiting for it to release the lease"
            );
            self.duplicate = Some(other.to_owned());
            if let Some(metrics) = &self.metrics {
                metrics.identity_conflict();
            }
        }
    }

    /// Tries to get the Lease: reads it, and creates it or takes it over if it is free.
    pub(super) async fn acquire(&mut self) -> Attempt {
        self.attempt(None).await
    }

    /// Tries to renew the Lease that this process holds with `epoch`, and raises the epoch to
    /// `wanted` if that is larger. The fast path writes the last observed version; if that fails,
    /// or `basis` requires it, the Lease is read first.
    pub(super) async fn renew(&mut self, epoch: u64, wanted: u64, basis: Basis) -> Attempt {
        let now = Instant::now();
        let seen = self.observed.as_ref().filter(|seen| {
            basis == Basis::Observed && seen.is_held(now) && self.is_mine(&seen.lease, epoch)
        });
        if let Some(seen) = seen {
            let lease = record::renewed(self.claim(wanted.max(epoch)), &seen.lease);
            if let Ok(attempt) = self.write(lease).await {
                return attempt;
            }
        }
        if let Some(metrics) = &self.metrics {
            metrics.slow_path();
        }
        self.attempt(Some((epoch, wanted))).await
    }

    /// Reads the Lease, and writes it unless another contender holds it. `term` is a leader's
    /// current epoch and the one that it wants: a leader writes only if the Lease is still its own,
    /// or gone.
    async fn attempt(&mut self, term: Option<(u64, u64)>) -> Attempt {
        match self.read().await {
            Ok(Some(lease)) => self.observe(lease),
            Ok(None) => return self.create(term).await,
            Err(error) => return self.failed(error),
        }
        let Some(seen) = &self.observed else {
            return Attempt::Other;
        };
        let lease = match term {
            Some((epoch, wanted)) if self.is_mine(&seen.lease, epoch) => {
                let epoch = wanted.max(record::epoch(&seen.lease));
                record::renewed(self.claim(epoch), &seen.lease)
            }
            // Another contender took or released it: this term is over.
            Some(_) => return Attempt::Other,
            None if self.must_wait(seen) => return Attempt::Other,
            None => record::taken_over(self.claim(self.next_epoch()), &seen.lease),
        };
        match self.write(lease).await {
            Ok(attempt) => attempt,
            Err(error) => self.failed(error),
        }
    }

    async fn create(&mut self, term: Option<(u64, u64)>) -> Attempt {
        let since = Instant::now();
        let epoch = term.map_or(self.next_epoch(), |(epoch, wanted)| epoch.max(wanted));
        let lease = record::created(self.claim(epoch));
        self.observed = None;
        match self
            .call(self.api.create(&lease, &PostParams::default()))
            .await
        {
            Ok(lease) => self.written(lease, since),
            Err(error) => self.failed(error),
        }
    }

    async fn write(&mut self, lease: Lease) -> Result<Attempt, CallError> {
        let since = Instant::now();
        let lease = self
            .call(self.api.update(&lease, &PostParams::default()))
            .await?;
        Ok(self.written(lease, since))
    }

    /// Evaluates a successful write: if the answer contains the written record, the Lease is this
    /// contender's.
    fn written(&mut self, lease: Lease, since: Instant) -> Attempt {
        let is_own = record::holder(&lease) == self.config.identity
            && record::instance(&lease) == self.instance;
        if !is_own {
            // The rest of the answer is not reliable either.
            self.observed = None;
            return Attempt::Failed("the API server answered with another record".to_owned());
        }
        let epoch = record::epoch(&lease);
        self.highest = self.highest.max(epoch);
        self.duplicate = None;
        self.observed = Some(Observed::new(lease, since));
        Attempt::Held { epoch, since }
    }

    fn claim(&self, epoch: u64) -> Claim<'_> {
        Claim {
            config: &self.config,
            instance: &self.instance,
            epoch,
        }
    }

    fn next_epoch(&self) -> u64 {
        self.highest.saturating_add(1)
    }

    /// Whether `lease` belongs to this contender's term `epoch`. Its epoch may be larger, if the
    /// answer to a write that raised it was lost.
    pub(super) fn is_mine(&self, lease: &Lease, epoch: u64) -> bool {
        let of = record::epoch(lease);
        record::holder(lease) == self.config.identity
            && match record::instance(lease) {
                "" => of == epoch,
                instance => instance == self.instance && of >= epoch,
            }
    }

    fn must_wait(&self, seen: &Observed) -> bool {
        let now = Instant::now();
        seen.has_replaced_another(now) || seen.is_held(now) && !self.may_be_own(&seen.lease)
    }

    /// Whether `lease` may be left over from a term of this contender: it has its instance, or an
    /// implementation without instances wrote it under this identity, as an earlier process with it
    /// did.
    fn may_be_own(&self, lease: &Lease) -> bool {
        let instance = record::instance(lease);
        record::holder(lease) == self.config.identity
            && (instance.is_empty() || instance == self.instance)
    }

    /// Returns why the term is over, based on a `lease` that this contender no longer holds.
    pub(super) fn loss(&self, lease: &Lease) -> LossReason {
        match record::holder(lease) {
            "" => LossReason::Released,
            holder if holder == self.config.identity => LossReason::SameIdentity,
            holder => LossReason::TakenOver {
                holder: holder.to_owned(),
            },
        }
    }

    /// Releases the Lease if this process still holds it in the term `epoch`. Retries on conflicts,
    /// and when the server asks for that, for no longer than the renew deadline.
    pub(super) async fn release(&mut self, epoch: u64) {
        let deadline = Instant::now() + self.config.renew_deadline;
        let mut pause = Duration::from_millis(10);
        loop {
            let asked = match self.try_release(epoch).await {
                Ok(()) => return,
                Err(CallError::Api(error)) if is_conflict(&error) => Duration::ZERO,
                Err(CallError::Api(error)) => match retry_after(&error) {
                    Some(asked) => asked,
                    None => {
                        return tracing::warn!(error = %chain(&error), "cannot release the lease");
                    }
                },
                Err(CallError::TimedOut) => {
                    return tracing::warn!("releasing the lease took too long");
                }
                Err(CallError::AnotherLease) => {
                    return tracing::warn!("the API server answered with another lease");
                }
            };
            let wait = pause.max(asked);
            if Instant::now() + wait >= deadline {
                return tracing::warn!(
                    "cannot release the lease: it keeps changing, or the API server is busy"
                );
            }
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
    }

    async fn try_release(&mut self, epoch: u64) -> Result<(), CallError> {
        let Some(lease) = self.read().await? else {
            return Ok(());
        };
        if !self.is_mine(&lease, epoch) {
            return Ok(());
        }
        let lease = record::released(&lease);
        let lease = self
            .call(self.api.update(&lease, &PostParams::default()))
            .await?;
        self.observe(lease);
        Ok(())
    }

    fn failed(&self, error: CallError) -> Attempt {
        Attempt::Failed(error.told(&self.config.namespace))
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

    /// Reads the Lease; `None` if it does not exist. A Lease of another name is an error: the next
    /// write would take that over.
    async fn read(&self) -> Result<Option<Lease>, CallError> {
        let lease = self.call(self.api.get_opt(&self.config.name)).await?;
        match &lease {
            Some(lease) if lease.metadata.name.as_ref() != Some(&self.config.name) => {
                Err(CallError::AnotherLease)
            }
            _ => Ok(lease),
        }
    }
}

impl CallError {
    /// Returns what failed, and who can change it if the server refuses the call.
    fn told(&self, namespace: &str) -> String {
        let error = match self {
            Self::Api(error) => error,
            Self::TimedOut => return "the API server did not answer in time".to_owned(),
            Self::AnotherLease => return "the API server answered with another lease".to_owned(),
        };
        let code = match error {
            kube::Error::Api(status) => status.code,
            _ => 0,
        };
        let error = chain(error);
        match code {
            401 | 403 => format!(
                "{error}; a Role in namespace {namespace:?} must allow this identity to get, create, update, list and watch leases.coordination.k8s.io"
            ),
            404 => format!("{error}; does namespace {namespace:?} exist? The Lease belongs there"),
            _ => error.to_string(),
        }
    }
}
