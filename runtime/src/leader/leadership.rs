//! The right to act as leader, and its end.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// This process does not lead (any more).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("leadership lost")]
pub struct LeadershipLost;

/// A leadership term, passed to the work when the Lease is acquired. Clones share the term.
///
/// A term that has ended never resumes; the next one is another `Leadership`.
#[derive(Clone)]
pub struct Leadership {
    term: Arc<Term>,
}

struct Term {
    epoch: watch::Sender<u64>,
    /// The epoch that a caller of `outrank` needs; the elector raises `epoch` to it.
    wanted: watch::Sender<u64>,
    start: Instant,
    /// The end of the term unless it is renewed, in nanoseconds after `start`; 0 once the term has
    /// ended.
    deadline: AtomicU64,
    lost: CancellationToken,
    stop: CancellationToken,
    /// The number of steps in progress.
    steps: AtomicUsize,
    /// Notified when the term and the last step have ended.
    idle: Notify,
}

impl Leadership {
    /// Creates a term that lasts until `deadline`.
    pub(crate) fn new(epoch: u64, deadline: Instant) -> Self {
        let start = Instant::now();
        let lost = CancellationToken::new();
        let stop = lost.child_token();
        let term = Term {
            epoch: watch::Sender::new(epoch),
            wanted: watch::Sender::new(epoch),
            start,
            deadline: AtomicU64::new(0),
            lost,
            stop,
            steps: AtomicUsize::new(0),
            idle: Notify::new(),
        };
        term.deadline.store(term.nanos(deadline), Ordering::SeqCst);
        Self {
            term: Arc::new(term),
        }
    }

    /// Returns the number of this term, larger than that of every earlier term of any holder. It is
    /// at least 1, and may grow during the term: see [`outrank`](Self::outrank).
    ///
    /// It is stored in an annotation of the Lease, and follows its `leaseTransitions`. If the Lease
    /// is deleted, every contender that saw it continues from the epoch it saw; if all of them
    /// restart as well, terms begin at 1 again.
    ///
    /// Send it with writes to external systems, and let them refuse smaller ones: that fences off a
    /// leader that was paused in the middle of a call.
    pub fn epoch(&self) -> u64 {
        *self.term.epoch.borrow()
    }

    /// Raises the epoch above `epoch`, for a leader that holds the Lease and is refused
    /// nevertheless, because an external system has seen epochs that the Lease no longer records.
    /// Returns the new epoch once the Lease contains it.
    ///
    /// It does not help a leader whose term is over: the elector then finds that another contender
    /// holds the Lease, and the term ends. Epochs rise at most once per retry period.
    ///
    /// # Errors
    ///
    /// [`LeadershipLost`] if the term ends before.
    pub async fn outrank(&self, epoch: u64) -> Result<u64, LeadershipLost> {
        self.term.wanted.send_if_modified(|wanted| {
            let more = epoch.saturating_add(1);
            let is_more = more > *wanted;
            *wanted = more.max(*wanted);
            is_more
        });
        let mut epochs = self.term.epoch.subscribe();
        let reached = epochs.wait_for(|now| *now > epoch);
        match self.term.lost.run_until_cancelled(reached).await {
            Some(Ok(now)) => Ok(*now),
            _ => Err(LeadershipLost),
        }
    }

    /// Marks a step of the work that fencing cannot interrupt, such as one on a thread for blocking
    /// calls: the Lease is not released before the step has ended.
    ///
    /// # Errors
    ///
    /// [`LeadershipLost`] if the term has ended: the step must not begin.
    pub fn step(&self) -> Result<LeadingStep, LeadershipLost> {
        self.term.steps.fetch_add(1, Ordering::SeqCst);
        let step = LeadingStep {
            term: Arc::clone(&self.term),
        };
        // The step is counted first: whoever ends the term sees the step, or this check sees the
        // end.
        self.check().map(|()| step)
    }

    /// Returns the token that is cancelled when the work must stop: the elector was asked to stop,
    /// or leadership is lost.
    pub fn token(&self) -> &CancellationToken {
        &self.term.stop
    }

    /// Returns the token that is cancelled when leadership is lost, and not when the work is only
    /// asked to stop.
    pub fn lost(&self) -> &CancellationToken {
        &self.term.lost
    }

    /// Whether this process leads now, by the monotonic clock: true until the renew deadline after
    /// the last renewal.
    pub fn is_leading(&self) -> bool {
        self.term.nanos(Instant::now()) < self.term.deadline.load(Ordering::SeqCst)
    }

    /// Like [`is_leading`](Self::is_leading), for `?` before an action that only the leader may
    /// take.
    ///
    /// # Errors
    ///
    /// [`LeadershipLost`] if the term has ended.
    pub fn check(&self) -> Result<(), LeadershipLost> {
        if self.is_leading() {
            Ok(())
        } else {
            Err(LeadershipLost)
        }
    }

