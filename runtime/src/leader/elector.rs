//! A contender: waits for the Lease, works while it holds it, and releases it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use parking_lot::Mutex;
use rand::RngExt;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::config::JITTER_FACTOR;
use super::election::{Attempt, Election};
use super::lead::{End, Lead, Work};
use super::record::Observed;
use super::stopped::Stopped;
use super::watch::{Hint, LeaseWatch};
use super::{LeaderElectionConfig, LeaderElectionConfigError, Leadership, LossReason};
use crate::client::TypedClient;
use crate::metrics::LeaderMetrics;
use crate::tasks::{Progress, Task};

/// A contender for a Lease. Clones are handles of the same contender.
#[derive(Clone)]
pub struct LeaderElector {
    shared: Arc<Shared>,
}

/// Called with each new holder.
type OnNewLeader = Box<dyn Fn(&str) + Send + Sync>;

struct Shared {
    config: LeaderElectionConfig,
    /// Distinguishes this contender from others with its identity.
    instance: String,
    api: TypedClient<Lease>,
    /// Of the tries to get the Lease.
    progress: Progress,
    metrics: Option<LeaderMetrics>,
    on_new_leader: Option<OnNewLeader>,
    on_stopped_leading: Option<Box<dyn Fn() + Send + Sync>>,
    status: Mutex<Status>,
    /// Serializes runs.
    running: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Status {
    /// The largest epoch that an earlier run observed.
    highest: u64,
    /// The last term, if its work was still running when the run ended.
    runs_on: Option<Leadership>,
    /// Another live process with this identity.
    duplicate: Option<String>,
    /// The last known holder of the Lease.
    leader: String,
    /// This process's term, and the time of its last renewal.
    term: Option<(Leadership, Instant)>,
}

/// The leader's renewal of the Lease is long overdue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed election to renew leadership on lease {name}: last renewed {age:?} ago")]
pub struct LeaseExpired {
    /// The Lease's name.
    pub name: String,
    /// The time since the last renewal.
    pub age: Duration,
}

/// Another process contends with the same identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("another process contends for lease {lease} as {identity:?}: identities must be unique")]
pub struct DuplicateIdentity {
    /// The Lease's name.
    pub lease: String,
    /// The shared identity.
    pub identity: String,
}

impl LeaderElector {
    /// Creates a contender. It sends no requests before [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// The configuration is invalid: see [`LeaderElectionConfig::validate`].
    pub fn new(
        client: Client,
        config: LeaderElectionConfig,
    ) -> Result<Self, LeaderElectionConfigError> {
        config.validate()?;
        let api = TypedClient::namespaced(client, &config.namespace);
        let status = Mutex::default();
        let metrics = config.metrics.as_ref();
        let progress = Progress::new(Task::Election, &config.name);
        if let Some(metrics) = metrics {
            progress.report_to(metrics);
        }
        let shared = Shared {
            progress,
            metrics: metrics.map(|metrics| metrics.leader(&config.name)),
            config,
            instance: format!("{:016x}", rand::rng().random::<u64>()),
            api,
            on_new_leader: None,
            on_stopped_leading: None,
            status,
            running: tokio::sync::Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Calls `notify` with each new holder that is observed, including this process. Must be set
    /// before the elector is cloned; a later call has no effect.
    #[must_use]
    pub fn on_new_leader(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.on_new_leader = Some(Box::new(notify));
        }
        self
    }

    /// Calls `notify` when this process has stopped leading, for whatever reason: after the work
    /// has stopped, and before the Lease is released. Must be set before the elector is cloned; a
    /// later call has no effect.
    #[must_use]
    pub fn on_stopped_leading(mut self, notify: impl Fn() + Send + Sync + 'static) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.on_stopped_leading = Some(Box::new(notify));
        }
        self
    }

    /// Returns the last known holder of the Lease; empty if there is none.
    pub fn leader(&self) -> String {
        self.status().leader.clone()
    }

    /// Whether this process currently leads.
    pub fn is_leader(&self) -> bool {
        self.status()
            .term
            .as_ref()
            .is_some_and(|(term, _)| term.is_leading())
    }

    /// For health checks: fails if this process leads and has not renewed for `tolerance` longer
    /// than the lease duration. That happens only if the elector itself is stuck.
    ///
    /// # Errors
    ///
    /// [`LeaseExpired`].
    pub fn check(&self, tolerance: Duration) -> Result<(), LeaseExpired> {
        let status = self.status();
        let Some((_, renewed)) = &status.term else {
            return Ok(());
        };
        let age = renewed.elapsed();
        if age <= self.shared.config.lease_duration.saturating_add(tolerance) {
            return Ok(());
        }
        Err(LeaseExpired {
            name: self.shared.config.name.clone(),
            age,
        })
    }

