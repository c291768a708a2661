//! A leader's loop: renews the Lease until the work has ended or leadership is lost.

use std::cmp::Ordering;

use k8s_openapi::api::coordination::v1::Lease;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::election::{Attempt, Basis, Election};
use super::elector::LeaderElector;
use super::stopped::LossReason;
use super::watch::{Hint, LeaseWatch};
use super::{Leadership, LeadershipLost};
use crate::clock::after;

/// Why a leader stops leading.
pub(super) enum End<T> {
    Work(Result<Result<T, LeadershipLost>, tokio::task::JoinError>),
    Overdue,
    Lost(LossReason),
}

/// The task of the work. Dropping it aborts the task and ends the term, for tasks that the work has
/// spawned.
pub(super) struct Work<T> {
    pub(super) task: JoinHandle<Result<T, LeadershipLost>>,
    pub(super) leadership: Leadership,
}

impl<T> Drop for Work<T> {
    fn drop(&mut self) {
        self.leadership.end();
        self.task.abort();
    }
}

/// A leader at work.
pub(super) struct Lead<'a, T> {
    pub(super) elector: &'a LeaderElector,
    pub(super) shutdown: &'a CancellationToken,
    pub(super) work: Work<T>,
    /// The deadline for the work to stop, once it was asked to.
    pub(super) stop_at: Option<Instant>,
    /// The outcome of the last attempt to renew.
    pub(super) last_try: String,
}

impl<T> Lead<'_, T> {
    /// Renews the Lease until the work has ended or leadership is lost.
    pub(super) async fn run(&mut self, election: &mut Election, watch: &mut LeaseWatch) -> End<T> {
        let config = self.elector.config();
        let leadership = self.work.leadership.clone();
        let mut next = Instant::now() + config.retry_period;
        // At most two epochs per retry period: a leader that is outranked again and again has a
        // rival under another Lease.
        let mut raise_at = Instant::now();
        loop {
            let epoch = leadership.epoch();
            let raise = async {
                leadership.wants_more().await;
                sleep_until(raise_at).await;
            };
            let basis = tokio::select! {
                biased;
                end = self.ended() => return end,
                () = sleep_until(next) => Basis::Observed,
                () = raise => {
                    raise_at = Instant::now() + config.retry_period;
                    Basis::Observed
                }
                hint = watch.next() => match hint {
                    Hint::Seen(lease) => match news(election, &lease, epoch) {
                        News::Nothing => continue,
                        News::Unsure => Basis::Reread,
                        News::Over => {
                            let reason = election.loss(&lease);
                            election.observe(*lease);
                            return End::Lost(reason);
                        }
                    },
                    Hint::Deleted => Basis::Reread,
                },
            };
            let attempt = tokio::select! {
                biased;
                end = self.ended() => return end,
                attempt = election.renew(epoch, leadership.wanted(), basis) => attempt,
            };
            match attempt {
                Attempt::Held { since, epoch }
                    if leadership.renew(since + config.renew_deadline, epoch) =>
                {
                    self.elector.renewed(&leadership, since);
                    next = since + config.retry_period;
                    continue;
                }
                Attempt::Held { .. } => return self.not_renewed("the answer came too late"),
                Attempt::Other => {
                    let seen = election.observed.as_ref();
                    let reason = seen.map(|seen| election.loss(&seen.lease));
                    return End::Lost(reason.unwrap_or(LossReason::Released));
                }
                Attempt::Failed(error) => {
                    tracing::warn!(error, lease = config.name, "cannot renew the lease");
                    self.last_try = error;
                }
            }
            next = Instant::now() + config.retry_period;
        }
    }

    /// Forwards a stop request, and waits for the end. May be dropped and called again.
    async fn ended(&mut self) -> End<T> {
        loop {
            let deadline = self.work.leadership.deadline();
            let asked = self.stop_at.is_some();
            let stop_at = self.stop_at.unwrap_or(deadline);
            tokio::select! {
                biased;
                () = sleep_until(deadline) => return self.not_renewed(""),
                end = &mut self.work.task => return End::Work(end),
                () = sleep_until(stop_at), if asked => return End::Overdue,
                () = self.shutdown.cancelled(), if !asked => {
                    self.work.leadership.ask_to_stop();
                    self.stop_at = Some(after(self.elector.config().stop_timeout));
                }
            }
        }
    }

    fn not_renewed(&self, cause: &str) -> End<T> {
        let cause = [cause, &self.last_try]
            .into_iter()
            .find(|cause| !cause.is_empty())
            .unwrap_or("the process was paused, or a call was still under way");
        End::Lost(LossReason::NotRenewed {
            cause: cause.to_owned(),
        })
    }
}

/// The meaning of a Lease version for its leader.
enum News {
    /// Already known.
    Nothing,
    /// It may be another contender's: only a read can tell.
    Unsure,
    /// It is newer than the leader's last write, and no longer the leader's.
    Over,
}

fn news(election: &Election, lease: &Lease, epoch: u64) -> News {
    if election.is_mine(lease, epoch) {
        return News::Nothing;
    }
    match election
        .observed
        .as_ref()
        .and_then(|observed| observed.age(lease))
    {
        Some(Ordering::Greater) => News::Nothing,
        Some(Ordering::Less) => News::Over,
        Some(Ordering::Equal) | None => News::Unsure,
    }
}
