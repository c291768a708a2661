//! The result of a successful reconciliation.

use std::time::Duration;

/// When to reconcile a key again. Independently of it, a change of the key's objects reconciles it
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Action(pub(super) Next);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Done,
    Requeue,
    After(Duration),
}

impl Action {
    /// Waits for the next change. Resets the key's back-off.
    pub const fn done() -> Self {
        Self(Next::Done)
    }

    /// Reconciles again after the key's back-off, which grows as after a failure.
    pub const fn requeue() -> Self {
        Self(Next::Requeue)
    }

    /// Reconciles again after `delay`; immediately if it is zero. Resets the key's back-off.
    pub const fn requeue_after(delay: Duration) -> Self {
        Self(Next::After(delay))
    }
}