    /// For readiness checks: fails while another live process contends with this identity. Each of
    /// them waits for the other to release the Lease.
    ///
    /// # Errors
    ///
    /// [`DuplicateIdentity`].
    pub fn check_identity(&self) -> Result<(), DuplicateIdentity> {
        match &self.status().duplicate {
            None => Ok(()),
            Some(_) => Err(DuplicateIdentity {
                identity: self.shared.config.identity.clone(),
                lease: self.shared.config.name.clone(),
            }),
        }
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.shared.progress
    }

    /// Contends for the Lease, and runs `lead` while it is held.
    ///
    /// - Runs are serial: a second one waits for the first, and for work of an earlier term that is
    ///   still running.
    /// - `lead` is not called before the Lease is acquired, and is called at most once; call `run`
    ///   again to contend again.
    /// - When `shutdown` is cancelled, [`Leadership::token`] is cancelled, and the Lease is renewed
    ///   until the work has ended or the stop timeout is over. Then the Lease is released.
    /// - When leadership is lost, the work is dropped before anything else happens.
    /// - The work runs in its own task, [fenced](Leadership::fence). A panic in it is resumed after
    ///   the Lease has been released.
    /// - Work that blocks its thread cannot be dropped. If it is still running
    ///   `lease duration − renew deadline` after the end of the term, the Lease is not released,
    ///   and the result is [`Stopped::RunsOn`].
    ///
    /// Dropping the future drops the work, and lets the Lease expire.
    pub async fn run<F, W>(&self, shutdown: &CancellationToken, lead: F) -> Stopped<W::Output>
    where
        F: FnOnce(Leadership) -> W,
        W: Future + Send + 'static,
        W::Output: Send + 'static,
    {
        let Some(_running) = shutdown.run_until_cancelled(self.alone()).await else {
            return Stopped::NeverLed;
        };
        let config = &self.shared.config;
        let mut election = self.election();
        election.report(false);
        let mut watch =
            LeaseWatch::start(self.shared.api.clone(), &config.name, config.retry_period);
        let Some(leadership) = self.acquire(&mut election, &mut watch, shutdown).await else {
            return Stopped::NeverLed;
        };
        election.report(true);
        tracing::info!(
            lease = config.name,
            identity = config.identity,
            epoch = leadership.epoch(),
            "leading"
        );
        let work = tokio::spawn(leadership.fence(lead(leadership.clone())));
        let work = Work {
            task: work,
            leadership: leadership.clone(),
        };
        let mut lead = Lead {
            elector: self,
            shutdown,
            work,
            stop_at: None,
            last_try: String::new(),
        };
        let end = lead.run(&mut election, &mut watch).await;
        leadership.end();
        if !self.has_stopped(&mut lead.work, &end).await {
            return self.runs_on(&election, leadership);
        }
        self.stopped(&mut election, leadership.epoch(), &end).await;
        match end {
            End::Work(Ok(Ok(output))) => Stopped::Finished(output),
            End::Work(Err(error)) if error.is_panic() => {
                std::panic::resume_unwind(error.into_panic())
            }
            End::Work(_) => Stopped::Lost(LossReason::NotRenewed {
                cause: "the work found its term over".to_owned(),
            }),
            End::Lost(reason) => Stopped::Lost(reason),
            End::Overdue => Stopped::Overdue,
        }
    }

    /// Waits until neither another run of this contender nor work left by one is active.
    async fn alone(&self) -> tokio::sync::MutexGuard<'_, ()> {
        let running = self.shared.running.lock().await;
        let runs_on = self.status().runs_on.clone();
        if let Some(term) = runs_on {
            term.idle().await;
            self.status().runs_on = None;
        }
        running
    }

    fn election(&self) -> Election {
        let highest = self.status().highest;
        Election::new(
            self.shared.config.clone(),
            self.shared.api.clone(),
            self.shared.instance.clone(),
            highest,
            self.shared.metrics.clone(),
        )
    }

    /// Whether the work of an ended term stops in time. A poll in progress cannot be interrupted.
    async fn has_stopped<T>(&self, work: &mut Work<T>, end: &End<T>) -> bool {
        let config = &self.shared.config;
        let stopped = async {
            if !matches!(end, End::Work(_)) {
                work.task.abort();
                let _ = (&mut work.task).await;
            }
            work.leadership.idle().await;
        };
        let grace = config.lease_duration - config.renew_deadline;
        timeout(grace, stopped).await.is_ok()
    }

    /// Handles work that has not ended: the Lease stays, and the end is not reported.
    fn runs_on<T>(&self, election: &Election, leadership: Leadership) -> Stopped<T> {
        let config = &self.shared.config;
        tracing::error!(
            lease = config.name,
            identity = config.identity,
            epoch = leadership.epoch(),
            "the work blocks its thread and does not stop; the lease is not released"
        );
        election.report(false);
        self.note_leader(election);
        let mut status = self.status();
        status.term = None;
        status.runs_on = Some(leadership);
        Stopped::RunsOn
    }

