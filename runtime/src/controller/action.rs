//! The result of a successful reconciliation.

use std::time::Duration;

/// The next run of a reconciled key. In any case, a change of its objects reconciles it again.
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
    /// Nothing more until something changes. Resets the key's back-off.
    pub const fn done() -> Self {
        Self(Next::Done)
    }

    /// Once more, after the key's back-off, which grows as if this had failed.
    pub const fn requeue() -> Self {
        Self(Next::Requeue)
    }

    /// Once more after `delay`. Resets the key's back-off. Zero is at once.
    pub const fn requeue_after(delay: Duration) -> Self {
        Self(Next::After(delay))
    }
}