    /// Runs `future` while this process leads.
    ///
    /// Each poll checks [`is_leading`](Self::is_leading) first, so that no part of `future` runs
    /// after the term has ended; it is dropped then. The Lease is not released during a poll. Tasks
    /// that `future` spawns are not covered: fence those too, and mark code on other threads with
    /// [`step`](Self::step).
    pub fn fence<F: Future>(&self, future: F) -> Fenced<F> {
        let deadline = self.deadline();
        Fenced {
            inner: Some(Box::pin(future)),
            leadership: self.clone(),
            lost: Box::pin(self.term.lost.clone().cancelled_owned()),
            timer: Box::pin(sleep_until(deadline)),
        }
    }

    /// Returns the end of the term unless it is renewed.
    pub(crate) fn deadline(&self) -> Instant {
        self.term.start + Duration::from_nanos(self.term.deadline.load(Ordering::SeqCst))
    }

    /// Returns the epoch that the term should have.
    pub(crate) fn wanted(&self) -> u64 {
        *self.term.wanted.borrow()
    }

    /// Waits until a higher epoch than the term's is wanted.
    pub(super) async fn wants_more(&self) {
        let epoch = self.epoch();
        let mut wanted = self.term.wanted.subscribe();
        if wanted.wait_for(|wanted| *wanted > epoch).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether no step is in progress.
    pub(crate) fn is_idle(&self) -> bool {
        self.term.steps.load(Ordering::SeqCst) == 0
    }

    /// Waits until no step is in progress. Guaranteed to return only once the term has ended.
    pub(crate) async fn idle(&self) {
        loop {
            let idle = self.term.idle.notified();
            if self.is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// Extends the term to `deadline`, with `epoch` from now on, unless it has ended. Returns
    /// whether it still lasts.
    pub(crate) fn renew(&self, deadline: Instant, epoch: u64) -> bool {
        let nanos = self.term.nanos(deadline);
        let now = self.term.nanos(Instant::now());
        let renewed = self
            .term
            .deadline
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |old| {
                (now < old).then(|| old.max(nanos))
            });
        if renewed.is_ok() {
            self.term.epoch.send_if_modified(|now| {
                let is_more = epoch > *now;
                *now = epoch.max(*now);
                is_more
            });
        }
        renewed.is_ok()
    }

    /// Asks the work to stop.
    pub(crate) fn ask_to_stop(&self) {
        self.term.stop.cancel();
    }

    /// Ends the term.
    pub(crate) fn end(&self) {
        self.term.deadline.store(0, Ordering::SeqCst);
        self.term.lost.cancel();
    }
}

impl Term {
    fn nanos(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.start).as_nanos())
            .unwrap_or(u64::MAX)
            .max(1)
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("epoch", &self.epoch())
            .field("leading", &self.is_leading())
            .finish()
    }
}

/// A step of a leader's work, from [`Leadership::step`] until it is dropped.
#[must_use = "the step ends when this is dropped"]
pub struct LeadingStep {
    term: Arc<Term>,
}

impl Drop for LeadingStep {
    fn drop(&mut self) {
        let was = self.term.steps.fetch_sub(1, Ordering::SeqCst);
        if was == 1 && self.term.lost.is_cancelled() {
            self.term.idle.notify_waiters();
        }
    }
}

impl fmt::Debug for LeadingStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadingStep")
            .field("epoch", &*self.term.epoch.borrow())
            .finish_non_exhaustive()
    }
}

/// A future that runs only during a [`Leadership`]; see [`Leadership::fence`].
#[must_use = "futures do nothing unless polled"]
pub struct Fenced<F> {
    inner: Option<Pin<Box<F>>>,
    leadership: Leadership,
    lost: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Ends the future on time even if `lost` is not cancelled.
    timer: Pin<Box<Sleep>>,
}

impl<F: Future> Future for Fenced<F> {
    type Output = Result<F::Output, LeadershipLost>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        while let Ok(step) = this.leadership.step() {
            let Some(inner) = this.inner.as_mut() else {
                break;
            };
            if let Poll::Ready(output) = inner.as_mut().poll(cx) {
                this.inner = None;
                return Poll::Ready(Ok(output));
            }
            drop(step);
            if this.lost.as_mut().poll(cx).is_pending() && this.timer.as_mut().poll(cx).is_pending()
            {
                return Poll::Pending;
            }
            // The term was extended since the timer was set, or it has just ended.
            let deadline = this.leadership.deadline();
            this.timer.as_mut().reset(deadline);
        }
        this.inner = None;
        Poll::Ready(Err(LeadershipLost))
    }
}

impl<F> fmt::Debug for Fenced<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fenced")
            .field("leadership", &self.leadership)
            .finish_non_exhaustive()
    }
}