    /// Waits for the Lease. Returns `None` if asked to stop before.
    async fn acquire(
        &self,
        election: &mut Election,
        watch: &mut LeaseWatch,
        shutdown: &CancellationToken,
    ) -> Option<Leadership> {
        let config = &self.shared.config;
        while !shutdown.is_cancelled() {
            // A write in progress is given time to finish: an acquisition with unknown outcome
            // would delay others.
            let attempt = tokio::select! {
                biased;
                attempt = election.acquire() => attempt,
                () = async { shutdown.cancelled().await; sleep(config.retry_period).await } => return None,
            };
            self.note_leader(election);
            match &attempt {
                Attempt::Failed(error) => self.shared.progress.failed(error),
                Attempt::Held { .. } | Attempt::Other => self.shared.progress.works(),
            }
            match attempt {
                Attempt::Held { epoch, since } if !shutdown.is_cancelled() => {
                    let leadership = Leadership::new(epoch, since + config.renew_deadline);
                    if leadership.is_leading() {
                        self.renewed(&leadership, since);
                        return Some(leadership);
                    }
                }
                Attempt::Held { epoch, .. } => {
                    self.release(election, epoch).await;
                    return None;
                }
                Attempt::Other | Attempt::Failed(_) => {}
            }
            self.wait_for_a_chance(election, watch, shutdown).await;
        }
        None
    }

    /// Waits until the Lease may be free, or the next poll is due.
    async fn wait_for_a_chance(
        &self,
        election: &mut Election,
        watch: &mut LeaseWatch,
        shutdown: &CancellationToken,
    ) {
        let poll = Instant::now() + jittered(self.shared.config.retry_period);
        loop {
            let held = election
                .observed
                .as_ref()
                .filter(|observed| observed.is_held(Instant::now()));
            let at = held.map_or(poll, |observed| observed.expires_at().min(poll));
            let hint = tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                () = sleep_until(at) => return,
                hint = watch.next() => hint,
            };
            match hint {
                Hint::Seen(lease) => {
                    if !election.observe_hint(*lease) {
                        return;
                    }
                }
                Hint::Deleted => election.observed = None,
            }
            self.note_leader(election);
            if !election
                .observed
                .as_ref()
                .is_some_and(|observed| observed.is_held(Instant::now()))
            {
                return;
            }
        }
    }

    /// Reports that the work has ended, then releases the Lease.
    async fn stopped<T>(&self, election: &mut Election, epoch: u64, end: &End<T>) {
        let config = &self.shared.config;
        self.status().term = None;
        election.report(false);
        let (lease, identity) = (&config.name, &config.identity);
        match end {
            End::Lost(reason) => {
                tracing::warn!(lease, identity, epoch, %reason, "leadership lost");
            }
            _ => tracing::info!(lease, identity, epoch, "stopped leading"),
        }
        if let Some(notify) = &self.shared.on_stopped_leading {
            notify();
        }
        if matches!(end, End::Lost(_)) {
            // The API server was unreachable a moment ago: do not delay the caller for long.
            let _ = timeout(config.retry_period, self.release(election, epoch)).await;
        } else {
            self.release(election, epoch).await;
        }
        self.note_leader(election);
    }

    async fn release(&self, election: &mut Election, epoch: u64) {
        if self.shared.config.release_on_cancel {
            election.release(epoch).await;
        }
    }

    pub(super) fn config(&self) -> &LeaderElectionConfig {
        &self.shared.config
    }

    /// Records that the Lease was renewed by a call that began at `since`.
    pub(super) fn renewed(&self, leadership: &Leadership, since: Instant) {
        self.status().term = Some((leadership.clone(), since));
    }

    fn note_leader(&self, election: &Election) {
        let leader = election
            .observed
            .as_ref()
            .map(Observed::holder)
            .unwrap_or_default();
        let mut status = self.status();
        status.highest = status.highest.max(election.highest());
        status.duplicate = election.duplicate().map(str::to_owned);
        if status.leader == leader {
            return;
        }
        leader.clone_into(&mut status.leader);
        drop(status);
        if let Some(notify) = self
            .shared
            .on_new_leader
            .as_ref()
            .filter(|_| !leader.is_empty())
        {
            notify(leader);
        }
    }

    fn status(&self) -> parking_lot::MutexGuard<'_, Status> {
        self.shared.status.lock()
    }
}

/// Spreads a period, so that processes do not act in lockstep.
pub(crate) fn jittered(period: Duration) -> Duration {
    period.mul_f64(rand::rng().random_range(1.0..=JITTER_FACTOR))
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElector")
            .field("lease", &self.shared.config.name)
            .finish_non_exhaustive()
    }
}
