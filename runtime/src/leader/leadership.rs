//! The right to work, and its end.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// This process does not lead (any more).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("leadership lost")]
pub struct LeadershipLost;

/// One term of office: given to the work when the Lease is acquired. Clones share the term.
///
/// A term that has ended never comes back; the next one is another `Leadership`.
#[derive(Clone)]
pub struct Leadership {
    term: Arc<Term>,
}

struct Term {
    epoch: u64,
    start: Instant,
    /// Nanoseconds after `start` at which the term ends unless it is renewed; 0 once it has ended.
    deadline: AtomicU64,
    lost: CancellationToken,
    stop: CancellationToken,
}

impl Leadership {
    /// A term that holds until `deadline`.
    pub(super) fn new(epoch: u64, deadline: Instant) -> Self {
        let start = Instant::now();
        let lost = CancellationToken::new();
        let stop = lost.child_token();
        let term = Term {
            epoch,
            start,
            deadline: AtomicU64::new(0),
            lost,
            stop,
        };
        term.deadline.store(term.nanos(deadline), Ordering::SeqCst);
        Self {
            term: Arc::new(term),
        }
    }

    /// The Lease's `leaseTransitions` in this term: larger than in every term before, whoever held it, as long
    /// as nobody deletes the Lease.
    ///
    /// Pass it along with writes to systems outside, and let them refuse smaller ones: that fences off a leader which was
    /// paused in the middle of a call.
    pub fn epoch(&self) -> u64 {
        self.term.epoch
    }

    /// Cancelled when the work must stop: the elector was asked to stop, or leadership is lost.
    pub fn token(&self) -> &CancellationToken {
        &self.term.stop
    }

    /// Cancelled when leadership is lost: not when the work is only asked to stop.
    pub fn lost(&self) -> &CancellationToken {
        &self.term.lost
    }

    /// Whether this process leads now, by the monotonic clock: true until the renew deadline after the last renewal.
    pub fn is_leading(&self) -> bool {
        self.term.nanos(Instant::now()) < self.term.deadline.load(Ordering::SeqCst)
    }

    /// As [`is_leading`](Self::is_leading), for `?` before an action that only the leader may take.
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

    /// Runs `future` as long as this process leads.
    ///
    /// Each poll checks [`is_leading`](Self::is_leading) first, so that nothing of `future` runs after the term has ended;
    /// it is dropped then. Tasks that `future` spawns are not covered: fence those too.
    pub fn fence<F: Future>(&self, future: F) -> Fenced<F> {
        let deadline = self.deadline();
        Fenced {
            inner: Some(Box::pin(future)),
            leadership: self.clone(),
            lost: Box::pin(self.term.lost.clone().cancelled_owned()),
            timer: Box::pin(sleep_until(deadline)),
        }
    }

    /// When the term ends unless it is renewed.
    pub(super) fn deadline(&self) -> Instant {
        self.term.start + Duration::from_nanos(self.term.deadline.load(Ordering::SeqCst))
    }

    /// Prolongs the term to `deadline`, unless it has ended. Returns whether it still holds.
    pub(super) fn renew(&self, deadline: Instant) -> bool {
        let nanos = self.term.nanos(deadline);
        let now = self.term.nanos(Instant::now());
        let renewed = self
            .term
            .deadline
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |old| {
                (now < old).then(|| old.max(nanos))
            });
        renewed.is_ok()
    }

    /// Asks the work to stop.
    pub(super) fn ask_to_stop(&self) {
        self.term.stop.cancel();
    }

    /// Ends the term.
    pub(super) fn end(&self) {
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

/// A future that runs only under a [`Leadership`]; see [`Leadership::fence`].
#[must_use = "futures do nothing unless polled"]
pub struct Fenced<F> {
    inner: Option<Pin<Box<F>>>,
    leadership: Leadership,
    lost: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Comes to end the future on time, even if nobody cancels `lost`.
    timer: Pin<Box<Sleep>>,
}

impl<F: Future> Future for Fenced<F> {
    type Output = Result<F::Output, LeadershipLost>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        while this.leadership.is_leading() {
            let Some(inner) = this.inner.as_mut() else {
                break;
            };
            if let Poll::Ready(output) = inner.as_mut().poll(cx) {
                this.inner = None;
                return Poll::Ready(Ok(output));
            }
            if this.lost.as_mut().poll(cx).is_pending() && this.timer.as_mut().poll(cx).is_pending()
            {
                return Poll::Pending;
            }
            // The term was prolonged since the timer was set, or it has just ended.
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
